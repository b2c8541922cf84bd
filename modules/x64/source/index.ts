// SPDX-License-Identifier: Apache-2.0
/**
 * Machine code of x86-64 from IR: selection, register allocation, encoding.
 *
 * @packageDocumentation
 */
export { GET_STACK, SET_STACK } from "./intrinsics.ts";
export { X64_MACHINE } from "./machine.ts";
export { X64_PHASES, type X64Counts, type X64Listing, type X64Observer, type X64Phase } from "./observer.ts";
export { passedBytes } from "./selector.ts";
export { type NamesByLane, X64_TIERS, type X64Tier, type X64TierName, x64Tier } from "./tier.ts";
export {
  type X64Code,
  type X64Distance,
  type X64Function,
  type X64Line,
  type X64Options,
  generateX64,
} from "./module.ts";
export { printX64 } from "./assembly.ts";
export { type ElfAbout, type ElfData, elfContentOf } from "./elf-content.ts";
