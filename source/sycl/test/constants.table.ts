// SPDX-License-Identifier: Apache-2.0
// Specialization constants: values in texts, in SPIR-V, as arguments of kernels, in linked and joined modules.
import {
  Buffer,
  type ExecutableModule,
  type InputModule,
  type KernelArgument,
  Queue,
  SpecConstant,
  SpecConstantId,
  type SpecConstantType,
  type SpecConstantValue,
  build,
  compile,
  createProgramWithBinary,
  createProgramWithIL,
  createWithSource,
  join,
  link,
  property,
  range,
  setSpecConstant,
} from "@muxkit/sycl";

import { type ErrorRow, ONE, type Row, context, expect, outcome, queue } from "./rig.ts";
import { spirv } from "./spirv.ts";

const SIZE = new SpecConstantId("SIZE", "int", 5);
const OTHER = new SpecConstantId("OTHER", "int", 100);
const IN_SPIRV = new SpecConstantId("value", "uint", 5, { specId: 3 });

/** A kernel whose constant is a macro, or its last argument. */
const TEXT = `
#ifdef __MUXKIT_CONSTANTS_AS_ARGUMENTS__
kernel void f(global int* x, int SIZE) {
#else
#ifndef SIZE
#define SIZE 5
#endif
kernel void f(global int* x) {
#endif
  x[get_global_id(0)] = SIZE;
}`;
const text = (source: string = TEXT, specConstants: readonly SpecConstantId[] = [SIZE]): InputModule =>
  createWithSource(context, source, { specConstants });

const four = (value: number): readonly number[] => [value, value, value, value];

/** Values of each type, and the int that a kernel makes of them. */
const TYPES: readonly (readonly [type: SpecConstantType, value: SpecConstantValue, expression: string, result: number])[] = [
  ["bool", true, "V ? 7 : 8", 7],
  ["bool", false, "V ? 7 : 8", 8],
  ["char", -128, "V", -128],
  ["uchar", 255, "V", 255],
  ["short", -32_768, "V", -32_768],
  ["ushort", 65_535, "V", 65_535],
  ["int", -2_147_483_648, "V", -2_147_483_648],
  ["uint", 4_294_967_295, "(int)(V >> 1)", 2_147_483_647],
  ["long", -(2n ** 40n), "(int)(V >> 38)", -4],
  ["ulong", 2n ** 63n, "(int)(V >> 60)", 8],
  ["float", 0.1, "(int)(V * 1000.0f)", 100],
  ["float", -2, "(int)(V * 2.0f)", -4],
  ["float", 1e30, "V > 1e29f", 1],
  ["float", Infinity, "isinf(V)", 1],
  ["float", NaN, "isnan(V)", 1],
  ["double", 1e300, "V > 1e299", 1],
];

const TYPE_ROWS: readonly Row[] = TYPES.map(([type, value, expression, result]) => ({
  id: `constants/type-${type}-${String(value)}`,
  what: `a constant of type ${type} is ${String(value)} in a text`,
  run: () => {
    const constant = new SpecConstantId("V", type, value);
    const module = text(`kernel void f(global int* x) { x[get_global_id(0)] = ${expression}; }`, [constant]);
    module.setSpecConstant(constant, value);
    expect(outcome(build(module))).toEqual(four(result));
  },
}));

const ZEROS: readonly (readonly [SpecConstantType, SpecConstantValue])[] = [
  ["int", 0],
  ["float", 0],
  ["bool", false],
  ["long", 0n],
];

/** A built module without values, whose kernels take constants as arguments. */
const asArguments = (): ExecutableModule => build(text(), property.constantsAsArguments());

