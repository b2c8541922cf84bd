// SPDX-License-Identifier: Apache-2.0
// Native code in Node: the bridge (`@muxkit/x64-runtime`), opened when it is first asked for, and what the processor
// must have for it.
import { type Result, err, ok } from "@muxkit/cargo";
import type { CodeObject } from "@muxkit/x64-assembler";
import { readCodeObject } from "@muxkit/x64-assembler/code-object";
import { featureBit } from "@muxkit/x64-assembler/features";
import { type Bridge, CodeSpace, bridgePath, likelyFeatures, openBridge, LARGE_PAGE } from "@muxkit/x64-runtime";

import { largeBlocks } from "./large-blocks.ts";
import { NativeDevice } from "./native-device.ts";
import { type NativeCode, type NativePart, type NativeTier, featuresUpTo } from "./native-part.ts";
import { NO_VERIFIER, type NativeVerifier, givenVerifier } from "./native-verifier.ts";
import { webAssembly } from "./web-assembly.ts";

const AVX2 = ["avx2", "fma", "f16c", "bmi1", "bmi2", "lzcnt", "popcnt"];

/** The tiers, and what processors must have for each. */
const TIERS: readonly (readonly [feature: NativeTier, needs: readonly string[]])[] = [
  ["x64.3", AVX2],
  ["x64.4", [...AVX2, "avx512f", "avx512vl", "avx512bw", "avx512dq", "avx512cd"]],
];

/**
 * The folder for the bridge's file: that of everything that is kept, which MUXKIT_CACHE names; the temporary one of a
 * user without a home.
 */
function folderOf(node: NodeJS.Process): string {
  const { homedir, tmpdir } = node.getBuiltinModule("node:os");
  const path = node.getBuiltinModule("node:path");
  const { MUXKIT_CACHE: asked = "", XDG_CACHE_HOME: system = "" } = node.env;
  if (asked !== "" && asked !== "off") return path.join(asked, "native");
  if (system.startsWith("/")) return path.join(system, "muxkit", "native");
  try {
    return path.join(homedir(), ".cache", "muxkit", "native");
  } catch {
    // A user without a home.
    return path.join(tmpdir(), `muxkit-native-${node.getuid?.() ?? 0}`);
  }
}

/** A feature of devices on which `on` asks for native code of every kernel. */
const ALWAYS = "x64.3-always";

function loadVerifier(node: NodeJS.Process): NativeVerifier | null {
  const given = givenVerifier();
  if (given !== null) return given;
  try {
    return node.getBuiltinModule("node:module").createRequire(import.meta.url)(
      "@muxkit/x64-assembler",
    ) as NativeVerifier;
  } catch {
    // A program that was bundled by others into one file.
    return null;
  }
}

/** The tiers of a processor with features. */
function tiersOf(has: (feature: string) => boolean): readonly NativeTier[] {
  return TIERS.filter(([, needs]) => needs.every(has)).map(([tier]) => tier);
}

/** Whether the engine guards memories. That is its decision for the process, so a small memory shows it. */
function guardsMemories(bridge: Bridge): boolean {
  const { buffer } = new webAssembly.Memory({ initial: 1, maximum: 65_536, shared: true });
  return bridge.memoryOf(new Uint8Array(buffer)).ok;
}

function nativeCode(node: NodeJS.Process, bridge: Bridge, features: readonly string[], bits: number): NativeCode {
  const space = new CodeSpace(bridge);
  const stops = new Set<() => void>();
  let listens = false;
  let known: { readonly verifier: NativeVerifier | null } | null = null;
  const theVerifier = (): NativeVerifier | null => (known ??= { verifier: loadVerifier(node) }).verifier;
  let isGuarded: boolean | null = null;
  const refusal = (object: CodeObject): string | null => {
    const verifier = theVerifier();
    if (verifier === null) return NO_VERIFIER;
    const verified = verifier.verifyObject(object, bits);
    return verified.ok ? null : verified.error.reason;
  };
  return {
    features,
    thread: bridge,
    descriptor: bridge.descriptor,
    isUsable: () => bridge.hasHandlers() && (isGuarded ??= guardsMemories(bridge)),
    memoryOf: (memory) =>
      bridge.hasHandlers()
        ? bridge.memoryOf(memory)
        : err("Native code is not used, because another addon has taken the place of its signal handlers."),
    adviseLarge: (address, bytes) => {
      const begin = Math.ceil(address / LARGE_PAGE) * LARGE_PAGE;
      const end = Math.floor((address + bytes) / LARGE_PAGE) * LARGE_PAGE;
      // Where the system has no such pages, memory has small ones.
      if (end > begin) bridge.largePages(begin, end - begin);
    },
    read: readCodeObject,
    canVerify: () => theVerifier() !== null,
    refusal,
    place: (code) => space.place(code),
    release: (address, bytes) => {
      space.release(address, bytes);
    },
    atExit: (stop) => {
      if (!listens)
        node.on("exit", () => {
          for (const one of stops) one();
        });
      listens = true;
      stops.add(stop);
      return () => {
        stops.delete(stop);
      };
    },
  };
}

function open(node: NodeJS.Process): Result<NativeCode, string> {
  const bridge = openBridge(folderOf(node));
  if (!bridge.ok) return bridge;
  const bits = bridge.value.features();
  const has = (name: string): boolean => (bits & (featureBit(name) ?? 0)) !== 0;
  const able = tiersOf(has);
  const [lowest] = TIERS;
  if (able.length > 0 || lowest === undefined) return ok(nativeCode(node, bridge.value, able, bits));
  const missing = lowest[1].filter((name) => !has(name)).join(", ");
  return err(`Native code is not used, because this processor does not have ${missing}.`);
}

function none(why: string): Result<never, string> {
  return err(`Native code is not used, because ${why}.`);
}

/** The part of devices in Node. */
export function nodeNative(node: NodeJS.Process): NativePart {
  let opened: Result<NativeCode, string> | null = null;
  let likely: readonly NativeTier[] | null = null;
  const certain: NativePart["features"] = (mode, tier) => {
    const code = mode === "off" ? null : part.open();
    if (code?.ok !== true || !code.value.isUsable()) return [];
    const features = featuresUpTo(code.value.features, tier);
    return mode === "on" ? [...features, ALWAYS] : features;
  };
  const part: NativePart = {
    file: () => bridgePath(folderOf(node)),
    open: () => (opened ??= open(node)),
    largeBlocks,
    features: (mode, tier) => {
      if (mode !== "auto" || opened !== null) return certain(mode, tier);
      if (likely === null) {
        const features = likelyFeatures();
        likely = tiersOf((feature) => features.has(feature));
      }
      return featuresUpTo(likely, tier);
    },
    lacks: (mode, tier, feature) =>
      likely !== null &&
      featuresUpTo(likely, tier).some((one) => one === feature) &&
      !certain(mode, tier).includes(feature),
    device: (mode, tier, owner) => {
      if (mode === "off") return none("the setting MUXKIT_NATIVE is off");
      if (!owner.memory.shared) return none("the memory of this device is not shared");
      const code = part.open();
      if (!code.ok) return code;
      const base = code.value.memoryOf(owner.memory.views.bytes);
      return base.ok
        ? ok(new NativeDevice(code.value, owner, base.value, featuresUpTo(code.value.features, tier)))
        : base;
    },
  };
  return part;
}
