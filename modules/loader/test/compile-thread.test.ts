// SPDX-License-Identifier: Apache-2.0
// Variants of kernels that another thread compiles: the same bytes, taken when they are there, kept, and without harm
// where the thread fails. The thread is simulated: messages are copied as between threads, and done when a test says
// so.
import {
  type LaunchFacts,
  type Module,
  type PendingKernel,
  type SourceEnvironment,
  type Target,
  buildProgram,
  compilerError,
  openclC,
} from "@muxkit/compiler";
import { hostDeviceInfo } from "@muxkit/host";
import { compilers } from "@muxkit/host-compiler";
import { HOST_COMPILER_FACTS } from "@muxkit/host-compiler/facts";
import {
  type CompileAnswer,
  type CompileJob,
  type CompilePort,
  CompileThread,
  type ProgramStore,
  binaryKernels,
  compileAnswers,
  compilerForDevice,
  lateLibrary,
} from "@muxkit/loader";
import { IR_BLOCK, findExtraBlock, readExecutable } from "@muxkit/metadata";
import { expect, test } from "vitest";

const device = hostDeviceInfo({}, 1);
const SOURCE = `#include "scale.h"
kernel void turn(global float *x, local float *t) {
  t[get_local_id(0)] = SCALE * sin(x[get_global_id(0)]);
  barrier(CLK_LOCAL_MEM_FENCE);
  x[get_global_id(0)] = t[get_local_size(0) - 1 - get_local_id(0)];
}
kernel void pick(read_only image2d_t from, sampler_t s, global float4 *to) {
  to[get_global_id(0)] = read_imagef(from, s, (int2)((int)get_global_id(0), 0));
}
`;
const FILES: SourceEnvironment = {
  headers: [],
  readFile: (path) => (path.endsWith("scale.h") ? "#define SCALE 3.0f\n" : null),
};
const SIZE: LaunchFacts = { localSize: [64, 1, 1], uniformGroups: true, zeroOffset: true };
const IMAGE: LaunchFacts = {
  localSize: [0, 0, 0],
  uniformGroups: false,
  zeroOffset: false,
  arguments: [{ kind: "image", order: 4277, channelType: 4318 }, { kind: "sampler", bits: 16 }, null],
};

class MemoryStore implements ProgramStore {
  readonly kept = new Map<string, Uint8Array>();

  read(name: string): Uint8Array | null {
    return this.kept.get(name) ?? null;
  }

  write(name: string, bytes: Uint8Array): void {
    this.kept.set(name, bytes);
  }
}

/** A thread that does its jobs when it is waited for, or told to. */
class Thread implements CompilePort {
  readonly jobs: CompileJob[] = [];
  readonly #answer = compileAnswers({ compilers });
  readonly #done: CompileAnswer[] = [];

  readonly post = (job: CompileJob): void => {
    this.jobs.push(structuredClone(job));
  };

  work(): void {
    for (const job of this.jobs.splice(0)) this.#done.push(structuredClone(this.#answer(job)));
  }

  readonly receive = (timeout: number): CompileAnswer | null => {
    if (timeout > 0) this.work();
    return this.#done.shift() ?? null;
  };
}

function process(
  store: ProgramStore | null,
  thread: Thread | null,
): {
  readonly target: Target;
  readonly module: () => Module;
  readonly loads: () => number;
  readonly starts: () => number;
} {
  let loads = 0;
  let starts = 0;
  const library = lateLibrary(
    [{ ...HOST_COMPILER_FACTS, build: "one" }],
    () => {
      loads++;
      return { compilers };
    },
    store,
    {
      startThread: () => {
        starts++;
        return thread;
      },
    },
  );
  const target = compilerForDevice(library, device)?.createContext().createTarget(device, null);
  if (target?.ok !== true) throw new Error("no target");
  return {
    target: target.value,
    module: () => {
      const module = target.value.createModule();
      const done = buildProgram(module, openclC(SOURCE, FILES), "-cl-fast-relaxed-math -I folder");
      if (!done.ok) throw new Error(`${done.error.message}\n${module.log}`);
      return module;
    },
    loads: () => loads,
    starts: () => starts,
  };
}

function formOf(module: Module, name: string, facts: LaunchFacts): unknown {
  const made = module.getKernel(name)?.createSpecializedKernel(facts);
  if (made?.ok !== true) throw new Error("no form");
  return { key: made.value.key, binary: made.value.binary };
}

