// SPDX-License-Identifier: Apache-2.0
// Where a launch finds its kernel: kernels of modules, useModule with selectors, translated files and thisModule.
import {
  type Item,
  type TranslatedConstant,
  type TranslatedImage,
  type TranslatedUnit,
  int,
  long,
} from "@muxkit/kernel-library";
import {
  Buffer,
  Context,
  type DeviceImage,
  type ExecutableModule,
  type ModuleState,
  Queue,
  type Unit,
  build,
  compile,
  createWithSource,
  join,
  kernel as kernelOf,
  property,
  range,
  setSpecConstant,
  specConstant,
  thisModule,
  translationUnit,
  mallocShared,
} from "@muxkit/sycl";

import { type ErrorRow, ONE, type Row, context, expect, kernel, kernels, mallocInts, queue } from "./rig.ts";

const OPENCL_C = `
#ifdef __MUXKIT_CONSTANTS_AS_ARGUMENTS__
kernel void entry_fill(global int* x, int FILL) {
#else
#ifndef FILL
#define FILL 7
#endif
kernel void entry_fill(global int* x) {
#endif
  x[get_global_id(0)] = FILL;
}
kernel void entry_matrix(global int* m, uint columns, int add) {
  m[get_global_id(1) * columns + get_global_id(0)] = 10 * get_global_id(1) + get_global_id(0) + add;
}`;

const INT = { kind: "scalar", name: "int" } as const;
const FILL: TranslatedConstant = { name: "FILL", type: INT, value: 7, macro: "FILL" };

/** A file as a translator would write it. */
function file(part: Partial<TranslatedUnit> = {}): TranslatedUnit {
  return {
    name: "kernels.ts",
    openclC: OPENCL_C,
    options: "",
    specConstants: [FILL],
    kernels: [
      {
        name: "fill",
        entry: "entry_fill",
        item: "item",
        dimensions: 1,
        line: 3,
        parameters: [
          { kind: "accessor", name: "x", element: INT, dimensions: 1, access: "write" },
          { kind: "constant", name: "FILL", type: INT },
        ],
      },
      {
        name: "matrix",
        entry: "entry_matrix",
        item: "item",
        dimensions: 2,
        line: 9,
        parameters: [
          { kind: "accessor", name: "m", element: INT, dimensions: 2, access: "write" },
          { kind: "scalar", name: "add", type: INT },
        ],
      },
    ],
    ...part,
  };
}

const base64 = (bytes: Uint8Array): string => btoa(Array.from(bytes, (byte) => String.fromCodePoint(byte)).join(""));

const image = (format: TranslatedImage["format"], bytes: Uint8Array, constantsAreArguments = false): TranslatedImage => ({
  format,
  data: base64(bytes),
  constantsAreArguments,
});

const bytesOf = ({ images: [first] }: { readonly images: readonly DeviceImage[] }): Uint8Array => first?.bytes ?? new Uint8Array(0);

const source = (): ReturnType<typeof createWithSource> => createWithSource(context, OPENCL_C);
const executable = (): TranslatedImage => image("executable", bytesOf(build(source())));
const withArguments = (): TranslatedImage => image("executable", bytesOf(build(source(), property.constantsAsArguments())), true);
const object = (): TranslatedImage => image("ir", bytesOf(compile(source())));

/** What a unit's first kernel leaves in three elements. */
function filled(unit: Unit, module: ExecutableModule | null = null): readonly number[] {
  const out = new Int32Array(3);
  {
    using buffer = new Buffer(out);
    queue.submit((handler) => {
      if (module !== null) handler.useModule(module);
      handler.parallelFor(range(3), unit.kernel("fill"), buffer.getAccess(handler, "write"));
    });
  }
  return [...out];
}

/** Two ints by a module's first kernel. */
function run(module: ExecutableModule, selector: Parameters<import("@muxkit/sycl").Handler["useModule"]>[1] = null): readonly number[] {
  const pointer = mallocInts(2);
  queue
    .submit((handler) => {
      handler.useModule(module, selector);
      handler.parallelFor(range(2), "f", pointer);
    })
    .wait();
  return [...pointer.view(2)];
}

