// SPDX-License-Identifier: Apache-2.0
// A warning where a kernel reads or writes an image by the functions for another kind of format than the image has
// (OpenCL C 3.0, 6.15.15): it is undefined what these do, and programs that do so by mistake get numbers that look
// nearly right. Each argument of a kernel is warned of once for each program.
import { CHANNEL_TYPES, type ChannelClass } from "@muxkit/libimg";

import type { KernelState } from "./kernel.ts";
import type { Program } from "./program.ts";

/** The class of a channel type by its number. */
const CLASS_OF: ReadonlyMap<number, ChannelClass> = new Map(
  Object.values(CHANNEL_TYPES).map((row) => [row.code, row.class]),
);

const SUFFIX: Readonly<Record<ChannelClass, string>> = { float: "f", signed: "i", unsigned: "ui" };

const KIND: Readonly<Record<ChannelClass, string>> = {
  float: "floats",
  signed: "signed integers",
  unsigned: "unsigned integers",
};

/** What was warned of already: kernel and index of the argument. */
const warned = new WeakMap<Program, Set<string>>();

/** The name of a channel type in messages. */
function typeName(code: number): string {
  return `CL_${Object.entries(CHANNEL_TYPES).find(([, row]) => row.code === code)?.[0] ?? code}`;
}

/** Notifies the context of images whose format the kernel's functions are not for. */
export function warnOfPixels(kernel: KernelState): void {
  const { arguments: list, name } = kernel.info;
  for (let i = 0; i < list.length; i++) {
    const info = list[i];
    const fact = kernel.arguments[i]?.fact;
    if (info?.pixelClasses === undefined || fact?.kind !== "image") continue;
    const own = CLASS_OF.get(fact.channelType);
    const wrong = info.pixelClasses.filter((one) => one !== own);
    if (own === undefined || wrong.length === 0) continue;
    const told = warned.get(kernel.program) ?? new Set();
    warned.set(kernel.program, told);
    const key = `${name} ${i}`;
    if (told.has(key)) continue;
    told.add(key);
    const verbs = info.access === "read_write" ? ["read", "write"] : [info.access === "write_only" ? "write" : "read"];
    const functions = (one: ChannelClass): string => verbs.map((verb) => `${verb}_image${SUFFIX[one]}`).join(" or ");
    kernel.program.context.notify(
      `the kernel "${name}" calls ${wrong.map(functions).join(" and ")} for argument ${i} ("${info.name}"), an image of ` +
        `${typeName(fact.channelType)}, which has ${KIND[own]}: the result is undefined in OpenCL, and has the bits of ` +
        `the pixels here; ${functions(own)} is for this format`,
    );
  }
}
