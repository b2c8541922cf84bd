// SPDX-License-Identifier: Apache-2.0
// The passes by name. To add one: a file, a row here, a folder in test/cases (docs/how-to/add-a-pass.md).
import { InternalError } from "@muxkit/cargo";

import { aliasGroups } from "./alias-groups.ts";
import { GRAPH } from "./analysis.table.ts";
import { argumentLoads } from "./argument-loads.ts";
import { coalesceVariables } from "./coalesce-variables.ts";
import { constantVariables } from "./constant-variables.ts";
import { coarsenThreads } from "./coarsen-threads.ts";
import { contract } from "./contract.ts";
import { deadCodeElimination } from "./dce.ts";
import { decidedBranches } from "./decided-branches.ts";
import { divideByConstant } from "./divide-by-constant.ts";
import { globalDeadCodeElimination } from "./global-dce.ts";
import { globalValueNumbering } from "./gvn.ts";
import { substituteImageArguments } from "./image-arg-subst.ts";
import { inferAddressSpaces } from "./infer-address-space.ts";
import { inlineFunctions } from "./inline.ts";
import { linkBuiltins } from "./link-builtins.ts";
import { licm } from "./licm.ts";
import { loopRotate } from "./loop-rotate.ts";
import { loopUnroll } from "./loop-unroll.ts";
import { lowerBuiltins } from "./lower-builtins.ts";
import { lowerHalf } from "./lower-half.ts";
import { mem2reg } from "./mem2reg.ts";
import type { Pass } from "./pass.ts";
import { replacePrintf } from "./replace-printf.ts";
import { runTimeUnroll } from "./run-time-unroll.ts";
import { scalarize } from "./scalarize.ts";
import { shareAddresses } from "./share-addresses.ts";
import { simplify } from "./simplify.ts";
import { simplifyCfg } from "./simplify-cfg.ts";
import { sink } from "./sink.ts";
import { splitAddresses } from "./split-addresses.ts";
import { stepAddresses } from "./step-addresses.ts";
import { sroa } from "./sroa.ts";
import { verifyPass } from "./verify.ts";