function begin(module: Module, name: string, facts: LaunchFacts): NonNullable<ReturnType<typeof pendingOf>> {
  const pending = pendingOf(module, name, facts);
  if (pending === null) throw new Error("nothing was begun");
  return pending;
}

function pendingOf(module: Module, name: string, facts: LaunchFacts): PendingKernel | null {
  return module.getKernel(name)?.startSpecializedKernel?.(facts) ?? null;
}

test.each([
  ["turn", SIZE],
  ["pick", IMAGE],
])("another thread makes the same bytes of %s, with and without a store", (name, facts) => {
  const expected = formOf(process(null, null).module(), name, facts);
  for (const store of [null, new MemoryStore()]) {
    const thread = new Thread();
    const pending = begin(process(store, thread).module(), name, facts);
    expect(pending.poll()).toBeNull();
    thread.work();
    expect(pending.poll()).toEqual({ ok: true, value: { ...(expected as object), report: null } });
    expect(pending.poll()).toBe(pending.wait());
  }
});

test("the thread is started by the first job, once, and can be waited for", () => {
  const thread = new Thread();
  const one = process(null, thread);
  const module = one.module();
  expect(one.starts()).toBe(0);
  const [turn, pick] = [begin(module, "turn", SIZE), begin(module, "pick", IMAGE)];
  // Answers come in the order of the jobs, whoever waits first.
  expect(pick.wait().ok).toBe(true);
  expect(turn.poll()?.ok).toBe(true);
  expect(one.starts()).toBe(1);
});

test("what the thread makes is kept, and then needs no thread; a stored build needs no compiler on this one", () => {
  const store = new MemoryStore();
  const first = process(store, new Thread());
  const made = begin(first.module(), "turn", SIZE).wait();
  const second = process(store, new Thread());
  expect(begin(second.module(), "turn", SIZE).poll()).toEqual(made);
  expect([second.loads(), second.starts()]).toEqual([0, 0]);
  const third = process(store, new Thread());
  const pick = begin(third.module(), "pick", IMAGE).wait();
  expect(pick).toMatchObject({ ok: true, value: formOf(process(null, null).module(), "pick", IMAGE) as object });
  expect([third.loads(), third.starts()]).toEqual([0, 1]);
});

let travelling: Uint8Array | null = null;

/** The program of a binary, as it travels along with the code. */
function travellingProgram(): Uint8Array {
  if (travelling !== null) return travelling;
  const binary = process(null, null).module().createPortableBinary(true);
  const image = binary.ok ? readExecutable(binary.value) : null;
  const ir = image?.ok === true ? findExtraBlock(image.value, IR_BLOCK) : null;
  if (ir === null) throw new Error("the binary has no program");
  travelling = ir;
  return ir;
}

test.each([
  ["turn", SIZE],
  ["pick", IMAGE],
])("kernels of a binary are described and compiled by the thread alone: %s", (name, facts) => {
  const thread = new Thread();
  const one = process(null, thread);
  const kernels = binaryKernels(one.target, travellingProgram());
  expect(kernels.find(name)).toBe("later");
  thread.work();
  const kernel = kernels.find(name);
  if (kernel === null || kernel === "later") throw new Error("the kernel was not found");
  expect(kernels.find("nobody")).toBe("later");
  const pending = kernel.startSpecializedKernel?.(facts);
  expect(pending?.poll()).toBeNull();
  thread.work();
  expect(kernels.find("nobody")).toBeNull();
  const expected = formOf(process(null, null).module(), name, facts);
  expect(pending?.poll()).toEqual({ ok: true, value: { ...(expected as object), report: null } });
  expect(kernel.specializationKey(facts)).toBe((expected as { key: string }).key);
  expect(kernel.takesAnySize).toBe(true);
  expect([one.loads(), one.starts()]).toEqual([0, 1]);
  kernels.free();
});

test("without a thread the kernels of a binary are found here; what no compiler reads has none", () => {
  const one = process(null, null);
  expect(binaryKernels(one.target, travellingProgram()).find("turn")).toMatchObject({ name: "turn" });
  expect(one.loads()).toBe(1);
  expect(binaryKernels(one.target, new Uint8Array(3)).find("turn")).toBeNull();
  expect(binaryKernels(null, travellingProgram()).find("turn")).toBeNull();
  const thread = new Thread();
  const other = binaryKernels(process(null, thread).target, new Uint8Array(3));
  expect(other.find("turn")).toBe("later");
  thread.work();
  expect(other.find("turn")).toBeNull();
});

