// SPDX-License-Identifier: Apache-2.0
// Wrong values for a single parameter, by the rule that they break: the same for every entry point.
import { type MuxAllocatorInfo, type MuxCommandBuffer, MuxResult, muxResetCommandBuffer } from "@muxkit/mux";

import type { ParameterRules } from "./entry-point-rules.ts";
import { type ObjectType, type World, must } from "./world.ts";

/** A value that is wrong. */
export interface WrongValue {
  /** What is wrong, for people. */
  readonly name: string;
  /** Makes the value from the right one and the whole right call; null: there is none of this kind here. */
  readonly make: (
    world: World,
    right: unknown,
    call: readonly unknown[],
  ) => { readonly value: unknown; readonly end?: () => void } | null;
  /** The answer; an invalid value when it is left out. */
  readonly code?: MuxResult;
}

const wrong = (name: string, value: unknown): WrongValue => ({ name, make: () => ({ value }) });

/** Type of a parameter without `| null`. */
function objectType({ type }: ParameterRules): ObjectType {
  return type.split(" ")[0] as ObjectType;
}

type ByParameter = (parameter: ParameterRules) => readonly WrongValue[];

const inFlight = (pick: "commandBuffer" | "fence" | "semaphore"): WrongValue => ({
  name: "in flight",
  make: (world) => {
    const flight = world.inFlight();
    return { value: flight[pick], end: flight.release };
  },
});

const ofAnotherDevice = (parameter: ParameterRules): WrongValue => ({
  name: "of another device",
  make: ({ other }) => ({ value: other.object(objectType(parameter)) }),
});

