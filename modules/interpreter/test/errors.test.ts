// SPDX-License-Identifier: Apache-2.0
// The errors of a run: each kind, with its message and source location; and that memory is as good as new afterwards.
import { Memory, interpretFunction, interpretKernel } from "@muxkit/interpreter";
import { I32, I64, LAYOUT_32, constantInt } from "@muxkit/ir";
import { expect, test } from "vitest";

import { buffer, failure, i32, kernelText, moduleOf, run, sentence, value } from "./kernels.ts";

const at = (body: string, parameters: readonly string[] = ["%p: ptr<global>"]): ReturnType<typeof moduleOf> =>
  moduleOf(kernelText(parameters, `^0:\n${body}`));
const one = { arguments: [buffer(i32(1, 2))], globalSize: [1] };

test("an out-of-bounds access names the instruction, source location and work-item", () => {
  const module = at(`  %i = global_id 0: i32
  %q = address %p, %i {scale 4}: ptr<global>
  %v = load %q {align 4}: i32 loc("k.cl":4:9 in "k")
  ret`);
  expect(sentence(module, { arguments: [buffer(i32(1, 2))], globalSize: [4], globalOffset: [0] })).toBe(
    "k.cl:4:9, @k, `%3 = load %2 {align 4}: i32`, work-item (2, 0, 0): reads 4 bytes at " +
      "byte 8 of buffer a0, which has 8",
  );
  const error = failure(module, { arguments: [{ kind: "null" }], globalSize: [1] });
  expect([error.kind, error.message, error.globalId, error.location?.line]).toEqual([
    "out-of-bounds",
    "reads 4 bytes at address 0, the null pointer",
    [0, 0, 0],
    4,
  ]);
});

test("running over an end does not hit the next object", () => {
  const module = at("  %q = address %p {offset 8}: ptr<global>\n  store 1: i32, %q {align 4}\n  ret", [
    "%p: ptr<global>",
    "%other: ptr<global>",
  ]);
  expect(failure(module, { arguments: [buffer(i32(0, 0)), buffer(i32(7))], globalSize: [1] }).message).toBe(
    "writes 4 bytes at byte 8 of buffer a0, which has 8",
  );
});

test("misaligned accesses are errors, unless they are allowed", () => {
  const module = at("  %q = address %p {offset 2}: ptr<global>\n  %v = load %q {align 4}: i32\n  ret");
  expect(failure(module, one).kind).toBe("misaligned");
  expect(run(module, { ...one, checkAlignment: false })).toBe(3);
});

test("constant memory is only read", () => {
  const module = moduleOf(
    `global @c: i32 constant align 4 = x"01000000"\n` +
      kernelText([], "^0:\n  %p = global_address @c: ptr<constant>\n  store 1: i32, %p {align 4}\n  ret"),
  );
  expect(failure(module, { arguments: [], globalSize: [1] })).toMatchObject({
    kind: "read-only",
    message: "writes @c, which is only read",
  });
});

const through = (space: string): string =>
  `  %q = addrspacecast %p: ptr<${space}>\n  %v = load %q {align 4}: i32\n  ret`;

test("a pointer to one space does not reach another; a generic one does", () => {
  expect(failure(at(through("local")), one)).toMatchObject({
    kind: "wrong-space",
    message: "reads buffer a0, which is global memory, through a pointer to local memory",
  });
  expect(run(at(through("generic")), one)).toBe(3);
  expect(run(at(through("constant")), one)).toBe(3);
});

test("a private variable ends with its function", () => {
  const module = moduleOf(`func @escape() -> ptr<private> {
^0:
  %v = alloca {i32, align 4}: ptr<private>
  ret %v
}
${kernelText(
  [],
  "^0:\n  %keep = alloca {i32, align 4}: ptr<private>\n  %p = call @escape: " +
    "ptr<private>\n  %v = load %p {align 4}: i32\n  ret",
)}`);
  expect(failure(module, { arguments: [], globalSize: [1] }).kind).toBe("out-of-bounds");
});

test("copies that overlap", () => {
  const module = at("  %q = address %p {offset 4}: ptr<global>\n  memory_copy %q, %p, 8: i32 {align 4}\n  ret");
  expect(failure(module, { arguments: [buffer(i32(1, 2, 3))], globalSize: [1] }).kind).toBe("overlap");
  expect(run(at("  memory_copy %p, %p, 8: i32 {align 4}\n  memory_fill %p, 0: i8, 0: i32 {align 4}\n  ret"), one)).toBe(
    3,
  );
});

test("work-items at different barriers", () => {
  const module = at(`  %id = local_id 0: i32
  %even = trunc %id: i1
  cond_br %even, ^1, ^2
^1:
  barrier {work_group, semantics 1}
  ret
^2:
  barrier {work_group, semantics 2}
  ret`);
  const error = failure(module, { arguments: [{ kind: "null" }], globalSize: [4], localSize: [4] });
  expect(error.kind).toBe("barrier-divergence");
  expect(error.message).toBe("work-item (0, 0, 0) of the group waits at this barrier, work-item (1, 0, 0) at another");
  expect(error.instruction).toBe("barrier {work_group, semantics 2}");
});

test("too much work", () => {
  const forever = at("  br ^1\n^1:\n  br ^1");
  expect(failure(forever, { ...one, stepLimit: 1000 })).toMatchObject({
    kind: "step-limit",
    message: "more than 1000 instructions were executed",
  });
  const deep = moduleOf("func @f(%n: i64) -> i64 {\n^0:\n  %m = call @f %n: i64\n  ret %m\n}");
  expect(interpretFunction(deep, "f", [constantInt(I64, 0)], { callDepth: 50 })).toMatchObject({
    ok: false,
    error: { kind: "call-depth" },
  });
});