/** All rows. */
export const CONSTANT_ROWS: readonly Row[] = [
  ...TYPE_ROWS,
  {
    id: "constants/has",
    what: "a module with constants says so, in every state",
    run: () => {
      const module = text();
      expect(module.hasSpecConstant()).toBe(true);
      expect(compile(module).hasSpecConstant()).toBe(true);
      expect(build(module).hasSpecConstant()).toBe(true);
      expect(createWithSource(context, ONE).hasSpecConstant()).toBe(false);
    },
  },
  {
    id: "constants/default",
    what: "without a value the default is used",
    run: () => {
      expect(outcome(build(text()))).toEqual(four(5));
    },
  },
  ...ZEROS.map(([type, zero]) => ({
    id: `constants/zero-${type}`,
    what: `without a default a constant of type ${type} is zero, as C++ initialises it`,
    run: () => {
      expect(new SpecConstantId("Z", type).defaultValue).toBe(zero);
    },
  })),
  {
    id: "constants/set",
    what: "a value that is set is in what is built",
    run: () => {
      const module = text();
      module.setSpecConstant(SIZE, 9);
      expect(outcome(build(module))).toEqual(four(9));
    },
  },
  {
    id: "constants/binding",
    what: "setting a value returns an immutable binding with the value",
    run: () => {
      const module = text();
      const bound = module.setSpecConstant(SIZE, 9);
      module.setSpecConstant(SIZE, 10);
      expect(bound).toBeInstanceOf(SpecConstant);
      expect([bound.get(), Number(bound), bound.id]).toEqual([9, 9, SIZE]);
    },
  },
  {
    id: "constants/conversion",
    what: "a constant is read by get, and converted where an operator asks",
    run: () => {
      const bound = text().setSpecConstant(SIZE, 9);
      expect(bound.get() + 1).toBe(10);
      expect((bound as unknown as number) + 1).toBe(10);
    },
  },
  {
    id: "constants/again",
    what: "the same input module is built for several values",
    run: () => {
      const module = text();
      const built = [1, 2, 3].map((value) => {
        module.setSpecConstant(SIZE, value);
        return build(module);
      });
      expect(built.map((one) => outcome(one)[0])).toEqual([1, 2, 3]);
    },
  },
  {
    id: "constants/compile",
    what: "compile takes the values too",
    run: () => {
      const module = text();
      module.setSpecConstant(SIZE, 11);
      expect(outcome(link([compile(module)]))).toEqual(four(11));
    },
  },
  {
    id: "constants/spirv",
    what: "SPIR-V takes a value by its SpecId",
    run: () => {
      const module = createProgramWithIL(context, spirv("constants"), { specConstants: [IN_SPIRV] });
      expect(outcome(build(module))).toEqual(four(5));
      module.setSpecConstant(IN_SPIRV, 12);
      expect(outcome(build(module))).toEqual(four(12));
    },
  },
  {
    id: "constants/not-all-images",
    what: "not every image of a module takes values: one that does is used",
    run: () => {
      const binary = createProgramWithBinary(context, build(text()).images[0]?.bytes ?? new Uint8Array(0), { specConstants: [SIZE] });
      const module = join([binary, text()]);
      expect([...module].map((image) => image.supportsSpecConstants)).toEqual([false, true]);
      expect(outcome(build(module))).toEqual(four(5));
      module.setSpecConstant(SIZE, 13);
      expect(outcome(build(module))).toEqual(four(13));
    },
  },
  {
    id: "constants/executable",
    what: "a value set in an executable module makes code for it, at the next launch",
    run: () => {
      const module = build(text());
      expect(outcome(module)).toEqual(four(5));
      setSpecConstant(module, SIZE, 21);
      expect(outcome(module)).toEqual(four(21));
      setSpecConstant(module, SIZE, 5);
      expect(outcome(module)).toEqual(four(5));
    },
  },
  {
    id: "constants/executable-spirv",
    what: "the same of SPIR-V, which stays a part of the module",
    run: () => {
      const module = build(createProgramWithIL(context, spirv("constants"), { specConstants: [IN_SPIRV] }));
      setSpecConstant(module, IN_SPIRV, 22);
      expect(outcome(module)).toEqual(four(22));
    },
  },
  {
    id: "constants/argument",
    what: "where code cannot be made for a value, it is an argument of the kernel",
    run: () => {
      const module = asArguments();
      expect(module.images[0]?.constantsAreArguments).toBe(true);
      expect(outcome(module)).toEqual(four(5));
      setSpecConstant(module, SIZE, 31);
      expect(outcome(module)).toEqual(four(31));
    },
  },
  {
    id: "constants/argument-binary",
    what: "an executable that was saved takes values as arguments, without a compiler",
    run: () => {
      const bytes = asArguments().images[0]?.bytes ?? new Uint8Array(0);
      const module = createProgramWithBinary(context, bytes, { specConstants: [SIZE], constantsAreArguments: true });
      module.setSpecConstant(SIZE, 32);
      expect(outcome(build(module))).toEqual(four(32));
    },
  },
  {
    id: "constants/argument-count",
    what: "the program passes the same arguments either way",
    run: () => {
      expect(asArguments().getKernel("f").getInfo("num_args")).toBe(1);
      expect(build(text()).getKernel("f").getInfo("num_args")).toBe(1);
    },
  },
  {
    id: "constants/link-union",
    what: "a link keeps the constants of all modules, with their values",
    run: () => {
      const left = text();
      const right = text("#ifndef OTHER\n#define OTHER 100\n#endif\nkernel void g(global int* x) { x[get_global_id(0)] = OTHER; }", [OTHER]);
      left.setSpecConstant(SIZE, 41);
      right.setSpecConstant(OTHER, 42);
      const module = link([compile(left), compile(right)]);
      expect(module.constants).toEqual([SIZE, OTHER]);
      expect([module.getSpecConstant(SIZE).get(), module.getSpecConstant(OTHER).get()]).toEqual([41, 42]);
      expect([outcome(module, "f"), outcome(module, "g")]).toEqual([four(41), four(42)]);
    },
  },
  {
    id: "constants/link-intersection",
    what: "a constant that two linked modules have is there once; its value is that of one of them",
    run: () => {
      const left = text();
      const right = text("kernel void g(global int* x) { x[get_global_id(0)] = 0; }", [SIZE]);
      left.setSpecConstant(SIZE, 1);
      right.setSpecConstant(SIZE, 2);
      const module = link([compile(left), compile(right)]);
      expect(module.constants).toEqual([SIZE]);
      expect([1, 2]).toContain(module.getSpecConstant(SIZE).get());
    },
  },
  {
    id: "constants/handler",
    what: "a handler has the value of the module that its group uses",
    run: () => {
      const module = build(text());
      setSpecConstant(module, SIZE, 51);
      const seen: number[] = [];
      queue
        .submit((handler) => {
          seen.push(handler.getSpecConstant(SIZE).get());
          handler.useModule(module);
          seen.push(handler.getSpecConstant(SIZE).get());
        })
        .wait();
      expect(seen).toEqual([5, 51]);
    },
  },
  {
    id: "constants/module-not-placeholder",
    what: "the value is that of the module, not of the object that stands for it",
    run: () => {
      const [left, right] = [build(text()), build(text())];
      const bound = setSpecConstant(left, SIZE, 61);
      setSpecConstant(right, SIZE, 62);
      expect([outcome(left)[0], outcome(right)[0]]).toEqual([61, 62]);
      expect(bound.get()).toBe(61);
    },
  },
  {
    id: "constants/two-launches",
    what: "launches that are under way keep the value that they were submitted with",
    run: () => {
      const module = asArguments();
      const on = new Queue({ context, inOrder: true });
      const results = [1, 2, 3].map((value) => {
        setSpecConstant(module, SIZE, value);
        return outcome(module, "f", on)[0];
      });
      expect(results).toEqual([1, 2, 3]);
    },
  },
  {
    id: "constants/as-value",
    what: "a constant may be passed for a value",
    run: () => {
      const module = build(createWithSource(context, "kernel void f(global int* x, int v) { x[get_global_id(0)] = v; }"));
      const results = new Int32Array(4);
      const bound = text().setSpecConstant(SIZE, 71);
      runOn(module, results, bound);
      expect([...results]).toEqual(four(71));
    },
  },
];

