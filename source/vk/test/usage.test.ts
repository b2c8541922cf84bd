// SPDX-License-Identifier: Apache-2.0
// Implicit valid usage, by the schema: each entry point is called with arguments of which one thing is wrong, for each
// parameter and each member of each structure. Nothing of such a call may be done, so the arguments are otherwise only
// of the right types.
import * as vulkan from "@muxkit/vulkan";
import { VulkanError } from "@muxkit/vulkan";
import { expect, test } from "vitest";

import { type FunctionNode, type MemberNode, functionsOf, readSchema } from "../tools/schema.ts";
import { objectsOf } from "./objects-of.ts";
import { device, newDevice } from "./rig.ts";

const schema = readSchema();
const structs = new Map(schema.struct.map((node) => [node.name, node]));
const enums = new Map(schema.enum.map((node) => [node.name, node]));
const flags = new Map(schema.flags.map((node) => [node.name, node]));
const handles = new Set(schema.handle.map(({ name }) => name));

/** Kinds whose objects belong to no device. */
const ABOVE: ReadonlySet<string> = new Set(["VkInstance", "VkPhysicalDevice", "VkDebugUtilsMessengerEXT"]);
const mine = objectsOf(device);
const other = newDevice();
const foreign = objectsOf(other);
const gone = objectsOf(newDevice());
for (const [kind, object] of gone) if (!ABOVE.has(kind)) object[Symbol.dispose]();

const PLAIN: Readonly<Record<string, unknown>> = {
  uint32_t: 0,
  int32_t: 0,
  size_t: 0,
  float: 0,
  uint64_t: 0n,
  VkDeviceSize: 0,
  VkDeviceAddress: 0,
  VkBool32: false,
  timeout: 0,
  string: "main",
  bytes: new Uint8Array(4),
  words: new Uint32Array(1),
  uuid: new Uint8Array(16),
  object: device,
  callback: () => false,
  any: 0,
};

/** A value of a type. */
function valueOf({ type, list }: MemberNode): unknown {
  const struct = structs.get(type);
  const one =
    struct === undefined
      ? handles.has(type)
        ? mine.get(type)
        : flags.has(type)
          ? flags.get(type)?.width === "64"
            ? 0n
            : 0
          : enums.has(type)
            ? Number(enums.get(type)?.value[0]?.value)
            : PLAIN[type]
      : Object.fromEntries(struct.member.map((member) => [member.name, valueOf(member)]));
  return list === "true" ? [one] : one;
}

/** A wrong value, where it is, and what the message says. */
interface Wrong {
  readonly what: string;
  readonly value: unknown;
  readonly message: RegExp;
}

/** Everything that can be wrong in a value of one element. */
function wrongOnes(member: MemberNode): readonly Wrong[] {
  const { type } = member;
  const struct = structs.get(type);
  if (struct !== undefined) {
    const right = valueOf({ name: "", type }) as Readonly<Record<string, unknown>>;
    const rows = struct.member.flatMap((own) =>
      wrongValues(own).map(({ what, value, message }) => ({
        what: `.${own.name}${what}`,
        value: { ...right, [own.name]: value },
        message,
      })),
    );
    const typed: readonly Wrong[] =
      struct.sType === undefined
        ? []
        : [
            { what: ".sType", value: { ...right, sType: 0x7fff_fff0 }, message: /sType is/u },
            { what: ".pNext", value: { ...right, pNext: { sType: 0x7fff_fff0 } }, message: /pNext\.sType is/u },
            { what: ".pNext", value: { ...right, pNext: 5 }, message: /must be a structure or null/u },
          ];
    return [{ what: " as a number", value: 3, message: new RegExp(`must be a ${type}`, "u") }, ...typed, ...rows];
  }
  if (handles.has(type))
    return [
      { what: " as text", value: "no object", message: new RegExp(`must be a ${type}`, "u") },
      ...(ABOVE.has(type) ? [] : [{ what: " destroyed", value: gone.get(type), message: /has been destroyed/u }]),
    ];
  if (enums.has(type)) return [{ what: " unknown", value: 0x7fff_fff0, message: new RegExp(`no ${type}`, "u") }];
  if (flags.has(type)) {
    const isWide = flags.get(type)?.width === "64";
    return [
      { what: " as text", value: "bits", message: new RegExp(`of ${type}`, "u") },
      { what: " with unknown bits", value: isWide ? 1n << 60n : 2 ** 31, message: /does not have/u },
    ];
  }
  if (type === "any") return [];
  return [{ what: " as an object", value: {}, message: /must be/u }];
}

/** Types of which null stands for nothing. */
const mayBeNull = (type: string): boolean =>
  handles.has(type) || structs.has(type) || type === "string" || type === "any";

function wrongValues(member: MemberNode): readonly Wrong[] {
  const isNullable = member.list !== "true" && mayBeNull(member.type);
  const absent: readonly Wrong[] = isNullable ? [] : [{ what: " null", value: null, message: /is null; leave/u }];
  const missing: readonly Wrong[] =
    member.optional === "true" ? absent : [{ what: " missing", value: undefined, message: /is missing/u }];
  const wrong = wrongOnes(member);
  if (member.list !== "true") return [...missing, ...wrong];
  return [
    ...missing,
    { what: " as a number", value: 3, message: /must be an array/u },
    ...wrong.map((one) => ({ ...one, what: `[0]${one.what}`, value: [one.value] })),
  ];
}

/** Calls an entry point by its name. */
function callOf(name: string): (...parameters: readonly unknown[]) => unknown {
  const call: unknown = Reflect.get(vulkan, name);
  if (typeof call !== "function") throw new Error(`${name} is no function`);
  return call as (...parameters: readonly unknown[]) => unknown;
}

/** A call of which one thing is wrong. */
interface Case extends Wrong {
  readonly title: string;
  readonly fn: FunctionNode;
  /** The number of the parameter. */
  readonly at: number;
}

/** What each parameter can have that is wrong, objects of another device besides. */
const CASES: readonly Case[] = functionsOf(schema).flatMap((fn) =>
  fn.param.flatMap((param, at) => {
    const { name, type, list } = param;
    const object = foreign.get(type);
    const isForeign = handles.has(type) && !ABOVE.has(type) && at > 0;
    const strangers: readonly Wrong[] = isForeign
      ? [{ what: " of another device", value: list === "true" ? [object] : object, message: /of another device/u }]
      : [];
    return [...wrongValues(param), ...strangers].map((wrong) => ({
      ...wrong,
      title: `${fn.name}: ${name}${wrong.what}`,
      fn,
      at,
    }));
  }),
);

/** What a call throws. */
function thrownBy({ fn, at, value }: Case): unknown {
  const parameters = fn.param.map(valueOf);
  parameters[at] = value;
  try {
    return callOf(fn.name)(...parameters);
  } catch (error) {
    return error;
  }
}

test.each(CASES)("$title", (one) => {
  const error = thrownBy(one);
  const { fn, at, message } = one;
  expect(error).toBeInstanceOf(VulkanError);
  expect(error).toMatchObject({
    name: "VK_ERROR_VALIDATION_FAILED_EXT",
    call: fn.name,
    message: expect.stringMatching(message),
    rule: `VUID-${fn.name}-${fn.param[at]?.name ?? ""}-parameter`,
  });
});
