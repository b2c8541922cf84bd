// SPDX-License-Identifier: Apache-2.0
// What a device has where the processor runs kernels without WebAssembly.
import type { Result } from "@muxkit/cargo";
import type { CodeObject } from "@muxkit/x64-assembler";
import type { NativeThread } from "@muxkit/x64-runtime/thread";

import type { NativeDevice, NativeOwner } from "./native-device.ts";

/** Whether kernels run as native code: never, always where that is possible, or where it is worth it. @public */
export type NativeMode = "off" | "on" | "auto";

/** The modes. @public */
export const NATIVE_MODES: readonly NativeMode[] = ["off", "on", "auto"];

/** The highest tier of native code that a device may run. @public */
export type NativeTier = "x64.3" | "x64.4";

/** The tiers, lowest first: a processor that runs one runs those before. @public */
export const NATIVE_TIERS: readonly NativeTier[] = ["x64.3", "x64.4"];

/** What begins the names of sections of native code, and of the features that they need. */
const SECTION_PREFIX = ".x64.";
const FEATURE_PREFIX = "x64.";

/** Those of some features of native code that devices have which run no more than a tier. */
export function featuresUpTo(features: readonly string[], tier: NativeTier): readonly string[] {
  const allowed: ReadonlySet<string> = new Set(NATIVE_TIERS.slice(0, NATIVE_TIERS.indexOf(tier) + 1));
  return features.filter((feature) => allowed.has(feature));
}

/** True for names of sections that have native code. */
export function isNativeSection(name: string): boolean {
  return name.startsWith(SECTION_PREFIX);
}

/** True for features that are no matter of the engine. */
export function isNativeFeature(name: string): boolean {
  return name.startsWith(FEATURE_PREFIX);
}

/** Native code in this process. */
export interface NativeCode {
  /** The features that sections may need. */
  readonly features: readonly string[];
  /** False where no device could run any: what compilers would make native could not be loaded. */
  readonly isUsable: () => boolean;
  /** Calls from this thread. */
  readonly thread: NativeThread;
  /** The descriptor of the bridge's file, which stays open; -1: threads open it by its name. */
  readonly descriptor: number;
  /** The address of all bytes of a memory of kernels, or a sentence: why they could reach more than that. */
  readonly memoryOf: (memory: Uint8Array) => Result<number, string>;
  /** Says that memory, which nothing has touched, is large: by its address and its bytes. */
  readonly adviseLarge: (address: number, bytes: number) => void;
  /** What a section holds. The error is a sentence. */
  readonly read: (section: Uint8Array) => Result<CodeObject, string>;
  /** Whether there is a verifier. */
  readonly canVerify: () => boolean;
  /**
   * Null for code that can do nothing but compute and reach the kernel's memory, else a sentence: why it is refused.
   */
  readonly refusal: (object: CodeObject) => string | null;
  /** Places code where every thread can call it: its address, 0 when no space is left. */
  readonly place: (code: Uint8Array) => number;
  /** Takes the space back. Nobody may be in it or call it again. */
  readonly release: (address: number, bytes: number) => void;
  /** Has something called when the process ends, until what it returns is called. */
  readonly atExit: (stop: () => void) => () => void;
}

/** See the file's head. */
export interface NativePart {
  /** The file that threads load to call native code. */
  readonly file: () => string;
  /** Native code of this process, opened once, or a sentence: why there is none. */
  readonly open: () => Result<NativeCode, string>;
  /** That of a device. */
  readonly device: (mode: NativeMode, tier: NativeTier, owner: NativeOwner) => Result<NativeDevice, string>;
  /** What a device is to tell of large blocks: see large-blocks.ts. */
  readonly largeBlocks: (
    mode: NativeMode,
    open: () => Result<NativeDevice, string>,
    opened: () => Result<NativeDevice, string> | null,
  ) => (address: number, bytes: number) => void;
  /**
   * Features of native code that compilers may use for devices with shared memory. As long as nothing was opened,
   * `auto` has those that the processor has.
   */
  readonly features: (mode: NativeMode, tier: NativeTier) => readonly string[];
  /** Whether one that `features` has said is not there, when all that it needs is opened. */
  readonly lacks: (mode: NativeMode, tier: NativeTier, feature: string) => boolean;
}