function runOn(module: ExecutableModule, results: Int32Array, value: KernelArgument): void {
  using buffer = new Buffer(results);
  queue.submit((handler) => {
    handler.parallelFor(range(results.length), module.getKernel("f"), buffer.getAccess(handler, "write"), value);
  });
}

/** Values that types do not have. */
const WRONG: readonly (readonly [type: SpecConstantType, value: unknown, message: RegExp])[] = [
  ["char", 128, /from -128 to 127/u],
  ["uchar", -1, /from 0 to 255/u],
  ["short", 32_768, /from -32768 to 32767/u],
  ["ushort", 65_536, /from 0 to 65535/u],
  ["int", 2 ** 31, /from -2147483648 to 2147483647/u],
  ["uint", -1, /from 0 to 4294967295/u],
  ["long", 2n ** 63n, /cannot be 9223372036854775808/u],
  ["ulong", -1n, /from 0/u],
  ["int", 1.5, /cannot be 1\.5/u],
  ["int", "5", /cannot be a string/u],
  ["float", null, /cannot be a object/u],
  ["bool", 2, /from 0 to 1/u],
];

/** All errors. */
export const CONSTANT_ERRORS: readonly ErrorRow[] = [
  ...WRONG.map(([type, value, message]) => ({
    id: `errors/constant-value-${type}-${String(value)}`,
    what: `a constant of type ${type} is set to ${String(value)}`,
    code: "invalid",
    message,
    run: () => {
      const constant = new SpecConstantId("V", type);
      return text(ONE, [constant]).setSpecConstant(constant, value as number);
    },
  })),
  {
    id: "errors/constant-name",
    what: "a constant whose name is no identifier",
    code: "invalid",
    message: /"a b" is not an identifier/u,
    run: () => new SpecConstantId("a b", "int"),
  },
  {
    id: "errors/constant-type",
    what: "a constant of an unknown type",
    code: "invalid",
    message: /"quad" is not a type/u,
    run: () => new SpecConstantId("q", "quad" as "int"),
  },
  {
    id: "errors/constant-default",
    what: "a default that is none of the type",
    code: "invalid",
    message: /cannot be 300/u,
    run: () => new SpecConstantId("q", "uchar", 300),
  },
  {
    id: "errors/constant-foreign",
    what: "a constant that the module does not have",
    code: "invalid",
    message: /no specialization constant OTHER; it has SIZE/u,
    run: () => text().setSpecConstant(OTHER, 1),
  },
  {
    id: "errors/constant-none",
    what: "a constant in a module without any",
    code: "invalid",
    message: /it has none/u,
    run: () => createWithSource(context, ONE).setSpecConstant(SIZE, 1),
  },
  {
    id: "errors/constant-get-foreign",
    what: "the value of a constant that the module does not have",
    code: "invalid",
    message: /no specialization constant OTHER/u,
    run: () => text().getSpecConstant(OTHER),
  },
  {
    id: "errors/constant-spirv-id",
    what: "a constant without a SpecId for SPIR-V",
    code: "invalid",
    message: /SIZE has no specId/u,
    run: () => createProgramWithIL(context, spirv("constants"), { specConstants: [SIZE] }),
  },
  {
    id: "errors/constant-fixed",
    what: "a value for code that takes none",
    code: "feature_not_supported",
    message: /takes no values|no image of the module takes a value/u,
    run: () => {
      const bytes = build(text()).images[0]?.bytes ?? new Uint8Array(0);
      const module = createProgramWithBinary(context, bytes, { specConstants: [SIZE] });
      module.setSpecConstant(SIZE, 1);
      return build(module);
    },
  },
  {
    id: "errors/constant-executable-fixed",
    what: "a value for an executable module whose images take none",
    code: "feature_not_supported",
    message: /no image of the module takes a value of SIZE/u,
    run: () => setSpecConstant(link([compile(text())]), SIZE, 3),
  },
  {
    id: "errors/constant-executable-state",
    what: "a value for an input module by the function for executable ones",
    name: "invalid_object",
    code: "invalid",
    message: /an executable module is needed/u,
    run: () => setSpecConstant(text() as unknown as ExecutableModule, SIZE, 3),
  },
  {
    id: "errors/constant-handler-foreign",
    what: "the value of a constant that the module in use does not have",
    code: "invalid",
    message: /no specialization constant OTHER/u,
    run: () =>
      queue.submit((handler) => {
        handler.useModule(build(text()));
        handler.getSpecConstant(OTHER);
      }),
  },
];