test("without a thread nothing is begun", () => {
  const one = process(null, null);
  expect(pendingOf(one.module(), "turn", SIZE)).toBeNull();
  const library = lateLibrary([HOST_COMPILER_FACTS], () => ({ compilers }), null);
  const target = compilerForDevice(library, device)?.createContext().createTarget(device, null);
  const module = target?.ok === true ? target.value.createModule() : null;
  if (module === null) throw new Error("no module");
  expect(buildProgram(module, openclC(SOURCE, FILES), "-I folder").ok).toBe(true);
  expect(pendingOf(module, "turn", SIZE)).toBeNull();
});

const JOB: Omit<CompileJob, "id"> = {
  compiler: 0,
  device,
  program: 1,
  recipe: { kind: "module", bytes: new Uint8Array(3) },
  kernel: "turn",
  facts: SIZE,
};

test.each([
  ["a damaged module", JOB, /no module of this kit/u],
  ["a compiler that is not there", { ...JOB, compiler: 7 }, /no compiler 7/u],
  [
    "a source that cannot be compiled",
    { ...JOB, recipe: { kind: "source", texts: [], frontEnd: "opencl-c", source: "kernel", headers: [], files: [] } },
    /error/u,
  ],
  [
    "a kernel that is not there",
    {
      ...JOB,
      recipe: { kind: "source", texts: [], frontEnd: "opencl-c", source: "kernel void k() {}", headers: [], files: [] },
    },
    /no kernel "turn"/u,
  ],
] satisfies readonly [string, Omit<CompileJob, "id">, RegExp][])("%s is an answer", (_what, job, message) => {
  const pending = new CompileThread(() => new Thread()).begin(job);
  const made = pending?.wait();
  expect(made).toEqual({ ok: false, error: compilerError("failure", expect.stringMatching(message) as string) });
});

test("answers are kept for jobs that are still wanted, whether they come before or after one is given up", () => {
  const port = new Thread();
  const thread = new CompileThread(() => port);
  const [early, late, kept] = [1, 2, 3].map(() => thread.begin(JOB));
  expect(thread.wanted).toBe(3);
  early?.drop();
  expect(thread.wanted).toBe(2);
  port.work();
  // Takes the answers of those before it as well.
  expect(kept?.poll()?.ok).toBe(false);
  expect(thread.wanted).toBe(1);
  late?.drop();
  late?.drop();
  expect(thread.wanted).toBe(0);
  expect(late?.poll()).toEqual({ ok: false, error: compilerError("failure", "the job was given up") });
  expect(kept?.wait()).toMatchObject({ error: { message: expect.stringMatching(/no module of this kit/u) as string } });
});

test("a kernel of a stored build gives its job up", () => {
  const store = new MemoryStore();
  process(store, null).module();
  const thread = new Thread();
  const pending = begin(process(store, thread).module(), "turn", SIZE);
  pending.drop();
  thread.work();
  expect(pending.poll()?.ok).toBe(false);
  expect([...store.kept.keys()]).toHaveLength(1);
});

test("a thread that does not answer is given up, and gets no more jobs", () => {
  let time = 0;
  let posted = 0;
  const thread = new CompileThread(() => ({ post: () => posted++, receive: () => null }));
  const pending = thread.begin(JOB, () => time);
  expect(pending?.poll()).toBeNull();
  time = 1e6;
  expect(pending?.poll()).toMatchObject({
    ok: false,
    error: { message: expect.stringContaining("has not answered") as string },
  });
  expect(thread.begin(JOB)).toBeNull();
  expect(posted).toBe(1);
});

test("a thread that has ended is not waited for, and gets no more jobs; what it had sent counts", () => {
  const port = new Thread();
  let isLost = false;
  const thread = new CompileThread(() => ({ post: port.post, receive: port.receive, isLost: () => isLost }));
  const early = thread.begin(JOB);
  port.work();
  const late = thread.begin(JOB);
  isLost = true;
  port.jobs.length = 0;
  expect(late?.wait()).toEqual({
    ok: false,
    error: compilerError("failure", expect.stringMatching(/thread that compiles has ended/u) as string),
  });
  expect(early?.wait()).toMatchObject({
    error: { message: expect.stringMatching(/no module of this kit/u) as string },
  });
  expect(thread.begin(JOB)).toBeNull();
});