const numbered = (value: number): ExecutableModule =>
  build(createWithSource(context, `kernel void f(global int* x) { x[get_global_id(0)] = ${value}; }`));

/** The images that a file has, and the states in which there is a module then. */
const FILES: readonly (readonly [id: string, make: () => TranslatedUnit, states: readonly ModuleState[]])[] = [
  ["source", () => file(), ["input"]],
  ["object", () => file({ openclC: "", images: [object()] }), ["object"]],
  ["executable", () => file({ openclC: "", images: [executable()] }), ["executable"]],
  ["all", () => file({ images: [executable(), object()] }), ["input", "object", "executable"]],
  ["source-image", () => file({ openclC: "", images: [image("opencl-c", new TextEncoder().encode(OPENCL_C))] }), ["input"]],
  ["none", () => file({ openclC: "" }), []],
];

const STATES: readonly ModuleState[] = ["input", "object", "executable"];

/** All rows. */
export const DISPATCH_ROWS: readonly Row[] = [
  ...FILES.flatMap(([id, make, states]): readonly Row[] => [
    {
      id: `this-module/states-${id}`,
      what: `hasModuleIn tells in which states a file has a module (${id})`,
      run: () => {
        const { module } = translationUnit(make());
        expect(STATES.filter((state) => module.hasModuleIn(context, state))).toEqual(states);
        expect(module.hasAnyModule(context)).toBe(states.length > 0);
      },
    },
    {
      id: `this-module/get-${id}`,
      what: `get returns the images in the state that is asked for (${id})`,
      run: () => {
        const { module } = translationUnit(make());
        for (const state of STATES) {
          const found = module.get(context, state);
          expect(found.state).toBe(state);
          expect(found.getContext()).toBe(context);
          expect(found.isEmpty).toBe(!states.includes(state));
        }
      },
    },
    ...(states.length === 0
      ? []
      : [
          {
            id: `dispatch/steps-${id}`,
            what: `a launch finds the kernel of a file (${id})`,
            run: () => {
              const unit = translationUnit(make());
              expect(filled(unit)).toEqual([7, 7, 7]);
              expect(filled(unit)).toEqual([7, 7, 7]);
            },
          },
        ]),
  ]),
  {
    id: "this-module/same",
    what: "get returns the same module for the same context and state",
    run: () => {
      const { module } = translationUnit(file());
      expect(module.get(context, "input")).toBe(module.get(context, "input"));
    },
  },
  {
    id: "this-module/contexts",
    what: "modules of two contexts have images of the same kernels",
    run: () => {
      const { module } = translationUnit(file({ images: [executable()] }));
      const other = new Context();
      expect(module.get(other, "executable").getContext()).toBe(other);
      expect(module.get(other, "executable").getKernelNames()).toEqual(module.get(context, "executable").getKernelNames());
      expect(module.get(other, "executable")).not.toBe(module.get(context, "executable"));
      other[Symbol.dispose]();
    },
  },
  {
    id: "this-module/one-per-file",
    what: "each file has a module of its own, with all of its kernels",
    run: () => {
      const [left, right] = [translationUnit(file()), translationUnit(file())];
      expect(left.module.get(context, "input")).not.toBe(right.module.get(context, "input"));
      expect(build(left.module.get(context, "input")).getKernelNames()).toEqual(["entry_fill", "entry_matrix"]);
    },
  },
  {
    id: "this-module/listed",
    what: "the modules of files are among those of the context",
    run: () => {
      const { module } = translationUnit(file());
      const own = module.get(context, "input");
      expect(context.getModules("input")).toContain(own);
    },
  },
  {
    id: "dispatch/executable-first",
    what: "the executable module is taken where there is one: nothing is compiled",
    run: () => {
      const unit = translationUnit(file({ openclC: "no OpenCL C", images: [executable()] }));
      expect(filled(unit)).toEqual([7, 7, 7]);
    },
  },
  {
    id: "dispatch/object-second",
    what: "an object module is linked where there is no executable one",
    run: () => {
      const unit = translationUnit(file({ openclC: "no OpenCL C", images: [object()] }));
      expect(filled(unit)).toEqual([7, 7, 7]);
    },
  },
  {
    id: "dispatch/step-fails",
    what: "where a step fails the next one is taken",
    run: () => {
      const lacks = image("ir", bytesOf(compile(createWithSource(context, "int other(int i) { return i; }"))));
      expect(filled(translationUnit(file({ images: [lacks] })))).toEqual([7, 7, 7]);
    },
  },
  {
    id: "dispatch/executable-lacks",
    what: "an executable module without the kernel is passed over",
    run: () => {
      const other = image("executable", bytesOf(build(createWithSource(context, ONE))));
      expect(filled(translationUnit(file({ images: [other] })))).toEqual([7, 7, 7]);
    },
  },
  {
    id: "dispatch/kept",
    what: "what a launch has built is kept for the context",
    run: () => {
      const unit = translationUnit(file());
      filled(unit);
      const before = context.getModules("executable").length;
      filled(unit);
      expect(context.getModules("executable").length).toBe(before);
    },
  },
  {
    id: "dispatch/use-module",
    what: "useModule puts another module in the place of the file's",
    run: () => {
      const unit = translationUnit(file());
      const other = build(
        createWithSource(context, "kernel void entry_fill(global int* x) { x[get_global_id(0)] = 8; }"),
      );
      expect(filled(unit, other)).toEqual([8, 8, 8]);
      expect(filled(unit)).toEqual([7, 7, 7]);
    },
  },
  {
    id: "dispatch/use-module-name",
    what: "a kernel of the module in use is named by a string",
    run: () => {
      expect(run(numbered(4))).toEqual([4, 4]);
    },
  },
  {
    id: "dispatch/use-module-kernel",
    what: "a kernel object of the module in use is launched",
    run: () => {
      const module = numbered(5);
      const pointer = mallocInts(2);
      queue
        .submit((handler) => {
          handler.useModule(module);
          handler.parallelFor(range(2), module.getKernel("f"), pointer);
        })
        .wait();
      expect([...pointer.view(2)]).toEqual([5, 5]);
    },
  },
  {
    id: "dispatch/use-equal-module",
    what: "a kernel of an equal module is of the module in use",
    run: () => {
      const [left, right] = [numbered(6), numbered(6)];
      const pointer = mallocInts(2);
      queue
        .submit((handler) => {
          handler.useModule(left);
          handler.parallelFor(range(2), right.getKernel("f"), pointer);
        })
        .wait();
      expect([...pointer.view(2)]).toEqual([6, 6]);
    },
  },
  {
    id: "dispatch/kernel-object",
    what: "a kernel object is launched without useModule",
    run: () => {
      const pointer = mallocInts(1);
      queue.singleTask(kernel("one"), pointer).wait();
      expect(pointer.view(1)[0]).toBe(1);
    },
  },
  {
    id: "dispatch/selector",
    what: "a selector chooses the image of a joined module",
    run: () => {
      const [left, right] = [numbered(1), numbered(2)];
      const module = join([left, right]);
      expect(run(module)).toEqual([1, 1]);
      expect(run(module, (start) => start.next().image)).toEqual([2, 2]);
      expect(run(module, (start, end) => [...start].findLast(() => !start.equals(end)) ?? start.image)).toEqual([2, 2]);
    },
  },
  {
    id: "dispatch/selector-places",
    what: "a selector gets the place of the first image and that behind the last",
    run: () => {
      const module = join([numbered(1), numbered(2)]);
      const seen: number[] = [];
      run(module, (start, end) => {
        seen.push([...start].length, [...end].length);
        expect(start.next().next().equals(end)).toBe(true);
        return start.image;
      });
      expect(seen).toEqual([2, 0]);
    },
  },
  {
    id: "dispatch/selector-format",
    what: "a selector looks at what images are",
    run: () => {
      const plain = build(createWithSource(context, ONE));
      const module = join([plain, build(createWithSource(context, ONE), property.constantsAsArguments())]);
      const chosen: boolean[] = [];
      run(module, (start) => {
        const found = [...start].find((one) => one.constantsAreArguments) ?? start.image;
        chosen.push(found.constantsAreArguments);
        return found;
      });
      expect(chosen).toEqual([true]);
    },
  },
  {
    id: "dispatch/two-dimensions",
    what: "an accessor of two dimensions brings the columns along",
    run: () => {
      const unit = translationUnit(file());
      const out = new Int32Array(12);
      {
        using buffer = new Buffer(out, range(3, 4));
        queue.submit((handler) => {
          handler.parallelFor(range(3, 4), unit.kernel("matrix"), buffer.getAccess(handler, "write"), 5);
        });
      }
      expect([...out]).toEqual([5, 6, 7, 8, 15, 16, 17, 18, 25, 26, 27, 28]);
    },
  },
  {
    id: "dispatch/unit-constant",
    what: "a constant of a file is set in a module that is built of it",
    run: () => {
      const unit = translationUnit(file());
      const module = unit.module.get(context, "input");
      module.setSpecConstant(unit.specConstant("FILL"), 9);
      expect(filled(unit, build(module))).toEqual([9, 9, 9]);
    },
  },
  {
    id: "dispatch/unit-constant-argument",
    what: "where the file has only code, its constants are arguments",
    run: () => {
      const unit = translationUnit(file({ openclC: "", images: [withArguments()] }));
      expect(filled(unit)).toEqual([7, 7, 7]);
      setSpecConstant(unit.module.get(context, "executable"), unit.specConstant("FILL"), 12);
      expect(filled(unit)).toEqual([12, 12, 12]);
    },
  },
  {
    id: "dispatch/unit-types",
    what: "memory of each scalar is that of an array of it",
    run: () => {
      const arrays = {
        char: Int8Array,
        uchar: Uint8Array,
        short: Int16Array,
        ushort: Uint16Array,
        half: Uint16Array,
        int: Int32Array,
        uint: Uint32Array,
        long: BigInt64Array,
        ulong: BigUint64Array,
        float: Float32Array,
        double: Float64Array,
      };
      const taken = Object.entries(arrays).map(([name, type]) => {
        const [fill] = file().kernels;
        const element = { kind: "scalar", name: name as keyof typeof arrays } as const;
        const parameters = [{ kind: "accessor", name: "x", element, dimensions: 1, access: "write" } as const];
        const unit = translationUnit(file({ kernels: fill === undefined ? [] : [{ ...fill, parameters }] }));
        queue.parallelFor(range(3), unit.kernel("fill"), mallocShared(type as typeof Int32Array, 16, queue)).wait();
        return name;
      });
      expect(taken).toEqual(Object.keys(arrays));
    },
  },
  {
    id: "dispatch/run-on-host",
    what: "a kernel runs as a function of the host too",
    run: () => {
      const out = new Int32Array(4);
      kernelOf(function half(item: Item, x: Int32Array, step: number) {
        x[item.getId(0)] = step * item.getId(0);
      }).runOnHost(range(4), out, 5);
      expect([...out]).toEqual([0, 5, 10, 15]);
    },
  },
  {
    id: "dispatch/spec-constant",
    what: "a constant that was not translated has its default",
    run: () => {
      const constant = specConstant(int, 3);
      expect([constant.value, constant.type, specConstant(long, 4n).value]).toEqual([3, "int", 4n]);
    },
  },
  {
    id: "dispatch/function-kept",
    what: "a kernel of a file keeps its function and its name",
    run: () => {
      const found = translationUnit(file()).kernel("fill", range);
      expect([found.name, found.function]).toEqual(["fill", range]);
    },
  },
];

