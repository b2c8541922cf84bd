// SPDX-License-Identifier: Apache-2.0
// The text of docs/vectoriser.md: what the vectoriser does, and the tables of what it refuses and of how it makes accesses.
import { ACCESS_WAYS, REFUSALS } from "@muxkit/vecz";

const refusals = Object.entries(REFUSALS).map(
  ([name, { cause, change }]) => `### ${name}\n\n${cause}\n\nWhat to change: ${change}\n`,
);
const ways = Object.entries(ACCESS_WAYS).map(
  ([name, { cause, cost, change }]) => `| ${name} | ${cause} | ${cost} | ${change ?? "nothing"} |`,
);

/** The page. */
export const PAGE: string = `# The vectoriser

A kernel is written for one work-item. The vectoriser (\`modules/vecz\`) makes of it a function that runs 2, 4, 8 or 16 neighbouring work-items at once, each in a lane of vectors.
This page is written by \`npm run vectoriser-page\` from the tables in \`modules/vecz/source\`; \`npm run check\` compares them.

\`muxkit run JOB.json --explain\` (with \`--json\` as data) tells what became of a kernel: how many work-items at once and why, along which dimension, how each access to memory is made, with its line,
what could not be done, and what to change. Where \`-cl-wfv\` is among the options, the build log (\`clGetProgramBuildInfo\`) says it in a note for each kernel, or for each piece between barriers; \`veczc FILE.cl --remarks\` prints the same. \`veczc FILE.cl\` prints the analyses and the vector functions.

## What decides

- \`-cl-wfv=auto\`, the default: work-items run together where that is estimated to cost less. The estimate and its outcome are told.
- \`-cl-wfv=always\`: whatever can be run together is.
- \`-cl-wfv=never\`, and \`-cl-opt-disable\`: work-items run one by one.

The number of lanes fills one register with the type that most of the work is done in, or two while the function is small, or four while it does little but read and write; vectors of the language shorten it, since a vector has at most 64 lanes in all.
The dimension is the one whose neighbours cost least: mostly the one in which accesses are contiguous.
Where rows of a work-group share loads in loops, 2 or 4 of them are jammed into one iteration, as long as the registers last.
Where a kernel knows only where it stands in the NDRange, and nothing of its work-group, vectors go on from one work-group to the next: a local size of 1 costs nothing then.

## How it is done

1. **Shapes.** Each value is the same for all lanes, or lane 0 plus a stride times the lane, or varying. Ids of the chosen dimension have stride 1; arithmetic, masks and shifts of known low bits keep strides.
2. **Divergence.** Branches on varying conditions part lanes; where their ways meet, values of both are blended. Loops that lanes leave one by one run until the last has left, and each lane keeps what it had when it left.
3. **Regions.** Only what lies between a branch that parts lanes and the block where all are together again is linearised, under masks. Uniform branches and loops inside stay what they are.
   Blocks with effects, and those that are not cheap, are skipped when no lane is on. Loops with several entries get one first.
4. **A tested form.** Comparisons with ids that go the same way for a whole vector, and clamps that change nothing, are tested for before the vector runs: the interior of an image needs no masks. The rest runs the general form.
5. **Private arrays** of scalars are interleaved, element by element over the lanes: an index that all lanes share finds all of theirs in one access.
6. **Sub-groups.** A kernel that uses them, or says their size, is vectorised along the linear local id, and the lanes are the sub-group: as many as it has, whatever the types. Reductions, scans, votes, ballots and shuffles are
   operations among the lanes that are on; what they give all lanes is a scalar. A smaller last sub-group runs the same code under a mask. Ids are vectors of their own where sub-groups go over the ends of rows:
   a local size of which x is a multiple of the sub-group's, or with one row, is the fastest. Shuffles by ids that are known when the kernel is built are single instructions; others choose bit by bit, and in sub-groups of more than 16 go through memory.
7. **Barriers** cut a kernel into regions, each with vector forms of its own. A work-item that returns before a barrier is no longer waited for.
8. **JammedFunction rows.** Work-items that follow one another in a second dimension become one function first: what is the same for all rows, loads included, is done once, everything else once a row. Lanes are made of that function then.
   All rows go through one control flow; comparisons with their ids are tested for before they run, and rows that fail run one after the other.
9. **Split loops.** An innermost loop with more sums than there are vector registers becomes several that run one after the other, each with as many sums as find registers. What they share is loaded once more in each:
   from local or private memory, or in a loop that is known to run 64 times at the most. The notes and \`--explain\` tell it.
10. **Ranges of rows.** Where work-items beyond a bound all do the same, as behind \`if (id < n)\`, \`if (id == 0)\` or an early return, one of them stands for all, and vectors run from the first work-item that takes part to the last:
   a step of a tree in local memory costs as many vectors as take part. What is compared with must be known before the row is run: arguments, constants, ids of the group, what all work-items agreed on before a barrier.
11. **Known local sizes.** A kernel that has to do with its work-groups is compiled again for its local size when launches with the same one have come to 262144 work-items: rows have no rest then, counts are constants, and other
   dimensions than x can be vectorised or jammed.
12. **Walks.** Where the work-items of a group read a block of memory row after row, as \`x[base + k * get_local_size(0) + get_local_id(0)]\` does for k = 0, 1, 2 …, and the local size is known, there is a barrier between rows:
   memory is read from one end to the other, not by as many streams at once as there are rows. What each work-item keeps from row to row lies in memory meanwhile, so it may be two values at the most.

## How accesses are made

| way | when | cost | what to change |
|---|---|---|---|
${ways.join("\n")}

Masked accesses touch no byte of a lane that is off, except that loads may read what lies between lanes, and the rest of the last step of elements that lie apart.

## Refusals

Where one of these holds, the work-items of the kernel, or of the region between two barriers, run one by one. Each is tested in \`modules/vecz/test/refusals.test.ts\`.

${refusals.join("\n")}
### work-items go on alone

The kernel has functions of sub-groups, and no vector holds one: sub-groups have more than 64 work-items, or one of the reasons above holds. Each work-item then keeps a place of its own to go on from.

What to change: use vector types of fewer components, or a smaller \`intel_reqd_sub_group_size\`.

Barriers where not all work-items come, under a condition or in a loop that is not the same for the whole work-group or behind a \`return\` of some, are no reason: regions run under masks of the work-items that have come to them.
That costs more than agreement, which the compiler finds where conditions and bounds follow from arguments, constants and group ids.
`;
