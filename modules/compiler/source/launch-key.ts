// SPDX-License-Identifier: Apache-2.0
// The known facts of a launch as a key: launches with the same key can share code.
import type { ArgumentFact } from "@muxkit/kernel-abi";

import type { LaunchFacts } from "./interfaces.ts";

function factKey(fact: ArgumentFact | null): string {
  if (fact === null) return "";
  return fact.kind === "sampler" ? `s${fact.bits}` : `i${fact.order}.${fact.channelType}.${fact.view ?? ""}`;
}

/** The key of a launch for a compiler that uses all facts. @public */
export function launchKey({ localSize, uniformGroups, zeroOffset, arguments: facts = [] }: LaunchFacts): string {
  return `${localSize.join("x")}${uniformGroups ? "u" : ""}${zeroOffset ? "z" : ""} ${facts.map(factKey).join(",")}`;
}

/** The part of the facts that holds for any local size. @public */
export function argumentFacts({ arguments: known = [] }: LaunchFacts): LaunchFacts {
  return { localSize: [0, 0, 0], uniformGroups: false, zeroOffset: false, arguments: known };
}

/** True where the format of an image or a sampler is known. @public */
export function knowsArguments({ arguments: known }: LaunchFacts): boolean {
  return known?.some((fact) => fact !== null) === true;
}
