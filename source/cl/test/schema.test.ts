// SPDX-License-Identifier: Apache-2.0
// What the schema declares of every entry point, tried on each: arguments in their order, and the error for one
// argument that is wrong while the others are right.
import type { ErrorName } from "@muxkit/opencl";
import { expect, test } from "vitest";

import {
  ARRAYS,
  CALLBACKS,
  ENTRY_POINTS,
  EXCLUSIVE_FLAGS,
  NUMBERS,
  OBJECTS,
  UNKNOWN_FLAGS,
} from "./generated/entry-points.ts";
import { expectError } from "./rig.ts";
import { FOREIGN, OF_ANOTHER_KIND, PIPE, RELEASED, VALID, callWith, entryPoint } from "./valid-calls.ts";

/** How messages of a call begin. */
function by(call: string): RegExp {
  return new RegExp(`^${call}: `, "u");
}

/** Names of the parameters, as the function declares them; where types were, Node leaves blanks. */
function parametersOf(call: string): readonly string[] {
  const text = entryPoint(call).toString();
  const list = text
    .slice(text.indexOf("(") + 1, text.search(/\)\s*\{/u))
    .trim()
    .replace(/,$/u, "");
  return list === ""
    ? []
    : list.split(/,\s*(?=\w+\s*(?:=|,|$))/u).map((part) => /^\w+/u.exec(part.trim())?.[0] ?? part);
}

test.each(ENTRY_POINTS)("%s takes the schema's arguments in their order", (call, names) => {
  expect(parametersOf(call)).toEqual(names);
});

/** Works before anything is made of the device, and here something is: own-extensions.test.ts shows it. */
const ON_NEW_DEVICES = "clSetThreadsMUXKIT";

test.each(ENTRY_POINTS.filter(([call, , refused]) => refused === null && call !== ON_NEW_DEVICES))(
  "%s works with arguments that are right",
  (call) => {
    expect(VALID[call]).toBeDefined();
    expect(() => entryPoint(call)(...(VALID[call]?.() ?? []))).not.toThrow();
  },
);

test.each(ENTRY_POINTS.filter(([, , refused]) => refused !== null))(
  "%s answers what the specification says where the feature is absent",
  (call, _names, refused) => {
    expectError(() => entryPoint(call)(...(VALID[call]?.() ?? [])), refused as ErrorName, by(call));
  },
);

/** Puts a value instead of an object, or of the first one of a list, whose elements may have it under a name. */
function placed(
  { isList, within }: { readonly isList: boolean; readonly within: string | null },
  value: unknown,
): (valid: unknown) => unknown {
  const element = within === null ? value : { name: "a name", [within]: value };
  return (valid) => (isList ? [element, ...(valid as readonly unknown[]).slice(1)] : element);
}

test.each(OBJECTS.filter(({ isOptional, isList }) => !isOptional || isList))(
  "$call: $invalid for null as $name",
  ({ call, index, invalid, ...shape }) => {
    expectError(() => callWith(call, index, placed(shape, null)), invalid, by(call));
  },
);

test.each(OBJECTS)(
  "$call: $invalid for an object of another kind as $name",
  ({ call, index, kind, invalid, ...shape }) => {
    expectError(() => callWith(call, index, placed(shape, OF_ANOTHER_KIND[kind])), invalid, by(call));
  },
);

test.each(OBJECTS.filter(({ kind }) => kind === "Buffer" || kind === "Image"))(
  "$call: $invalid for a pipe as $name",
  ({ call, index, invalid, ...shape }) => {
    expectError(() => callWith(call, index, placed(shape, PIPE)), invalid, by(call));
  },
);

test.each(OBJECTS.filter(({ kind }) => kind !== "Platform" && kind !== "MutableCommand"))(
  "$call: $invalid for an object that was released as $name",
  ({ call, index, kind, invalid, ...shape }) => {
    expectError(
      () => callWith(call, index, placed(shape, RELEASED[kind as keyof typeof RELEASED]())),
      invalid,
      by(call),
    );
  },
);

test.each(OBJECTS.filter(({ foreign }) => foreign !== null))(
  "$call: $foreign for what belongs to another context as $name",
  ({ call, index, kind, foreign, ...shape }) => {
    expect(FOREIGN[kind]).toBeDefined();
    expectError(() => callWith(call, index, placed(shape, FOREIGN[kind])), foreign as ErrorName, by(call));
  },
);

test.each(UNKNOWN_FLAGS)("$call: $error for a bit of $name that means nothing", ({ call, index, bit, error }) => {
  expectError(() => callWith(call, index, () => bit), error, by(call));
});

test.each(EXCLUSIVE_FLAGS)("$call: $error for $left with $right as $name", ({ call, index, bits, error }) => {
  expectError(() => callWith(call, index, () => bits), error, by(call));
});

/** Puts a number instead of one, or of the first of a list. */
const counted =
  (number: number) =>
  (valid: unknown): unknown =>
    Array.isArray(valid) ? [number, ...(valid.slice(1) as readonly number[])] : number;

test.each(NUMBERS)("$call: $error for a $name beyond everything there is", ({ call, index, error }) => {
  expectError(() => callWith(call, index, counted(2 ** 52)), error, by(call));
});

test.each(NUMBERS)("$call: $error for a negative $name", ({ call, index, error }) => {
  expectError(() => callWith(call, index, counted(-1)), error, by(call));
});

test.each(NUMBERS)("$call: $error for a $name that is not an integer", ({ call, index, error }) => {
  expectError(() => callWith(call, index, counted(0.5)), error, by(call));
});

test.each(NUMBERS.filter(({ zero }) => zero !== null))("$call: $zero for a $name of 0", ({ call, index, zero }) => {
  expectError(() => callWith(call, index, counted(0)), zero as ErrorName, by(call));
});

test.each(CALLBACKS)("$call: CL_INVALID_VALUE for no function as $name", ({ call, index }) => {
  expectError(() => callWith(call, index, () => null), "CL_INVALID_VALUE", by(call));
});

test.each(ARRAYS)("$call: CL_INVALID_VALUE for what is no typed array as $name", ({ call, index }) => {
  for (const none of [null, {}, [1, 2, 3]])
    expectError(() => callWith(call, index, () => none), "CL_INVALID_VALUE", by(call));
});

test.each(ARRAYS)("$call: CL_INVALID_VALUE for an array as $name that is too small", ({ call, index }) => {
  expectError(() => callWith(call, index, () => new Uint8Array(3)), "CL_INVALID_VALUE", by(call));
});
