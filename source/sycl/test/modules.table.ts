// SPDX-License-Identifier: Apache-2.0
// Modules: states, images, iterators, equality, references, and the functions that make one of another.
import {
  Context,
  type DeviceImage,
  ExecutableModule,
  InputModule,
  type Module,
  type ModuleState,
  ObjectModule,
  build,
  compile,
  createProgramWithBinary,
  createProgramWithIL,
  createWithSource,
  join,
  link,
  property,
  translationUnit,
} from "@muxkit/sycl";
import { CALLER, HELPER, KERNELS, ONE, type Row, TWO, context, expect, kernels, outcome } from "./rig.ts";
import { spirv } from "./spirv.ts";

const input = (source: string = ONE, on: Context = context): InputModule => createWithSource(on, source);

/** A kernel that writes what a function of its module alone returns. */
const withOwn = (name: string, value: number): InputModule =>
  input(`static int own(void) { return ${value}; } kernel void ${name}(global int* x) { x[get_global_id(0)] = own(); }`);

const EMPTY = translationUnit({ name: "empty.ts", openclC: "", options: "", kernels: [], specConstants: [] }).module;

/** A module of each state. */
const MAKE: { readonly [State in ModuleState]: () => Module<State> } = {
  input: () => input(),
  object: () => compile(input()),
  executable: () => build(input()),
};
const STATES = Object.keys(MAKE) as ModuleState[];

/** The same rows for each state. */
function forStates(id: string, what: string, run: (module: Module, state: ModuleState) => void): readonly Row[] {
  return STATES.map((state) => ({
    id: `${id}-${state}`,
    what: `${what} (${state})`,
    run: () => {
      run(MAKE[state](), state);
    },
  }));
}

const CLASSES = { input: InputModule, object: ObjectModule, executable: ExecutableModule };

const STATE_ROWS: readonly Row[] = [
  ...forStates("state/name", "a module knows its state", (module, state) => {
    expect(module.state).toBe(state);
  }),
  ...forStates("state/class", "there is a class for each state", (module, state) => {
    expect(module).toBeInstanceOf(CLASSES[state]);
  }),
  ...forStates("state/members", "members of other states are not there", (module, state) => {
    expect("getKernel" in module).toBe(state === "executable");
    expect("hasKernel" in module).toBe(state === "executable");
    expect("getKernelNames" in module).toBe(state === "executable");
    expect("setSpecConstant" in module).toBe(state === "input");
  }),
  ...forStates("state/context", "a module is bound to its context", (module) => {
    expect(module.getContext()).toBe(context);
  }),
  ...forStates("state/images-of-state", "images are in the state of their module", (module, state) => {
    expect([...module].map((image) => image.state)).toEqual([state]);
  }),
  ...forStates("state/no-constants", "a module without specialization constants says so", (module) => {
    expect(module.hasSpecConstant()).toBe(false);
  }),
];