/** Threads that are started as they are needed, `most` at most. */
function pool(most: number): { readonly thread: CompileThread; readonly ports: (Thread & { isGone: boolean })[] } {
  const ports: (Thread & { isGone: boolean })[] = [];
  const start = (): CompilePort => {
    const port = Object.assign(new Thread(), { isGone: false });
    ports.push(port);
    return { post: port.post, receive: port.receive, isLost: () => port.isGone };
  };
  return { thread: new CompileThread(start, most), ports };
}

test("another thread is started when each owes two answers; jobs go to the one that owes the fewest", () => {
  const { thread, ports } = pool(2);
  const owed = (): readonly number[] => ports.map(({ jobs }) => jobs.length);
  const after = [1, 2, 3, 4, 5, 6].map(() => {
    thread.begin(JOB);
    return owed();
  });
  expect(after).toEqual([[1], [2], [2, 1], [2, 2], [3, 2], [3, 3]]);
  ports[1]?.work();
  for (let i = 0; i < 3; i++) thread.begin(JOB);
  expect(owed()).toEqual([3, 3]);
  ports[0]?.work();
  for (let i = 0; i < 2; i++) thread.begin(JOB);
  expect(owed()).toEqual([2, 3]);
  expect(thread.running).toBe(2);
});

test("one thread is enough for jobs that are answered before the next come", () => {
  const { thread, ports } = pool(3);
  for (let i = 0; i < 6; i++) {
    thread.begin(JOB);
    ports[0]?.work();
  }
  expect(thread.running).toBe(1);
});

test("answers of several threads come to those who asked; the others go on when one has ended, and none is started", () => {
  const { thread, ports } = pool(3);
  const asked = [1, 2, 3, 4].map((program) => thread.begin({ ...JOB, program }));
  const [first, second] = ports;
  if (first === undefined || second === undefined) throw new Error("there are no two threads");
  first.isGone = true;
  first.jobs.length = 0;
  expect(asked.map((one) => [one?.poll() === null, one?.isLost()])).toEqual([
    [false, true],
    [false, true],
    [true, false],
    [true, false],
  ]);
  expect(asked[3]?.wait().ok).toBe(false);
  expect(asked[3]?.isLost()).toBe(false);
  for (let i = 0; i < 4; i++) expect(thread.begin(JOB)).not.toBeNull();
  expect([thread.running, ports.length, thread.isUsable]).toEqual([1, 2, true]);
  second.isGone = true;
  expect(thread.isUsable).toBe(false);
  expect(thread.begin(JOB)).toBeNull();
});

test.each([
  ["without a store", null],
  ["with a store", new MemoryStore()],
])("kernels of a thread that has ended are made here, %s", (_what, store) => {
  let isGone = false;
  const thread = Object.assign(new Thread(), { isLost: () => isGone });
  const one = process(store, thread);
  const module = one.module();
  const [turn, pick] = [begin(module, "turn", SIZE), begin(module, "pick", IMAGE)];
  expect([turn.poll(), pick.poll()]).toEqual([null, null]);
  isGone = true;
  thread.jobs.length = 0;
  const plain = process(null, null).module();
  expect(turn.wait()).toMatchObject({ ok: true, value: formOf(plain, "turn", SIZE) as object });
  expect(pick.poll()).toMatchObject({ ok: true, value: formOf(plain, "pick", IMAGE) as object });
  expect(pick.poll()).toBe(pick.wait());
  expect(one.starts()).toBe(1);
});

test("kernels of a binary are found and made here when the thread has ended", () => {
  let isGone = false;
  const thread = Object.assign(new Thread(), { isLost: () => isGone });
  const kernels = binaryKernels(process(null, thread).target, travellingProgram());
  expect(kernels.find("turn")).toBe("later");
  thread.work();
  const turn = kernels.find("turn");
  if (turn === null || turn === "later") throw new Error("the kernel was not found");
  const pending = turn.startSpecializedKernel?.(SIZE);
  expect(kernels.find("pick")).toBe("later");
  isGone = true;
  thread.jobs.length = 0;
  expect(pending?.poll()).toMatchObject({
    ok: true,
    value: formOf(process(null, null).module(), "turn", SIZE) as object,
  });
  expect(kernels.find("pick")).toMatchObject({ name: "pick" });
  expect(kernels.find("nobody")).toBeNull();
  kernels.free();
});
