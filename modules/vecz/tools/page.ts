// SPDX-License-Identifier: Apache-2.0
// The text of docs/vectoriser.md: what the vectoriser does, and the tables of its refusals and kinds of accesses.
import { ACCESS_KINDS, REFUSALS } from "@muxkit/vecz";

const refusals = Object.entries(REFUSALS).map(
  ([name, { cause, change }]) => `### ${name}\n\n${cause}\n\nWhat to change: ${change}\n`,
);
const kinds = Object.entries(ACCESS_KINDS).map(
  ([name, { cause, cost, change }]) => `| ${name} | ${cause} | ${cost} | ${change ?? "nothing"} |`,
);

/** The page. */
export const PAGE: string = `# The vectoriser

A kernel is written for one work-item. The vectoriser (\`modules/vecz\`) turns it into a function that runs 2, 4, 8 or
16 neighbouring work-items at once, one in each lane of vectors. \`npm run vectoriser-page\` writes this page from the
tables in \`modules/vecz/source\`; \`npm run check\` compares them.

\`muxkit run JOB.json --explain\` (\`--json\` for data) reports how each kernel was compiled: how many work-items run at
once and why, along which dimension, how each memory access is made, with its line, what could not be done, and what to
change; which operations most of the estimated cost comes from (of vectors that were not worth it, too), and which
loops work-items leave in different iterations. With \`-cl-wfv\` among the options, the build log (\`clGetProgramBuildInfo\`) has the same report as a note for
each kernel, or for each piece between barriers; \`veczc FILE.cl --remarks\` prints it. \`veczc FILE.cl\` prints the
analyses and the vector functions.

## What decides

- \`-cl-wfv=auto\`, the default: work-items run together where the estimated cost is lower. The report has the estimate.
  Where it is less than twice as low, the first launches run both ways and the later ones the faster
  ([how](decisions/082-trying-vectors.md)).
- \`-cl-wfv=always\`: they run together wherever that is possible.
- \`-cl-wfv=never\`, and \`-cl-opt-disable\`: they run one by one.

The costs, the size of a register and the number of registers are those of the machine that code is generated for
(\`MachineTarget\` in \`modules/machine-target\`). The number of lanes fills one register with the type that most of the
work is done in; two while the function is small; or a line of the cache while it only moves data. Vector types of the
language shorten it, since a vector has at most 64 lanes. The dimension is the one with the lowest cost: mostly the one
in which accesses are contiguous. Where rows of work-items share loads in loops, 2 or 4 rows are unrolled and jammed, as
long as the registers suffice. Where a kernel uses its position in the NDRange only, and nothing of its work-group,
vectors span work-groups: a local size of 1 costs nothing then.

## How it works

1. **Shapes.** Each value is uniform (the same for all lanes), in steps (lane 0 plus a stride times the lane), or
   varying. Ids of the chosen dimension have stride 1; arithmetic, masks and shifts of known low bits keep strides.
2. **Divergence.** Lanes diverge at branches on varying conditions; where their paths join, selects choose the values.
   A divergent loop runs until the last lane has left it, and each lane keeps the values that it left with.
3. **Regions.** Only the blocks between a divergent branch and the block where all lanes converge are linearised, under
   masks (if-conversion). Uniform branches and loops inside keep their branches. Blocks with effects, and costly ones,
   are skipped when no lane is on. Loops with several entries get a single entry first.
4. **A tested variant.** Comparisons with ids that have one result for a whole vector, and clamps that change nothing,
   are tested before the vector runs: the interior of an image needs no masks. So are ids in blocks: a uniform mask, or a
   uniform divisor (\`id % width\`, \`id / width\`), that splits ids into blocks which hold whole vectors leaves them
   contiguous or uniform, and so do the partner \`id ^ distance\` of an exchange and a neighbour beyond the edge. Other
   vectors run the general variant, or one by one where that is cheaper.
5. **Private arrays** of scalars are interleaved, element by element over the lanes (structure of arrays): a uniform
   index finds the elements of all lanes in one access. Fills and copies of up to 64 elements go element by element.
6. **Sub-groups.** A kernel that uses them, or requires their size, is vectorised along the linear local id, and the
   lanes are the sub-group, whatever the types. Reductions, scans, votes, ballots and shuffles are operations among the
   lanes that are on; results that all lanes share are scalars. A smaller last sub-group runs the same code under a
   mask. Ids are vectors where a sub-group spans rows: a local size whose x is a multiple of the sub-group size, or with
   one row, is the fastest. Shuffles by ids that are constants are single instructions; others choose bit by bit, and
   in sub-groups of more than 16 they go through memory.
7. **Barriers** cut a kernel into regions, each with vector variants of its own. A barrier does not wait for work-items
   that have returned.
8. **Unroll-and-jam.** Work-items that are neighbours in a second dimension become one function first: what they share,
   loads included, is done once, everything else once for each. That function is vectorised then. They run through one
   control flow; a test of their comparisons runs before them, and rows that fail it run one after the other.
9. **Loop distribution.** An innermost loop with more reductions than vector registers becomes several loops, each with
   as many reductions as find registers. What they share is loaded again in each: from local or private memory, or in a
   loop with a trip count of at most 64. The notes and \`--explain\` report it.
10. **Index-set splitting.** Where work-items beyond a bound all do the same, as after \`if (id < n)\`, \`if (id == 0)\`
    or an early return, one of them runs for all, and vectors cover the range of the others: a step of a tree reduction
    in local memory costs as many vectors as take part. The bound must be known before: arguments, constants, ids of the
    group, values that were uniform before a barrier.
11. **Known local sizes.** A kernel that depends on its work-group is compiled again for its local size when launches
    with the same one have reached 262144 work-items: then no work-items are left over, trip counts are constants, and
    dimensions other than x can be vectorised, or unrolled and jammed.
12. **Barriers for locality.** Where the work-items of a group read a block of memory row after row, as
    \`x[base + k * get_local_size(0) + get_local_id(0)]\` does for k = 0, 1, 2 …, and the local size is known, a barrier
    is inserted between rows: memory is read in one stream instead of as many as there are rows. The values that each
    work-item keeps from row to row are in memory meanwhile, so there may be at most two.

## Memory accesses

| kind | when | cost | what to change |
|---|---|---|---|
${kinds.join("\n")}

Masked stores change no byte of a lane that is off. In local and private memory, which one thread has to itself, they
write again what was there; elsewhere lanes that are off store to memory of their own. Masked loads may read bytes
between lanes, and the rest of the last step of strided elements.

A branch that lanes disagree on costs both of its sides, and single work-items one of them: the estimates take each side
to be as likely as the other, but those that only floats take that are huge, infinite or NaN.

## Refusals

Where one of these holds, the work-items of the kernel, or of the region between two barriers, run one by one. Each is
tested in \`modules/vecz/test/refusals.test.ts\`.

${refusals.join("\n")}
### sub-groups run alone

The kernel uses functions of sub-groups, and no vector can hold one: sub-groups have more than 64 work-items, or one of
the reasons above holds. Each work-item then resumes at a barrier of its own.

What to change: use vector types of fewer components, or a smaller \`intel_reqd_sub_group_size\`.

Barriers that not all work-items reach (under a condition, in a loop that differs within the work-group, or after a
\`return\` of some) are no reason: regions run under masks of the work-items that have reached them. That costs more
than uniform control flow, which the compiler finds where conditions and bounds depend on arguments, constants and
group ids.
`;
