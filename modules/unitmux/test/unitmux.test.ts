// The suite on the host, on the reference target, and what the stub answers.
import { hostTarget } from "@muxkit/host";
import { compilers } from "@muxkit/host-compiler";
import { type MuxDeviceInfo, MuxDeviceType, STUB_TARGET, muxGetDeviceInfos, registerTarget } from "@muxkit/mux";
import { REFERENCE_TARGET, type UnitMuxCase, type UnitMuxSetup, referenceExecutable, unitMuxCases } from "@muxkit/unitmux";
import { describe, expect, test } from "vitest";

import { ENTRY_POINTS } from "../source/generated/entry-points.ts";

function hostInfo(): MuxDeviceInfo {
  const number = registerTarget(host);
  const infos = muxGetDeviceInfos(MuxDeviceType.cpu);
  const info = infos.ok ? infos.value.find(({ id }) => (id & 0xff) === number) : undefined;
  if (info === undefined) throw new Error("the host lists no device");
  return info;
}

const host = hostTarget({ threads: 2, isolated: true });

/** The suite's kernel, compiled for the host. */
function hostExecutable(): Uint8Array {
  const made = compilers[0]?.createContext().createTarget(hostInfo(), null);
  if (made?.ok !== true) throw new Error("there is no compiler for the host");
  const module = made.value.createModule();
  const steps = [() => module.compileOpenCLC("kernel void fill(global int* out, int value) { out[get_global_id(0)] = value + get_global_id(0); }", { headers: [] }), () => module.link([]), () => module.finalize()];
  for (const step of steps) {
    const result = step();
    if (!result.ok) throw new Error(result.error.message);
  }
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
  runAll({ target: host, executable: hostExecutable() });
});

describe("reference target", () => {
  runAll({ target: REFERENCE_TARGET, executable: referenceExecutable(["fill"]) });
});

const cases: readonly UnitMuxCase[] = unitMuxCases({ target: REFERENCE_TARGET, executable: referenceExecutable(["fill"]) });

test("every entry point has its success and an error for each rule and check", () => {
  expect(ENTRY_POINTS).toHaveLength(63);
  for (const { name, parameters, checks } of ENTRY_POINTS) {
    const tested = new Set(cases.filter(({ entryPoint }) => entryPoint === name).map(({ tests }) => tests));
    const features = new Set(["cachedHost", "counterSupport", "queueCounterSupport", "cloneSupport", "builtinSupport"]);
    const wanted = ["success", ...parameters.flatMap(({ rules }) => rules), ...checks.filter((check) => !features.has(check))];
    expect(wanted.filter((check) => !tested.has(check)), name).toEqual([]);
  }
});

test("the stub target has no devices and answers feature_unsupported", () => {
  expect(STUB_TARGET.getDeviceInfos(9)).toEqual([]);
  expect(STUB_TARGET.createDevice(hostInfo())).toMatchObject({ ok: false, error: { message: "the stub target has no muxCreateDevices" } });
});

test("a target that does nothing right is found out", () => {
  const broken = { ...REFERENCE_TARGET, name: "broken", commandFillBuffer: () => ({ ok: true as const, value: undefined }) };
  const failures = unitMuxCases({ target: { ...broken, createDevice: (info) => {
    const made = REFERENCE_TARGET.createDevice(info);
    if (made.ok) Object.defineProperty(made.value, "target", { value: broken });
    return made;
  } }, executable: referenceExecutable(["fill"]) }).filter(({ run }) => {
    try {
      run();
      return false;
    } catch {
      return true;
    }
  });
  expect(failures.map(({ entryPoint }) => entryPoint)).toContain("muxCommandFillBuffer");
});
