// SPDX-License-Identifier: Apache-2.0
// The lowerings by the keys of the table of built-ins: what stands before the colon of a row's `lowering`. To add one:
// a row there, a line here, a case in test/cases/lower-builtins.
import { addressSpace } from "./address-spaces.ts";
import {
  clamp,
  constant,
  extremum,
  integer,
  mix,
  multiplyAdd,
  oneOp,
  reciprocal,
  reciprocalRoot,
} from "./arithmetic.ts";
import { atomic, atomicFence, atomicFunction } from "./atomics.ts";
import { type Lowering, NOTHING } from "./call.ts";
import { geometric } from "./geometric.ts";
import { groupFunction } from "./groups.ts";
import { imageHalf, inFloat, library, libraryPointer } from "./library.ts";
import { pipeFunction } from "./pipes.ts";
import { bitselect, compare, relational, select } from "./relational.ts";
import { asyncCopy, barrier, fence, waitEvents, workItem } from "./synchronization.ts";
import { loadHalf, loadVector, shuffle, storeHalf, storeVector, vectorStep } from "./vectors.ts";

/** What stays a call of the library, or of whoever replaces it. */
const stays: Lowering = () => null;

/** Lowerings by key. */
export const LOWERINGS: ReadonlyMap<string, Lowering> = new Map(
  Object.entries<Lowering>({
    op: oneOp,
    mad: multiplyAdd,
    reciprocal,
    "reciprocal-root": inFloat(reciprocalRoot),
    integer,
    clamp,
    maximum: extremum(true),
    minimum: extremum(false),
    common: inFloat(mix),
    geometric: inFloat(geometric),
    compare,
    relational,
    bitselect,
    select,
    shuffle,
    vload: loadVector,
    vstore: storeVector,
    vload_half: loadHalf,
    vstore_half: storeHalf,
    vec_step: vectorStep,
    constant,
    atomic,
    "atomic-function": atomicFunction,
    "atomic-fence": atomicFence,
    "address-space": addressSpace,
    "work-item": workItem,
    barrier: barrier("work_group"),
    "sub-group-barrier": barrier("sub_group"),
    fence,
    group: groupFunction,
    "async-copy": asyncCopy,
    "wait-events": waitEvents,
    pipe: pipeFunction,
    nothing: () => NOTHING,
    library: inFloat(library),
    "library-own": library,
    "library-whole": stays,
    "library-pointer": libraryPointer,
    "image-half": imageHalf,
    printf: stays,
  }),
);
