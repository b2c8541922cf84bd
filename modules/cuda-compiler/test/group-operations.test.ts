// SPDX-License-Identifier: Apache-2.0
// Group operations, lowered to what warps have, give the bits of the operations themselves, also where work-items have
// returned, and in groups that no warp fills.
import { describeInterpreterError, interpretCopies } from "@muxkit/interpreter";
import { type Module, describeParseError, parseModule, verifyModule } from "@muxkit/ir";
import { EMPTY_CONTEXT } from "@muxkit/passes";
import { describe, expect, test } from "vitest";

import { LOWER_GROUP_OPERATIONS } from "../source/lower-group-operations.ts";

/** A kernel in which the work-items whose numbers are 3 modulo 5 return first. */
function kernelOf(type: string, bytes: number, operation: string, returns: boolean): Module {
  const text = `module "m" pointers 8 8 8 8 8 size_t 64

kernel @k(%in: ptr<global>, %out: ptr<global>) {
  argument "in" "${type}*" pointer global size 8 align 8
  argument "out" "${type}*" pointer global size 8 align 8
^entry:
  %id = local_linear_id: i64
  %p = address %in, %id {scale ${bytes}}: ptr<global>
  %x = load %p {align ${bytes}}: ${type}
  %number = trunc %id: i32
  %rest = urem %number, 5: i32
  %leaves = eq %rest, ${returns ? 3 : 7}: i32: i1
  cond_br %leaves, ^done, ^go
^go:
  ${operation}
  %q = address %out, %id {scale ${bytes}}: ptr<global>
  store %y, %q {align ${bytes}}
  br ^done
^done:
  ret
}
`;
  const parsed = parseModule(text);
  if (!parsed.ok) throw new Error(describeParseError(parsed.error));
  expect(verifyModule(parsed.value)).toEqual([]);
  return parsed.value;
}

function resultOf(module: Module, items: number, bytes: number): Uint8Array {
  const input = Uint8Array.from(
    { length: items * bytes },
    (_, i) => (i * 37 + 11 * (i >> 3)) & (bytes === 4 ? 0x3f : 0xff),
  );
  const done = interpretCopies(module, "k", {
    arguments: [
      { kind: "buffer", bytes: input },
      { kind: "buffer", bytes: new Uint8Array(items * bytes) },
    ],
    globalSize: [items],
    localSize: [items],
    subGroupSize: 32,
    stepLimit: 1e8,
  });
  if (!done.ok) throw new Error(describeInterpreterError(done.error));
  return done.value.buffers[1] ?? new Uint8Array(0);
}

const TYPES = [
  ["i32", 4],
  ["i64", 8],
  ["f32", 4],
] as const;

const OPERATIONS: readonly (readonly [
  name: string,
  kinds: readonly string[],
  write: (type: string, kind: string) => string,
])[] = [
  ["reduce", ["add", "smin"], (type, kind) => `%y = group_reduce %x {${kind}, SCOPE}: ${type}`],
  ["inclusive scan", ["add", "umax"], (type, kind) => `%y = group_scan_inclusive %x {${kind}, SCOPE}: ${type}`],
  ["exclusive scan", ["add", "and"], (type, kind) => `%y = group_scan_exclusive %x {${kind}, SCOPE}: ${type}`],
  ["broadcast", ["", ""], (type) => `%y = group_broadcast %x, 6: i32 {SCOPE}: ${type}`],
  ["broadcast of one that has returned", [""], (type) => `%y = group_broadcast %x, 8: i32 {SCOPE}: ${type}`],
];

const FLOAT_KINDS: Readonly<Record<string, string>> = { add: "fadd", smin: "fmin", umax: "fmax", and: "fmul" };

describe.each(["work_group", "sub_group"])("%s", (scope) => {
  describe.each(TYPES)("%s", (type, bytes) => {
    for (const [name, kinds, write] of OPERATIONS)
      for (const kind of new Set(kinds))
        test(`${name} ${kind}`, () => {
          const own = type === "f32" ? (FLOAT_KINDS[kind] ?? kind) : kind;
          for (const items of [1, 16, 45, 64])
            for (const returns of [false, true]) {
              const operation = write(type, own).replace("SCOPE", scope);
              const lowered = kernelOf(type, bytes, operation, returns);
              if (LOWER_GROUP_OPERATIONS.kind !== "module") throw new Error("it is a pass over modules");
              LOWER_GROUP_OPERATIONS.run(lowered, EMPTY_CONTEXT);
              expect(verifyModule(lowered)).toEqual([]);
              const expected = resultOf(kernelOf(type, bytes, operation, returns), items, bytes);
              expect([...resultOf(lowered, items, bytes)], `${items} work-items`).toEqual([...expected]);
            }
        });
  });
});
