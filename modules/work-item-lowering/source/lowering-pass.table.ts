// SPDX-License-Identifier: Apache-2.0
// The passes of the lowering by name. To add one: a file in passes/, a row here, a place in pass-list.ts, a folder in
// test/cases (docs/how-to/add-a-pass.md).
import type { Pass } from "@muxkit/passes";

import type { LoweringPass } from "./lowering-pass.ts";
import type { LoweringState } from "./lowering-state.ts";
import { addWorkItemParameters } from "./passes/add-work-item-parameters.ts";
import { barrierRegions } from "./passes/barrier-regions.ts";
import { cancellationChecks } from "./passes/cancellation-checks.ts";
import { dropInlined, dropUnreached } from "./passes/drop-functions.ts";
import { expandLibcalls, linkLibrary } from "./passes/expand-libcalls.ts";
import { fixLaunchArguments, inlineImageFunctions } from "./passes/fix-launch-arguments.ts";
import { fixLaunchSizes } from "./passes/fix-launch-sizes.ts";
import { kernelBodies } from "./passes/kernel-bodies.ts";
import { localityBarriers } from "./passes/locality-barriers.ts";
import { lowerLocalAtomics } from "./passes/lower-local-atomics.ts";
import { lowerTableAddresses, lowerWorkItemQueries } from "./passes/lower-work-item-queries.ts";
import { programData } from "./passes/program-data.ts";
import { promoteArguments } from "./passes/promote-arguments.ts";
import { vectorizeSubGroups } from "./passes/vectorize-sub-groups.ts";
import { vectorizeKernels } from "./passes/vectorize.ts";
import { workItemLoops } from "./passes/work-item-loops.ts";

/** Every pass of the lowering. @public */
export const LOWERING_PASSES: readonly LoweringPass[] = [
  {
    name: "expand-libcalls",
    doc: "Makes calls of the library of operations that the machine lacks.",
    run: (module, { request }) => expandLibcalls(module, request.machine),
  },
  {
    name: "link-library",
    doc: "Links the library's functions, and those that libcall expansion needs, until none is missing.",
    run: (module, { request,
  }, context) => linkLibrary(module, request.machine, context) },
  {
    name: "program-data",
    doc: "Decides where the program's data is stored.",
    run: programData,
  },
  {
    name: "inline-image-functions",
    doc: "Marks functions that read image descriptors to be inlined, for launches whose images are known.",
    run: inlineImageFunctions,
  },
  {
    name: "fix-launch-arguments",
    doc: "Makes constants of samplers and image formats that are known of the launch.",
    run: fixLaunchArguments,
  },
  {
    name: "add-work-item-parameters",
    doc: "Gives functions that depend on their work-item the parameters of the convention.",
    run: addWorkItemParameters,
  },
  {
    name: "lower-work-item-queries",
    doc: "Makes arithmetic of queries of ids and sizes, and addresses of variables, except small tables.",
    run: lowerWorkItemQueries,
  },
  {
    name: "lower-table-addresses",
    doc: "Makes arithmetic of the addresses of small tables, which the vectoriser looks into.",
    run: lowerTableAddresses,
  },
  {
    name: "fix-launch-sizes",
    doc: "Makes constants of sizes that are known of the launch.",
    run: fixLaunchSizes,
  },
  {
    name: "kernel-bodies",
    doc: "Takes the body of each kernel out of it, as a function for one work-item.",
    run: kernelBodies,
  },
  {
    name: "promote-arguments",
    doc: "Makes parameters of the numbers that kernels read of structs by value.",
    run: promoteArguments,
  },
  {
    name: "locality-barriers",
    doc: "Inserts barriers between rows of memory that work-items read one after the other.",
    run: localityBarriers,
  },
  {
    name: "barrier-regions",
    doc: "Cuts kernels at their barriers into regions; values live across them go to spill frames.",
    run: barrierRegions,
  },
  {
    name: "vectorize-sub-groups",
    doc: "Makes vectorised variants whose lanes are the work-items of a sub-group.",
    run: vectorizeSubGroups,
  },
  {
    name: "vectorize",
    doc: "Makes vectorised variants for several work-items of a vector row at once.",
    run: vectorizeKernels,
  },
  {
    name: "work-item-loops",
    doc: "Writes the entry of each kernel: loops over work-groups, regions and work-items.",
    run: workItemLoops,
  },
  {
    name: "cancellation-checks",
    doc: "Polls the cancel word on back edges of loops that may run long.",
    run: cancellationChecks,
  },
  {
    name: "drop-inlined",
    doc: "Drops functions that have been inlined into all their callers.",
    run: dropInlined,
  },
  {
    name: "lower-local-atomics",
    doc: "Makes atomic operations plain on memory that one thread has to itself.",
    run: lowerLocalAtomics,
  },
  {
    name: "drop-unreached",
    doc: "Drops functions that no kernel entry reaches.",
    run: dropUnreached,
  },
];

/** The lowering's passes for the pass manager; what they find for one another is kept in `state`. @public */
export function loweringPasses(state: LoweringState): readonly Pass[] {
  return LOWERING_PASSES.map(
    ({ name, doc, run }): Pass => ({
      kind: "module",
      name,
      doc,
      run: (module, context) => run(module, state, context),
    }),
  );
}