const untyped = (value: unknown): never => value as never;

/** All errors. */
export const DISPATCH_ERRORS: readonly ErrorRow[] = [
  {
    id: "errors/dispatch-nowhere",
    what: "a file without images: the last step",
    name: "kernel_not_found",
    code: "kernel",
    message: /no module of kernels\.ts has the kernel "entry_fill"/u,
    run: () => filled(translationUnit(file({ openclC: "" }))),
  },
  {
    id: "errors/dispatch-does-not-build",
    what: "a file whose text does not compile: the reason is told",
    name: "kernel_not_found",
    code: "kernel",
    message: /has the kernel "entry_fill" for the context: build: /u,
    run: () => filled(translationUnit(file({ openclC: "kernel void entry_fill( {" }))),
  },
  {
    id: "errors/dispatch-other-text",
    what: "a file whose text has other kernels",
    name: "kernel_not_found",
    code: "kernel",
    message: /entry_fill/u,
    run: () => filled(translationUnit(file({ openclC: ONE, specConstants: [] }))),
  },
  {
    id: "errors/dispatch-unit-kernel",
    what: "a kernel that a file does not have",
    name: "kernel_not_found",
    code: "kernel",
    message: /kernels\.ts has no kernel "blur"; it has fill, matrix/u,
    run: () => translationUnit(file()).kernel("blur"),
  },
  {
    id: "errors/dispatch-unit-constant",
    what: "a constant that a file does not have",
    code: "invalid",
    message: /no specialization constant "SPEED"/u,
    run: () => translationUnit(file()).specConstant("SPEED"),
  },
  {
    id: "errors/dispatch-use-module-lacks",
    what: "a launch of what the module in use does not have",
    name: "kernel_not_found",
    code: "kernel",
    message: /no kernel "g"; it has f/u,
    run: () =>
      queue.submit((handler) => {
        handler.useModule(numbered(1));
        handler.singleTask("g", null);
      }),
  },
  {
    id: "errors/dispatch-unit-in-other-module",
    what: "a kernel of a file in a module that does not have it",
    name: "kernel_not_found",
    code: "kernel",
    message: /no kernel "entry_fill"/u,
    run: () => filled(translationUnit(file()), numbered(1)),
  },
  {
    id: "errors/dispatch-other-kernel",
    what: "a kernel object of another module than that in use",
    name: "invalid_kernel",
    code: "kernel",
    message: /"f" is not of the module/u,
    run: () =>
      queue.submit((handler) => {
        handler.useModule(numbered(1));
        handler.singleTask(numbered(2).getKernel("f"), null);
      }),
  },
  {
    id: "errors/dispatch-kernel-context",
    what: "a kernel object of another context",
    name: "invalid_kernel",
    code: "kernel",
    message: /another context/u,
    run: () => queue.singleTask(build(createWithSource(new Context(), ONE)).getKernel("f"), null),
  },
  {
    id: "errors/dispatch-no-kernel",
    what: "a launch of what is no kernel",
    name: "invalid_kernel",
    code: "kernel",
    message: /the kernel is none/u,
    run: () => queue.singleTask(untyped({})),
  },
  {
    id: "errors/dispatch-name-alone",
    what: "a name without a module",
    name: "kernel_not_found",
    code: "kernel",
    message: /the group uses no module; call useModule first/u,
    run: () => queue.singleTask("f", null),
  },
  {
    id: "errors/use-module-state",
    what: "useModule of an input module",
    name: "invalid_object",
    code: "invalid",
    message: /executable module/u,
    run: () =>
      queue.submit((handler) => {
        handler.useModule(untyped(createWithSource(context, ONE)));
      }),
  },
  {
    id: "errors/use-module-context",
    what: "useModule of a module of another context",
    name: "invalid_object",
    code: "invalid",
    message: /another context than the queue/u,
    run: () =>
      queue.submit((handler) => {
        handler.useModule(build(createWithSource(new Context(), ONE)));
      }),
  },
  {
    id: "errors/use-module-late",
    what: "useModule after the kernel",
    code: "invalid",
    message: /call useModule first/u,
    run: () =>
      queue.submit((handler) => {
        handler.singleTask(kernel("one"), null);
        handler.useModule(kernels());
      }),
  },
  {
    id: "errors/selector-foreign",
    what: "a selector that returns another module's image",
    name: "invalid_object",
    code: "invalid",
    message: /not one of the module's/u,
    run: () => run(numbered(1), () => numbered(2).begin().image),
  },
  {
    id: "errors/selector-nothing",
    what: "a selector that returns nothing",
    name: "invalid_object",
    code: "invalid",
    message: /not one of the module's/u,
    run: () => run(numbered(1), () => untyped(undefined)),
  },
  {
    id: "errors/selector-end",
    what: "a selector that takes the image at the end",
    code: "invalid",
    message: /no image at the end/u,
    run: () => run(numbered(1), (_start, end) => end.image),
  },
  {
    id: "errors/this-module-state",
    what: "thisModule in a state that there is not",
    code: "invalid",
    message: /"source" is no state of modules/u,
    run: () => translationUnit(file()).module.get(context, untyped("source")),
  },
  {
    id: "errors/this-module-has-state",
    what: "hasModuleIn for a state that there is not",
    code: "invalid",
    message: /"source" is no state/u,
    run: () => translationUnit(file()).module.hasModuleIn(context, untyped("source")),
  },
  ...(["get", "hasAnyModule", "hasModuleIn"] as const).map((call) => ({
    id: `errors/this-module-untranslated-${call}`,
    what: `thisModule.${call} in a file that was not translated`,
    code: "invalid",
    message: /the file was not translated: use the plugin/u,
    run: () => thisModule[call](context, "input"),
  })),
  {
    id: "errors/this-module-disposed",
    what: "thisModule for a context that is gone",
    code: "invalid",
    message: /disposed of/u,
    run: () => {
      const own = new Context();
      own[Symbol.dispose]();
      return translationUnit(file()).module.get(own, "input");
    },
  },
  {
    id: "errors/dispatch-context-gone",
    what: "a command group for a context that is gone",
    code: "invalid",
    message: /disposed of/u,
    run: () => {
      const own = new Context();
      const on = new Queue({ context: own });
      own[Symbol.dispose]();
      on.singleTask("f");
    },
  },
  {
    id: "errors/kernel-untranslated",
    what: "a launch of a kernel that was not translated",
    code: "kernel_not_supported",
    message: /"saxpy" was not translated: use the plugin .*; kernel\.runOnHost runs it/u,
    run: () => queue.parallelFor(range(4), kernelOf(function saxpy() {})),
  },
  {
    id: "errors/kernel-no-function",
    what: "running on the host what a plugin has left out",
    code: "invalid",
    message: /function of the kernel "fill" was left out/u,
    run: () => {
      translationUnit(file()).kernel("fill").runOnHost(range(4));
    },
  },
  {
    id: "errors/dispatch-unit-arguments",
    what: "too few arguments for a kernel of a file",
    code: "kernel_argument",
    message: /takes 2 arguments \(m, add\), and 1 were passed/u,
    run: () => queue.parallelFor(range(1, 1), translationUnit(file()).kernel("matrix"), 1),
  },
  {
    id: "errors/dispatch-unit-type",
    what: "a buffer of floats for an accessor of ints",
    code: "kernel_argument",
    message: /the accessor x has numbers of type int, which are those of a Int32Array, not of a Float32Array/u,
    run: () =>
      queue.submit((handler) => {
        const wrong = new Buffer(new Float32Array(3)).getAccess(handler, "write");
        handler.parallelFor(range(3), translationUnit(file()).kernel("fill"), wrong);
      }),
  },
  {
    id: "errors/dispatch-unit-pointer-type",
    what: "a pointer to floats for an accessor of ints",
    code: "kernel_argument",
    message: /the accessor x has numbers of type int/u,
    run: () =>
      queue.parallelFor(range(3), translationUnit(file()).kernel("fill"), mallocShared(Float32Array, 3, queue)),
  },
  {
    id: "errors/dispatch-unit-access",
    what: "a buffer that is read for an accessor that writes",
    code: "kernel_argument",
    message: /the accessor x is for "write", and what was passed for "read"/u,
    run: () =>
      queue.submit((handler) => {
        const wrong = new Buffer(new Int32Array(3)).getAccess(handler, "read");
        handler.parallelFor(range(3), translationUnit(file()).kernel("fill"), wrong);
      }),
  },
  {
    id: "errors/dispatch-unit-dimensions",
    what: "a buffer of one dimension for an accessor of two",
    code: "kernel_argument",
    message: /the accessor m has 2 dimensions, and the buffer 1/u,
    run: () =>
      queue.submit((handler) => {
        const wrong = new Buffer(new Int32Array(4)).getAccess(handler, "write");
        handler.parallelFor(range(2, 2), translationUnit(file()).kernel("matrix"), wrong, 1);
      }),
  },
];