const IMAGE_ROWS: readonly Row[] = [
  ...forStates("images/iteration", "a module is iterated over", (module) => {
    const found: DeviceImage[] = [];
    for (const image of module) found.push(image);
    expect(found).toEqual(module.images);
    expect(found).toHaveLength(1);
  }),
  ...forStates("images/begin-end", "begin and end are places as in C++", (module) => {
    const begin = module.begin() as ReturnType<InputModule["begin"]>;
    const end = module.end() as ReturnType<InputModule["end"]>;
    expect(begin.equals(end)).toBe(false);
    expect(begin.image).toBe(module.images[0]);
    expect(begin.next().equals(end)).toBe(true);
  }),
  ...forStates("images/rest", "iterating goes on from a place", (module) => {
    expect([...module.begin()]).toEqual(module.images);
    expect([...module.end()]).toEqual([]);
  }),
  {
    id: "images/formats",
    what: "forms: a text, SPIR-V, a compiled object, code",
    run: () => {
      const made = build(input());
      const formats = [
        input(),
        createProgramWithIL(context, spirv("constants")),
        compile(input()),
        made,
        createProgramWithBinary(context, made.images[0]?.bytes ?? new Uint8Array(0)),
      ].map(({ images: [image] }) => image?.format);
      expect(formats).toEqual(["opencl-c", "spirv", "ir", "executable", "executable"]);
    },
  },
  {
    id: "images/format-is-not-state",
    what: "an executable may be an image of an input module: the form says nothing of the state",
    run: () => {
      const bytes = build(input()).images[0]?.bytes ?? new Uint8Array(0);
      const module = createProgramWithBinary(context, bytes);
      expect([module.state, module.images[0]?.format]).toEqual(["input", "executable"]);
    },
  },
  {
    id: "images/text-bytes",
    what: "the bytes of a text are UTF-8",
    run: () => {
      expect(new TextDecoder().decode(input().images[0]?.bytes)).toBe(ONE);
    },
  },
  {
    id: "images/same-functions",
    what: "images of one module have the same kernels in different forms",
    run: () => {
      const module = join([input(), createProgramWithBinary(context, build(input()).images[0]?.bytes ?? new Uint8Array(0))]);
      expect([...module].map(({ format }) => format)).toEqual(["opencl-c", "executable"]);
      expect(outcome(build(module))).toEqual([1, 1, 1, 1]);
    },
  },
  {
    id: "images/device",
    what: "an image of code is for a device, a text for all of them",
    run: () => {
      expect(build(input()).images[0]?.device).toBe(context.getDevices()[0]);
      expect(input().images[0]?.device).toBe(null);
    },
  },
  {
    id: "images/kernel-names",
    what: "an executable image knows its kernels",
    run: () => {
      expect(build(input(ONE + TWO)).images[0]?.kernelNames).toEqual(["f", "g"]);
    },
  },
  {
    id: "empty/no-images",
    what: "an empty module has no images",
    run: () => {
      for (const state of STATES) {
        const module = EMPTY.get(context, state);
        expect(module.isEmpty).toBe(true);
        expect([...module]).toEqual([]);
        expect((module.begin() as ReturnType<InputModule["begin"]>).equals(module.end() as ReturnType<InputModule["end"]>)).toBe(true);
      }
    },
  },
  {
    id: "empty/state",
    what: "an empty module has a state and a context",
    run: () => {
      for (const state of STATES) expect(EMPTY.get(context, state).state).toBe(state);
      expect(EMPTY.get(context, "input").getContext()).toBe(context);
    },
  },
  {
    id: "empty/no-kernels",
    what: "an empty executable module has no kernels",
    run: () => {
      expect(EMPTY.get(context, "executable").getKernelNames()).toEqual([]);
      expect(EMPTY.get(context, "executable").hasKernel("f")).toBe(false);
    },
  },
];

const EQUALITY_ROWS: readonly Row[] = [
  ...forStates("equality/itself", "a module equals itself", (module) => {
    expect((module as InputModule).equals(module)).toBe(true);
  }),
  ...forStates("equality/same-images", "modules of the same images in one context are equal", (module, state) => {
    expect(module.equals(MAKE[state]())).toBe(true);
  }),
  ...STATES.map((state) => ({
    id: `equality/context-${state}`,
    what: `modules of different contexts are not equal (${state})`,
    run: () => {
      const other = new Context();
      const module: Module =
        state === "input" ? input(ONE, other) : state === "object" ? compile(input(ONE, other)) : build(input(ONE, other));
      expect(module.equals(MAKE[state]())).toBe(false);
      other[Symbol.dispose]();
    },
  })),
  ...STATES.map((state) => ({
    id: `equality/state-${state}`,
    what: `modules in different states are not equal (${state})`,
    run: () => {
      for (const other of STATES) if (other !== state) expect((MAKE[state]() as InputModule).equals(MAKE[other]())).toBe(false);
    },
  })),
  {
    id: "equality/images",
    what: "modules of other images are not equal",
    run: () => {
      expect(input(ONE).equals(input(TWO))).toBe(false);
      expect(build(input(ONE)).equals(build(input(TWO)))).toBe(false);
    },
  },
  {
    id: "equality/more-images",
    what: "a module with an image more is not equal",
    run: () => {
      expect(join([input(), input()]).equals(input())).toBe(false);
    },
  },
  {
    id: "equality/order",
    what: "the order of the images does not matter",
    run: () => {
      const [left, right] = [input(ONE), input(`${ONE} `)];
      expect(join([left, right]).equals(join([right, left]))).toBe(true);
    },
  },
  {
    id: "equality/empty",
    what: "empty modules of one context and state are equal",
    run: () => {
      const other = translationUnit({ name: "e.ts", openclC: "", options: "", kernels: [], specConstants: [] }).module;
      for (const state of STATES) expect((EMPTY.get(context, state) as Module).equals(other.get(context, state))).toBe(true);
    },
  },
  {
    id: "references/shared",
    what: "two names of a module are one module: a value set by one is seen by the other",
    run: () => {
      const module = kernels();
      const other = module;
      expect(other).toBe(module);
      expect(new Set([module, other]).size).toBe(1);
      expect(other.getKernel("twice")).toBe(module.getKernel("twice"));
    },
  },
  {
    id: "references/lives-on",
    what: "a kernel keeps its module",
    run: () => {
      const kernel = build(input()).getKernel("f");
      expect(outcome(kernel.getModule())).toEqual([1, 1, 1, 1]);
    },
  },
];