/** Wrong values by rule; a rule may have a detail after a colon. */
export const RULE_ERRORS: Readonly<Record<string, ByParameter>> = {
  handle: (parameter) => [
    wrong("null", null),
    {
      name: "an object of another kind",
      make: (world) => ({ value: objectType(parameter) === "MuxFence" ? world.semaphore() : world.fence() }),
    },
    {
      name: "destroyed",
      make: (world) => {
        const value = world.destroyed(objectType(parameter));
        return value === null ? null : { value };
      },
    },
    ...(parameter.type === "MuxDevice"
      ? []
      : [
          {
            name: "of a device that was destroyed",
            make: (world: World) =>
              parameter.type === "MuxImage" && !world.info.imageSupport
                ? null
                : { value: world.abandoned(objectType(parameter)) },
          },
        ]),
  ],
  device: (parameter) => [ofAnotherDevice(parameter)],
  queueDevice: (parameter) => [ofAnotherDevice(parameter)],
  reachable: (parameter) => [ofAnotherDevice(parameter)],
  positive: () => [
    wrong("0", 0),
    wrong("negative", -1),
    wrong("no whole number", 1.5),
    wrong("too large to count", 2 ** 53),
  ],
  count: () => [wrong("negative", -1), wrong("no whole number", 0.5), wrong("no number", Number.NaN)],
  name: () => [wrong("empty", "")],
  list: () => [wrong("null", null)],
  callback: () => [wrong("null", null), wrong("something else", {})],
  optionalCallback: () => [wrong("something else", {})],
  report: () => [wrong("without a callback", {})],
  alignment: () => [wrong("no power of two", 3)],
  flags: ({ rules }) => [
    wrong("no bit", 0),
    ...(rules.includes("flags") || rules.includes("flags:MuxDeviceType") ? [] : [wrong("an unknown bit", 1 << 30)]),
    wrong("more than 32 bits", 2 ** 40),
  ],
  enum: () => [wrong("an unknown value", 0x7fff_fff0)],
  queueType: () => [wrong("an unknown value", 7)],
  bytes: () => [wrong("empty", new Uint8Array(0)), wrong("null", null)],
  nonempty: () => [wrong("empty", [])],
  allocator: () => [
    {
      name: "without allocate",
      make: () => ({ value: { free: () => undefined } }),
      code: MuxResult.error_null_allocator_callback,
    },
    {
      name: "without free",
      make: () => ({ value: { allocate: () => true } }),
      code: MuxResult.error_null_allocator_callback,
    },
    { name: "null", make: () => ({ value: null }), code: MuxResult.error_null_allocator_callback },
  ],
  recording: () => [{ name: "finalized", make: (world) => ({ value: world.finalized() }) }],
  finalized: () => [{ name: "still recording", make: (world) => ({ value: world.commandBuffer() }) }],
  idle: ({ type }) => [
    inFlight(type === "MuxFence" ? "fence" : type === "MuxSemaphore" ? "semaphore" : "commandBuffer"),
  ],
  bound: (parameter) => [
    {
      name: "not bound",
      make: (world) => ({ value: objectType(parameter) === "MuxImage" ? world.unboundImage() : world.unboundBuffer() }),
    },
    {
      name: "bound to memory that was freed",
      make: (world) => (objectType(parameter) === "MuxImage" ? null : { value: world.orphan() }),
    },
  ],
  syncs: () => [
    { name: "of another command buffer", make: (world) => ({ value: [world.syncPoint(world.commandBuffer())] }) },
    {
      name: "of an earlier recording",
      make: (world, _right, call) => {
        const commands = call[0] as MuxCommandBuffer;
        const early = world.syncPoint(commands);
        must(muxResetCommandBuffer(commands));
        return { value: [early] };
      },
    },
    wrong("something else", [{}]),
    wrong("null", null),
  ],
  handles: () => [
    { name: "of another device", make: ({ other }) => ({ value: [other.semaphore()] }) },
    wrong("null", null),
    { name: "a destroyed one", make: (world) => ({ value: [world.destroyed("MuxSemaphore")] }) },
    {
      name: "one twice",
      make: (world) => {
        const semaphore = world.semaphore();
        return { value: [semaphore, semaphore] };
      },
    },
  ],
  launches: () => [
    { name: "of another device", make: ({ other }) => ({ value: [other.object("MuxLaunch")] }) },
    {
      name: "a destroyed one",
      make: (world) => ({ value: [world.object("MuxLaunch"), world.destroyed("MuxLaunch")] }),
    },
    { name: "an object of another kind", make: (world) => ({ value: [world.kernel()] }) },
    wrong("null", null),
  ],
  fence: (parameter) => [
    ofAnotherDevice(parameter),
    { name: "destroyed", make: (world) => ({ value: world.destroyed("MuxFence") }) },
    inFlight("fence"),
  ],
  timeout: () => [wrong("negative", -1), wrong("no number", Number.NaN)],
  offset3: () => [
    wrong("negative", { x: -1, y: 0, z: 0 }),
    wrong("no whole number", { x: 0, y: 0.5, z: 0 }),
    wrong("null", null),
  ],
  extent3: () => [
    wrong("an empty side", { x: 1, y: 0, z: 1 }),
    wrong("negative", { x: 1, y: 1, z: -1 }),
    wrong("null", null),
  ],
};

/** What is right nowhere, whatever the parameter: a program without types can pass it, and must get an error. */
const NOWHERE_RIGHT: readonly (readonly [name: string, value: unknown])[] = [
  ["undefined", undefined],
  ["an empty object", {}],
  ["a fraction", -1.5],
  ["a text", "?"],
  ["a bigint", 1n],
  ["a list of nothing", [null]],
];

/** Values of wrong types for a parameter. */
export function wrongTypes({ type, rules }: ParameterRules): readonly WrongValue[] {
  const more = type.endsWith("| null") ? [] : [wrong("null", null)];
  return [
    ...NOWHERE_RIGHT.filter(([, value]) => !(typeof value === "string" && rules.includes("name"))).map(
      ([name, value]) => wrong(name, value),
    ),
    ...more,
  ];
}

/** An allocator that refuses: every call that makes an object has to stop. */
export const REFUSING: MuxAllocatorInfo = { allocate: () => false, free: () => undefined };
