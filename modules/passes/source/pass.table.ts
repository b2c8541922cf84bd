// SPDX-License-Identifier: Apache-2.0
// The passes by name. To add one: a file, a row here, a folder in test/cases (docs/how-to/add-a-pass.md).
import { InternalError } from "@muxkit/cargo";

import { aliasGroups } from "./alias-groups.ts";
import { GRAPH } from "./analysis.table.ts";
import { contract } from "./contract.ts";
import { deadCodeElimination } from "./dce.ts";
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
import { shareAddresses } from "./share-addresses.ts";
import { simplify } from "./simplify.ts";
import { simplifyCfg } from "./simplify-cfg.ts";
import { sink } from "./sink.ts";
import { splitAddresses } from "./split-addresses.ts";
import { sroa } from "./sroa.ts";
import { verifyPass } from "./verify.ts";

/** Every pass. @public */
export const PASSES: readonly Pass[] = [
  { kind: "module", name: "verify", doc: "Checks that the module keeps the IR's rules; stops where it does not.", run: verifyPass },
  { kind: "module", name: "replace-printf", doc: "Makes calls of printf append records that the runtime prints.", run: replacePrintf },
  { kind: "module", name: "image-arg-subst", doc: "Makes an image the address of its descriptor and a sampler its bits.", run: substituteImageArguments },
  { kind: "function", name: "lower-builtins", doc: "Makes operations of calls of built-ins that the IR has operations for.", keeps: GRAPH, run: lowerBuiltins },
  { kind: "module", name: "link-builtins", doc: "Replaces calls of built-ins by the library's functions.", run: linkBuiltins },
  { kind: "module", name: "inline", doc: "Puts bodies in the place of calls, within a budget.", run: inlineFunctions },
  { kind: "function", name: "sroa", doc: "Splits private arrays, structs and vectors into their parts.", keeps: GRAPH, run: sroa },
  { kind: "function", name: "mem2reg", doc: "Makes private variables values.", keeps: GRAPH, run: mem2reg },
  { kind: "function", name: "infer-address-space", doc: "Makes generic pointers pointers into the address space that they are made of.", keeps: GRAPH, run: inferAddressSpaces },
  { kind: "function", name: "simplify", doc: "Folds constants and applies algebra.", keeps: GRAPH, isIdempotent: true, run: simplify },
  { kind: "function", name: "gvn", doc: "Gives equal computations one value and forwards what memory is known to hold.", keeps: GRAPH, run: globalValueNumbering },
  { kind: "function", name: "loop-rotate", doc: "Moves the tests of loops to their ends and gives every loop a preheader.", keeps: [], run: loopRotate },
  { kind: "function", name: "licm", doc: "Moves what gives the same in every round in front of its loop.", keeps: GRAPH, run: licm },
  { kind: "module", name: "alias-groups", doc: "Notes on accesses what `restrict` says of the pointers of kernels, for when they are parameters no more.", run: aliasGroups },
  { kind: "function", name: "loop-unroll", doc: "Repeats the bodies of small counted loops, and as hints ask.", keeps: [], run: loopUnroll },
  { kind: "function", name: "contract", doc: "Fuses products with sums where both allow it; only for engines whose multiply-add is fused.", keeps: GRAPH, run: contract },
  { kind: "function", name: "split-addresses", doc: "Lets inner loops add to addresses only what changes in them.", keeps: GRAPH, run: splitAddresses },
  { kind: "function", name: "share-addresses", doc: "Computes addresses that differ by constants once.", keeps: GRAPH, run: shareAddresses },
  { kind: "function", name: "sink", doc: "Moves loads that only one side of a branch takes to that side.", keeps: GRAPH, run: sink },
  { kind: "function", name: "lower-half", doc: "Computes halves in binary32, for machines without arithmetic on halves.", keeps: [], run: lowerHalf },
  { kind: "function", name: "simplify-cfg", doc: "Folds branches and merges blocks.", keeps: [], isIdempotent: true, run: simplifyCfg },
  { kind: "function", name: "dce", doc: "Removes what nothing needs.", keeps: GRAPH, run: deadCodeElimination },
  { kind: "module", name: "global-dce", doc: "Removes functions that no kernel reaches.", run: globalDeadCodeElimination },
];

const BY_NAME = new Map(PASSES.map((pass) => [pass.name, pass]));

/** The pass of a name. Throws InternalError when there is none. @internal */
export function findPass(name: string): Pass {
  const pass = BY_NAME.get(name);
  if (pass === undefined) throw new InternalError(`there is no pass "${name}"; there are ${[...BY_NAME.keys()].join(", ")}`);
  return pass;
}