test("what has no body", () => {
  const module = moduleOf(`func @elsewhere()\n${kernelText([], "^0:\n  call @elsewhere\n  ret")}`);
  expect(failure(module, { arguments: [], globalSize: [1] })).toMatchObject({
    kind: "undefined-function",
    message: "@elsewhere is declared, not defined",
  });
  const builtin = moduleOf(kernelText([], "^0:\n  %x = call_builtin sin(float4) splat(1.0): <4 x f32>\n  ret"));
  expect(failure(builtin, { arguments: [], globalSize: [1] })).toMatchObject({
    kind: "unresolved-builtin",
    message: "nothing defines sin(float4)",
  });
});

test("control where it does not come", () => {
  expect(failure(at("  unreachable"), one).kind).toBe("trap");
});

test("launches that do not fit", () => {
  const module = at("  ret", ["%p: ptr<global>", "%n: i32"]);
  const good = [buffer(i32(1)), value(i32(1))];
  const message = (launch: Parameters<typeof sentence>[1], name: string = "k"): string => {
    const result = interpretKernel(module, name, launch);
    return result.ok ? "no error" : `${result.error.kind}: ${result.error.message}`;
  };
  expect(message({ arguments: good, globalSize: [1] }, "other")).toBe("arguments: the module has no kernel @other");
  expect(message({ arguments: good.slice(1), globalSize: [1] })).toBe("arguments: @k takes 2 arguments, 1 were passed");
  expect(message({ arguments: good.toReversed(), globalSize: [1] })).toBe(
    "arguments: argument a0 is a pointer: it takes a buffer, local memory or null",
  );
  expect(message({ arguments: [buffer(i32(1)), buffer(i32(1))], globalSize: [1] })).toBe(
    "arguments: argument a1 is of type i32: it takes a value",
  );
  expect(message({ arguments: [buffer(i32(1)), value(i32(1, 2))], globalSize: [1] })).toBe(
    "arguments: argument a1 has 4 bytes, not 8",
  );
  expect(message({ arguments: [{ kind: "local", size: 4 }, value(i32(1))], globalSize: [1] })).toBe(
    "arguments: argument a0 takes a buffer or null",
  );
  expect(message({ arguments: [buffer(i32(1), 5), value(i32(1))], globalSize: [1] })).toBe(
    "arguments: argument a0 begins at byte 5 of a buffer of 4",
  );
  expect(message({ arguments: good, globalSize: [] })).toBe(
    "arguments: a global size is 1 to 3 positive numbers, not ()",
  );
  expect(message({ arguments: good, globalSize: [4, 0] })).toBe(
    "arguments: a global size is 1 to 3 positive numbers, not (4, 0)",
  );
  expect(message({ arguments: good, globalSize: [4], localSize: [2, 2] })).toBe(
    "arguments: a local size is up to 1 positive numbers, not (2, 2)",
  );
  expect(message({ arguments: good, globalSize: [4], globalOffset: [-1] })).toBe(
    "arguments: a global offset is up to 1 numbers of at least 0, not (-1)",
  );
  expect(message({ arguments: good, globalSize: [1e6], localSize: [1e6] })).toBe(
    "arguments: a work-group has at most 65536 work-items, not 1000000",
  );
  const required = moduleOf(kernelText([], "^0:\n  ret", " reqd_work_group_size(2, 1, 1)"));
  expect(failure(required, { arguments: [], globalSize: [4], localSize: [4] }).message).toBe(
    "@k requires work-groups of (2, 1, 1), not (4, 1, 1)",
  );
  const local = at("  ret", ["%p: ptr<local>"]);
  expect(failure(local, { arguments: [buffer(i32(1))], globalSize: [1] }).message).toBe(
    "argument a0 takes local memory",
  );
  expect(failure(local, { arguments: [{ kind: "local", size: -1 }], globalSize: [1] }).message).toBe(
    "argument a0 cannot have -1 bytes of local memory",
  );
});

test("functions that are called wrongly", () => {
  const module = moduleOf("func @f(%n: i64) -> i64 {\n^0:\n  ret %n\n}");
  const call = (name: string, ...operands: Parameters<typeof interpretFunction>[2]): unknown => {
    const result = interpretFunction(module, name, operands);
    return result.ok ? null : result.error.message;
  };
  expect([call("g"), call("f"), call("f", constantInt(I32, 1)), call("f", constantInt(I64, 1))]).toEqual([
    "the module has no function @g",
    "@f takes 1 operands, 0 were passed",
    "operand 0 of @f is of type i64, not i32",
    null,
  ]);
});

test("after an error the memory can be used again", () => {
  const memory = new Memory(LAYOUT_32);
  const module = moduleOf(
    `global @tile: [4 x i32] local align 4\n${kernelText(
      ["%p: ptr<global>", "%bad: i32"],
      `^0:
  %v = alloca {i32, align 4}: ptr<private>
  %t = global_address @tile: ptr<local>
  store 1: i32, %t {align 4}
  %q = address %p, %bad {scale 4}: ptr<global>
  store 5: i32, %q {align 4}
  ret`,
    )}`,
  );
  const bytes = i32(0);
  expect(
    interpretKernel(module, "k", { arguments: [buffer(bytes), value(i32(100))], globalSize: [1], memory }).ok,
  ).toBe(false);
  expect(interpretKernel(module, "k", { arguments: [buffer(bytes), value(i32(0))], globalSize: [1], memory }).ok).toBe(
    true,
  );
  expect([...bytes]).toEqual([5, 0, 0, 0]);
});
