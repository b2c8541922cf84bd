// SPDX-License-Identifier: Apache-2.0
/**
 * Loads and stores: for each combination of space, width and number of elements one function with a loop over lanes.
 * The bounds of the common spaces are checked in the loop; generic addresses ask the warp.
 */
import { LOCAL_WINDOW, PARAMETER_WINDOW, SHARED_WINDOW } from "./memory.ts";
import { type Step, makerOf } from "./step.ts";

/** What an access names. */
export type SpaceName = "global" | "shared" | "local" | "param" | "generic";

/** A load or store. */
export interface Access {
  readonly isStore: boolean;
  readonly space: SpaceName;
  /** Bytes of an element. */
  readonly bytes: 1 | 2 | 4 | 8;
  readonly isSigned: boolean;
  /** Registers have 64 bits where the element may have fewer. */
  readonly isWide: boolean;
  /** Where the registers of the elements begin. */
  readonly values: readonly number[];
  /** Where the address begins, and what is added to it. */
  readonly address: number;
  readonly offset: number;
}

/** What is there before the loop. */
const PRELUDES: Readonly<Record<SpaceName, string>> = {
  global: "const m=warp.memories.global,h=m.window,t=m.limit,q=m.ends,m8=m.u8,m16=m.u16,m32=m.i32",
  shared: "const m=warp.memories.shared,o=m.first,t=m.limit,m8=m.u8,m16=m.u16,m32=m.i32",
  local: "const m=warp.local,t=warp.localBytes,m8=m.u8,m16=m.u16,m32=m.i32",
  param: "const m=warp.memories.parameter,t=m.limit,m8=m.u8,m16=m.u16,m32=m.i32",
  generic: "",
};

/** What an access of `n` bytes at `x` must satisfy; `y` is the high word. */
const CHECKS: Readonly<Record<SpaceName, string>> = {
  global: "y===h&&x>=0&&x<t&&(x&255)+N<=q[x>>>8]",
  shared: "y===0&&x>=o&&x+N<=t",
  local: "y===0&&x>=0&&x+N<=t",
  param: "y===0&&x>=0&&x+N<=t",
  generic: "",
};

/** High words that refusals show. */
const WINDOWS: Readonly<Record<SpaceName, string>> = {
  global: "y",
  shared: `y===0?${SHARED_WINDOW}:y`,
  local: `y===0?${LOCAL_WINDOW}:y`,
  param: `y===0?${PARAMETER_WINDOW}:y`,
  generic: "y",
};

const VIEWS = { 1: "m8[z]", 2: "m16[z>>1]", 4: "m32[z>>2]", 8: "m32[z>>2]" } as const;
const SIGNS = { 1: "<<24>>24", 2: "<<16>>16", 4: "", 8: "" } as const;

function element({ isStore, bytes, isSigned, isWide }: Access, slot: string): string {
  const view = VIEWS[bytes];
  const [low, high] = isWide ? [`r[${slot}+2*i]`, `r[${slot}+2*i+1]`] : [`r[${slot}+i]`, ""];
  if (bytes === 8) return isStore ? `${view}=${low};m32[(z>>2)+1]=${high}` : `${low}=${view};${high}=m32[(z>>2)+1]`;
  if (isStore) return `${view}=${low}`;
  const value = isSigned ? `${view}${SIGNS[bytes]}` : view;
  if (!isWide) return `${low}=${value}`;
  return `const v${slot}=${value};${low}=v${slot};${high}=${isSigned ? `v${slot}>>31` : "0"}`;
}

/** A load or store of one, two or four elements. */
export function accessStep(access: Access): Step {
  const { space, bytes, values, isStore } = access;
  const slots = ["b", "c", "e", "s3"].slice(0, values.length);
  const total = bytes * values.length;
  const what = isStore ? "writes" : "reads";
  const place =
    space === "generic"
      ? `const m=warp.spaceOf(y),z0=warp.place(m,i,y,x,${total},"${what}"),m8=m.u8,m16=m.u16,m32=m.i32`
      : `if(!((x&${total - 1})===0&&${CHECKS[space].replaceAll("N", String(total))}))` +
        `warp.refuse(i,"${what}",${WINDOWS[space]},x,${total});const z0=${space === "local" ? "i*t+x" : "x"}`;
  const parts = slots.map((slot, n) => `{const z=z0+${n * bytes};${element(access, slot)}}`);
  const make = makerOf(PRELUDES[space], `const x=u[d+2*i]+a,y=r[d+2*i+1];${place};${parts.join("")}`);
  return make(access.address, access.offset, ...values);
}