/** Every pass. @public */
export const PASSES: readonly Pass[] = [
  {
    kind: "module",
    name: "verify",
    doc: "Checks the rules of the IR; stops at a module that breaks one.",
    run: verifyPass,
  },
  {
    kind: "module",
    name: "replace-printf",
    doc: "Replaces calls of printf by functions that append printf records for the runtime.",
    run: replacePrintf,
  },
  {
    kind: "module",
    name: "image-arg-subst",
    doc: "Lowers images to the addresses of their descriptors and samplers to their bits.",
    run: substituteImageArguments,
  },
  {
    kind: "function",
    name: "lower-builtins",
    doc: "Replaces calls of built-ins by operations and small control flow, by the table of built-ins.",
    keeps: [],
    run: lowerBuiltins,
  },
  {
    kind: "module",
    name: "link-builtins",
    doc: "Replaces calls of built-ins by calls of the library's functions.",
    run: linkBuiltins,
  },
  {
    kind: "module",
    name: "inline",
    doc: "Replaces calls by the bodies of their callees, bottom up, within a budget of code size.",
    run: inlineFunctions,
  },
  {
    kind: "function",
    name: "coalesce-variables",
    doc: "Lets private arrays and structs that are copied to one another share a place where no value is lost.",
    keeps: GRAPH,
    run: coalesceVariables,
  },
  {
    kind: "function",
    name: "sroa",
    doc: "Scalar replacement of aggregates: splits private arrays, structs and vectors into partitions.",
    keeps: GRAPH,
    run: sroa,
  },
  {
    kind: "function",
    name: "mem2reg",
    doc: "Promotes private variables to SSA values.",
    keeps: GRAPH,
    run: mem2reg,
  },
  {
    kind: "function",
    name: "constant-variables",
    doc: "Moves private arrays and structs that hold constants wherever they are read to constant memory.",
    keeps: GRAPH,
    run: constantVariables,
  },
  {
    kind: "function",
    name: "argument-loads",
    doc: "Loads the numbers of structs that a kernel takes by value once, at its beginning.",
    keeps: GRAPH,
    run: argumentLoads,
  },
  {
    kind: "function",
    name: "infer-address-space",
    doc: "Gives generic pointers the address space that they are made from.",
    keeps: GRAPH,
    run: inferAddressSpaces,
  },
  {
    kind: "function",
    name: "simplify",
    doc: "Folds constants and applies peephole rules.",
    keeps: GRAPH,
    isIdempotent: true,
    run: simplify,
  },
  {
    kind: "function",
    name: "scalarize",
    doc: "Makes scalars of vectors of ints that are only taken apart again.",
    keeps: GRAPH,
    run: scalarize,
  },
  {
    kind: "function",
    name: "gvn",
    doc: "Value numbering: shares equal computations, eliminates redundant loads, forwards stores to loads.",
    keeps: GRAPH,
    run: globalValueNumbering,
  },
  {
    kind: "function",
    name: "loop-rotate",
    doc: "Moves exit tests from the tops of loops to their ends and gives every loop a preheader.",
    keeps: [],
    run: loopRotate,
  },
  {
    kind: "function",
    name: "licm",
    doc: "Loop-invariant code motion: moves invariant computations and loads into preheaders.",
    keeps: GRAPH,
    run: licm,
  },
  {
    kind: "module",
    name: "alias-groups",
    doc: "Records on accesses what `restrict` says about a kernel's pointers, before lowering hides the parameters.",
    run: aliasGroups,
  },
  {
    kind: "function",
    name: "loop-unroll",
    doc: "Unrolls small loops with a constant trip count, and loops with a hint.",
    keeps: [],
    run: loopUnroll,
  },
  {
    kind: "function",
    name: "run-time-unroll",
    doc: "Goes by several iterations at a time through counted loops whose trip count is known only at run time.",
    keeps: [],
    run: runTimeUnroll,
  },
  {
    kind: "function",
    name: "contract",
    doc: "Fuses products with sums where both allow it; only for targets with a fused multiply-add.",
    keeps: GRAPH,
    run: contract,
  },
  {
    kind: "function",
    name: "split-addresses",
    doc: "Reassociates indices, so that inner loops add only what varies in them.",
    keeps: GRAPH,
    run: splitAddresses,
  },
  {
    kind: "function",
    name: "step-addresses",
    doc: "Strength reduction: addresses by products of a loop's counter become pointers that each iteration moves on.",
    keeps: [],
    run: stepAddresses,
  },
  {
    kind: "function",
    name: "divide-by-constant",
    doc: "Multiplies lanes by reciprocals where they are divided by constants.",
    keeps: GRAPH,
    run: divideByConstant,
  },
  {
    kind: "function",
    name: "share-addresses",
    doc: "Shares the computation of addresses that differ only by constants.",
    keeps: GRAPH,
    run: shareAddresses,
  },
  {
    kind: "function",
    name: "decided-branches",
    doc: "Replaces conditions by what the branches that lead to their uses say of them.",
    keeps: GRAPH,
    run: decidedBranches,
  },
  {
    kind: "module",
    name: "coarsen-threads",
    doc: "Gives kernels that only move memory a second form, in which a thread does several work-items.",
    run: coarsenThreads,
  },
  {
    kind: "function",
    name: "sink",
    doc: "Moves loads that only one side of a branch uses to that side.",
    keeps: GRAPH,
    run: sink,
  },
  {
    kind: "module",
    name: "lower-half",
    doc: "Computes halves in binary32, for machines without arithmetic on halves.",
    run: lowerHalf,
  },
  {
    kind: "function",
    name: "simplify-cfg",
    doc: "Folds branches, merges blocks, removes unreachable ones and converts small branches to selects.",
    keeps: [],
    isIdempotent: true,
    run: simplifyCfg,
  },
  {
    kind: "function",
    name: "dce",
    doc: "Dead code elimination: removes unused results, block parameters and stores to private variables.",
    keeps: GRAPH,
    run: deadCodeElimination,
  },
  {
    kind: "module",
    name: "global-dce",
    doc: "Removes functions that no kernel reaches.",
    run: globalDeadCodeElimination,
  },
];

const BY_NAME = new Map(PASSES.map((pass) => [pass.name, pass]));

/** Finds a pass by name, in the table or among the `others` of other packages. Throws InternalError when there is none. @internal */
export function findPass(name: string, others: readonly Pass[] = []): Pass {
  const pass = BY_NAME.get(name) ?? others.find((other) => other.name === name);
  if (pass === undefined)
    throw new InternalError(`there is no pass "${name}"; there are ${[...PASSES, ...others].map((one) => one.name).join(", ")}`);
  return pass;
}