const BUILD_ROWS: readonly Row[] = [
  {
    id: "build/executable",
    what: "build compiles and links: the kernels run",
    run: () => {
      expect(outcome(build(input()))).toEqual([1, 1, 1, 1]);
    },
  },
  {
    id: "build/input-stays",
    what: "build leaves the input module as it is",
    run: () => {
      const module = input();
      build(module);
      expect(module.state).toBe("input");
      expect(module.images[0]?.format).toBe("opencl-c");
      expect(outcome(build(module))).toEqual([1, 1, 1, 1]);
    },
  },
  {
    id: "build/binary",
    what: "what was built is saved and loaded",
    run: () => {
      const bytes = build(input()).images[0]?.bytes.slice() ?? new Uint8Array(0);
      expect(outcome(build(createProgramWithBinary(context, bytes)))).toEqual([1, 1, 1, 1]);
    },
  },
  {
    id: "build/spirv",
    what: "an input module of SPIR-V is built",
    run: () => {
      expect(build(createProgramWithIL(context, spirv("constants"))).getKernelNames()).toEqual(["f"]);
    },
  },
  {
    id: "build/object-binary",
    what: "a compiled object that was saved is built",
    run: () => {
      const bytes = compile(input()).images[0]?.bytes.slice() ?? new Uint8Array(0);
      const module = createProgramWithBinary(context, bytes);
      expect(module.images[0]?.format).toBe("ir");
      expect(outcome(build(module))).toEqual([1, 1, 1, 1]);
    },
  },
  {
    id: "build/kernel-names",
    what: "an executable module lists its kernels",
    run: () => {
      const module = build(input(ONE + TWO));
      expect(module.getKernelNames()).toEqual(["f", "g"]);
      expect(module.hasKernel("g")).toBe(true);
      expect(module.hasKernel("h")).toBe(false);
    },
  },
  {
    id: "build/has-a-kernel",
    what: "an executable module has one kernel at least",
    run: () => {
      expect(build(input()).getKernelNames().length).toBeGreaterThan(0);
    },
  },
  {
    id: "build/no-work-at-dispatch",
    what: "a launch builds nothing: its code was made before it is launched again",
    run: () => {
      const module = build(input());
      outcome(module);
      const before = context.getModules("executable").length;
      outcome(module);
      expect(context.getModules("executable").length).toBe(before);
    },
  },
  {
    id: "compile/object",
    what: "compile makes an object module, which has no kernels to launch",
    run: () => {
      expect("getKernel" in compile(input())).toBe(false);
    },
  },
  {
    id: "compile/device-functions",
    what: "an object module may have functions and no kernel",
    run: () => {
      expect(compile(input(HELPER)).images).toHaveLength(1);
    },
  },
  {
    id: "compile/undefined",
    what: "an object module may refer to what it does not have",
    run: () => {
      expect(compile(input(CALLER)).state).toBe("object");
    },
  },
  {
    id: "link/one",
    what: "link makes an executable module of one object module",
    run: () => {
      expect(outcome(link([compile(input())]))).toEqual([1, 1, 1, 1]);
    },
  },
  {
    id: "link/resolves",
    what: "link resolves what one module has and another needs",
    run: () => {
      expect(outcome(link([compile(input(CALLER)), compile(input(HELPER))]))).toEqual([0, 3, 6, 9]);
      expect(outcome(link([compile(input(HELPER)), compile(input(CALLER))]))).toEqual([0, 3, 6, 9]);
    },
  },
  {
    id: "link/kernels-of-all",
    what: "the executable module has the kernels of all",
    run: () => {
      const module = link([compile(input(ONE)), compile(input(TWO))]);
      expect(module.getKernelNames().toSorted()).toEqual(["f", "g"]);
      expect([outcome(module, "f"), outcome(module, "g")]).toEqual([
        [1, 1, 1, 1],
        [2, 2, 2, 2],
      ]);
    },
  },
  {
    id: "link/objects-stay",
    what: "an object module is linked as often as one likes",
    run: () => {
      const [caller, helper] = [compile(input(CALLER)), compile(input(HELPER))];
      expect(outcome(link([caller, helper]))).toEqual([0, 3, 6, 9]);
      const other = compile(input("int helper(int i) { return 5 * i; }"));
      expect(outcome(link([caller, other]))).toEqual([0, 5, 10, 15]);
    },
  },
  {
    id: "link/private-names",
    what: "names that are private to a module do not meet when modules are linked",
    run: () => {
      const module = link([compile(withOwn("f", 4)), compile(withOwn("g", 5))]);
      expect([outcome(module, "f")[0], outcome(module, "g")[0]]).toEqual([4, 5]);
    },
  },
  {
    id: "link/saved-objects",
    what: "objects that were saved are linked",
    run: () => {
      const bytes = compile(input(HELPER)).images[0]?.bytes.slice() ?? new Uint8Array(0);
      const helper = compile(createProgramWithBinary(context, bytes));
      expect(outcome(link([compile(input(CALLER)), helper]))).toEqual([0, 3, 6, 9]);
    },
  },
  ...STATES.map((state) => ({
    id: `join/${state}`,
    what: `join keeps the images of all and the state (${state})`,
    run: () => {
      const joined = join<Module>([MAKE[state](), MAKE[state]()]);
      expect(joined.state).toBe(state);
      expect(joined.images).toHaveLength(2);
    },
  })),
  {
    id: "join/copies",
    what: "a joined module is another object, with the images of the first ones",
    run: () => {
      const [left, right] = [build(input()), build(input(`${ONE}\n`))];
      const joined = join([left, right]);
      expect(joined).not.toBe(left);
      expect([...joined]).toEqual([...left, ...right]);
    },
  },
  {
    id: "join/runs",
    what: "a joined executable module runs",
    run: () => {
      expect(outcome(join([build(input()), build(input())]))).toEqual([1, 1, 1, 1]);
    },
  },
  {
    id: "join/one",
    what: "join of one module is a module like it",
    run: () => {
      const module = build(input());
      expect(join([module]).equals(module)).toBe(true);
    },
  },
  {
    id: "options/debug",
    what: "a module with debug information is built and runs",
    run: () => {
      expect(outcome(build(input(), property.debug()))).toEqual([1, 1, 1, 1]);
    },
  },
  {
    id: "options/log",
    what: "the log of a build goes to the stream",
    run: () => {
      const texts: string[] = [];
      const stream = { write: (text: string) => texts.push(text) };
      build(input(`#warning "look"\n${ONE}`), property.log(stream));
      expect(texts.join("")).toMatch(/look/u);
      expect(property.log(stream).getLogStream()).toBe(stream);
    },
  },
  {
    id: "options/log-compile",
    what: "the log of compile goes to the stream, of failures too",
    run: () => {
      const texts: string[] = [];
      expect(() => compile(input("kernel void f( {"), property.log({ write: (text) => texts.push(text) }))).toThrow(
        /error/u,
      );
      expect(texts.join("")).toMatch(/error/u);
    },
  },
  {
    id: "options/vendor",
    what: "options of the OpenCL backend are strings",
    run: () => {
      const module = input("kernel void f(global int* x) { x[get_global_id(0)] = VALUE; }");
      expect(outcome(build(module, property.openclOptions("-D VALUE=7")))).toEqual([7, 7, 7, 7]);
    },
  },
  {
    id: "options/vendor-compile",
    what: "compile takes them too",
    run: () => {
      const module = input("kernel void f(global int* x) { x[get_global_id(0)] = VALUE; }");
      expect(outcome(link([compile(module, property.openclOptions("-D VALUE=8"))]))).toEqual([8, 8, 8, 8]);
    },
  },
  {
    id: "options/several",
    what: "several options are passed one after the other",
    run: () => {
      const module = input("kernel void f(global int* x) { x[get_global_id(0)] = A + B; }");
      const made = build(module, property.openclOptions("-D A=1"), property.debug(), property.openclOptions("-D B=2"));
      expect(outcome(made)).toEqual([3, 3, 3, 3]);
    },
  },
  {
    id: "kernels/info",
    what: "a kernel tells its name, its arguments and what it needs",
    run: () => {
      const kernel = kernels().getKernel("groups");
      expect(kernel.getInfo("function_name")).toBe("groups");
      expect(kernel.getInfo("num_args")).toBe(2);
      expect(kernel.getInfo("compile_work_group_size")).toBe(null);
      expect(kernel.getContext()).toBe(context);
      expect(kernel.getModule()).toBe(kernels());
    },
  },
  {
    id: "context/get-modules",
    what: "a context lists the modules of a state that were made for it",
    run: () => {
      const own = new Context();
      const made = createWithSource(own, KERNELS);
      const object = compile(made);
      const executable = build(made);
      expect(own.getModules("input")).toContain(made);
      expect(own.getModules("object")).toContain(object);
      expect(own.getModules("executable")).toContain(executable);
      expect(own.getModules("executable")).not.toContain(made);
      own[Symbol.dispose]();
      expect(own.getModules("input")).toEqual([]);
    },
  },
];

/** All rows. */
export const MODULE_ROWS: readonly Row[] = [...STATE_ROWS, ...IMAGE_ROWS, ...EQUALITY_ROWS, ...BUILD_ROWS];
