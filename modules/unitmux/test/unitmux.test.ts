// SPDX-License-Identifier: Apache-2.0
// The suite on the host and on the reference target, what it leaves out, and which broken targets it finds.
import { buildProgram, openclC } from "@muxkit/compiler";
import { type AllocationKind, NODE_ENVIRONMENT, hostDevice, hostTarget } from "@muxkit/host";
import { compilers } from "@muxkit/host-compiler/native";
import {
  MuxAllocationCapabilities,
  MuxAllocationType,
  type MuxDeviceInfo,
  MuxDeviceType,
  muxGetDeviceInfos,
  MuxMemoryProperty,
  MuxQueue,
  MuxResult,
  type MuxTarget,
  registerTarget,
} from "@muxkit/mux";
import {
  REFERENCE_TARGET,
  type UnitMuxCase,
  type UnitMuxRefusals,
  type UnitMuxSetup,
  referenceExecutable,
  referenceTarget,
  unitMuxCases,
} from "@muxkit/unitmux";
import { describe, expect, test } from "vitest";

import { ENTRY_POINTS } from "../source/generated/entry-points.ts";

function hostInfo(): MuxDeviceInfo {
  const number = registerTarget(host);
  const infos = muxGetDeviceInfos(MuxDeviceType.cpu);
  const info = infos.ok ? infos.value.find(({ id }) => (id & 0xff) === number) : undefined;
  if (info === undefined) throw new Error("the host lists no device");
  return info;
}

let [count, at, refused] = [0, 0, false];
/** What was refused, by kind. */
const kinds = new Set<AllocationKind>();

function refuses(kind: AllocationKind): boolean {
  if (++count !== at) return false;
  refused = true;
  kinds.add(kind);
  return true;
}

const refusals: UnitMuxRefusals = {
  refuseAt: (number) => {
    [count, at, refused] = [0, number, false];
  },
  hasRefused: () => refused,
  taken: (device) => {
    const { rowsUsed, memorySize, memoryFree } = hostDevice(device).host.statistics();
    return [rowsUsed, memorySize - memoryFree];
  },
};

const host = hostTarget({ threads: 2, isolated: true, environment: { ...NODE_ENVIRONMENT, refuses } });

/** The suite's kernel, compiled for the host. */
function hostExecutable(): Uint8Array {
  const made = compilers[0]?.createContext().createTarget(hostInfo(), null);
  if (made?.ok !== true) throw new Error("there is no compiler for the host");
  const module = made.value.createModule();
  const source = `
kernel void fill(global int* out, int value) {
  out[get_global_id(0)] = value + get_global_id(0);
}
`;
  const built = buildProgram(module, openclC(source));
  if (!built.ok) throw new Error(built.error.message);
  const binary = module.createBinary();
  if (!binary.ok) throw new Error(binary.error.message);
  return binary.value;
}

function runAll(setup: UnitMuxSetup): void {
  for (const { entryPoint, name, run } of unitMuxCases(setup)) {
    test(`${entryPoint}: ${name}`, () => {
      expect(run).not.toThrow();
    });
  }
}

describe("host", () => {
  runAll({ target: host, executable: hostExecutable(), refusals });

  test("allocations of every kind that a call makes by itself were refused", () => {
    expect([...kinds].toSorted()).toEqual(["code", "edge", "fence", "launch", "memory", "node", "query", "semaphore"]);
  });
});

describe("reference target", () => {
  runAll({ target: REFERENCE_TARGET, executable: referenceExecutable(["fill"]) });
});

const BARE: Partial<MuxDeviceInfo> = {
  deviceName: "unitmux bare",
  imageSupport: false,
  descriptorsUpdatable: false,
  canCloneCommandBuffers: false,
  supportsBuiltinKernels: false,
  builtinKernelDeclarations: "",
  maxSubGroupCount: 0,
  subGroupSizes: [],
  allocationCapabilities: MuxAllocationCapabilities.alloc_device,
};

describe("a device without features", () => {
  runAll({ target: referenceTarget(BARE), executable: referenceExecutable(["fill"]) });
});

const cases: readonly UnitMuxCase[] = unitMuxCases({
  target: REFERENCE_TARGET,
  executable: referenceExecutable(["fill"]),
});

test("every entry point has its success and an error for each rule and check", () => {
  expect(ENTRY_POINTS).toHaveLength(68);
  for (const { name, parameters, checks } of ENTRY_POINTS) {
    const tested = new Set(cases.filter(({ entryPoint }) => entryPoint === name).map(({ tests }) => tests));
    const wanted = ["success", "types", "refusals", ...parameters.flatMap(({ rules }) => rules), ...checks];
    expect(
      wanted.filter((check) => !tested.has(check)),
      name,
    ).toEqual([]);
  }
});

/** The cases that fail. */
function failuresOf(setup: UnitMuxSetup): readonly string[] {
  return unitMuxCases(setup)
    .filter(({ run }) => {
      try {
        run();
        return false;
      } catch {
        return true;
      }
    })
    .map(({ entryPoint }) => entryPoint);
}

const DONE = { ok: true as const, value: undefined };

test.each<[what: string, entryPoint: string, methods: Partial<MuxTarget>]>([
  ["fills nothing", "muxCommandFillBuffer", { commandFillBuffer: () => DONE }],
  ["copies nothing", "muxCommandCopyBuffer", { commandCopyBuffer: () => DONE }],
  ["runs no kernel", "muxCommandNDRange", { commandNDRange: () => DONE }],
  [
    "takes every executable",
    "muxCreateExecutable",
    { createExecutable: (device) => REFERENCE_TARGET.createExecutable(device, referenceExecutable(["fill"])) },
  ],
  [
    "finds every kernel",
    "muxCreateKernel",
    { createKernel: (device, executable) => REFERENCE_TARGET.createKernel(device, executable, "fill") },
  ],
  [
    "has memory without end",
    "muxAllocateMemory",
    {
      allocateMemory: (device, size, ...rest) => REFERENCE_TARGET.allocateMemory(device, Math.min(size, 4096), ...rest),
    },
  ],
  [
    "clones without copying",
    "muxCloneCommandBuffer",
    { cloneCommandBuffer: (_device, commands) => ({ ok: true, value: commands }) },
  ],
  ["keeps what was recorded at a reset", "muxResetCommandBuffer", { resetCommandBuffer: () => DONE }],
  ["makes a queue each time", "muxGetQueue", { getQueue: (device) => ({ ok: true, value: new MuxQueue({ device }) }) }],
  ["forgets the callback", "muxCommandUserCallback", { commandUserCallback: () => DONE }],
  [
    "blames the caller when memory is short",
    "muxAllocateMemory",
    {
      allocateMemory: (...args) => {
        const made = REFERENCE_TARGET.allocateMemory(...args);
        return made.ok ? made : { ok: false, error: { ...made.error, code: MuxResult.error_invalid_value } };
      },
    },
  ],
  [
    "keeps memory for a program that it has no room for",
    "muxCreateExecutable",
    {
      createExecutable: (device, binary) => {
        void REFERENCE_TARGET.allocateMemory(
          device,
          64,
          1,
          MuxMemoryProperty.host_visible,
          MuxAllocationType.alloc_device,
          16,
        );
        return REFERENCE_TARGET.createExecutable(device, binary);
      },
    },
  ],
  ["measures nothing", "muxGetQueryPoolResults", { commandBeginQuery: () => DONE }],
])("a target that %s is found out", (_, entryPoint, methods) => {
  expect(failuresOf({ target: referenceTarget({}, methods), executable: referenceExecutable(["fill"]) })).toContain(
    entryPoint,
  );
});
