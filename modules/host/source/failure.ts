// SPDX-License-Identifier: Apache-2.0
// Messages for commands that failed: the reason, the kernel, the group.
import * as L from "./control-layout.ts";
import { faultText } from "./faults.ts";
import type { Launch } from "./launch.ts";

/** The sentence for the node that failed first. */
export function failureText(
  words: Int32Array,
  node: number,
  code: number,
  launch: Launch | null,
  detail: string,
): string {
  const base = L.nodeBase(node);
  const kernel = launch === null ? "a command" : `kernel "${launch.kernelName}"`;
  const text: Readonly<Record<number, () => string>> = {
    [L.ERROR_TRAP]: () =>
      `${kernel} ${faultText(words[base + L.NODE_FAULT] as number)} in ${groupText(words, base, launch)}`,
    [L.ERROR_DEADLINE]: () =>
      `${kernel} was stopped: it ran longer than its deadline of ${words[base + L.NODE_LIMIT] as number} ms`,
    [L.ERROR_DEPENDENCY]: () => "something that this work waits for has failed",
    [L.ERROR_CODE]: () => `the code of ${kernel} could not be loaded: the executable was destroyed, or memory is short`,
    [L.ERROR_HOST]: () => `a command of the host thread failed: ${detail}`,
    [L.ERROR_WORKER]: () => `the thread that ran ${kernel} ended`,
    [L.ERROR_CLOSED]: () => "the device was closed",
    [L.ERROR_STRAY]: () => detail,
    [L.ERROR_LEFT]: () => `${kernel} stopped early without having been cancelled: it overwrote its own worker block`,
  };
  return text[code]?.() ?? `${kernel} failed`;
}

function groupText(words: Int32Array, base: number, launch: Launch | null): string {
  if (launch === null) return "its range";
  if (words[base + L.NODE_FAULT_HAS_GROUP] !== 0) {
    const [x, y, z] = [0, 1, 2].map((i) => (words[base + L.NODE_FAULT_GROUP + i] as number) >>> 0);
    return `group (${x}, ${y}, ${z})`;
  }
  const first = (words[base + L.NODE_FAULT_FIRST] as number) >>> 0;
  const end = (words[base + L.NODE_FAULT_END] as number) >>> 0;
  if (end === first + 1) return `group ${groupName(first, launch)}`;
  return `one of the groups ${groupName(first, launch)} to ${groupName(end - 1, launch)}`;
}

function groupName(linear: number, launch: Launch): string {
  const [nx, ny] = launch.count;
  const x = (linear % nx) + launch.first[0];
  const y = (Math.floor(linear / nx) % ny) + launch.first[1];
  const z = Math.floor(linear / nx / ny) + launch.first[2];
  return `(${x}, ${y}, ${z})`;
}
