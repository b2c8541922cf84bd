// SPDX-License-Identifier: Apache-2.0
// An executable on a device: its code compiled, its program-scope data in device memory, its kernels ready to be
// launched.
import { alignUp, err, ok, type Result } from "@muxkit/cargo";
import { LARGEST_ALIGNMENT, MEMORY_FLAGS, SHARED_MEMORY_PATCH, localArgumentSpace } from "@muxkit/kernel-abi";
import {
  type CodeSection,
  type ExecutableImage,
  findCode,
  patchedBytes,
  type KernelMetadata,
  type ProgramData,
  type Size3,
  type VariantMetadata,
} from "@muxkit/metadata";
import type { PrintfReader } from "@muxkit/printf";

import { strangePart } from "./code-shape.ts";
import type { Code, CodeError } from "./code-store.ts";
import type { DeviceCore } from "./device-core.ts";
import type { Block } from "./device-memory.ts";
import { runnableFeatures } from "./engine.ts";
import type { NativeDevice } from "./native-device.ts";
import { isNativeFeature, isNativeSection } from "./native-part.ts";
import { NO_VERIFIER } from "./native-verifier.ts";
import type { Cost, KernelCode, LaunchRange } from "./launch.ts";
import { webAssembly } from "./web-assembly.ts";

/** Assumed ns per work-item before a kernel has run. */
const GUESSED_COST = 60;

/** What code can import from `env`, by name. */
const IMPORTS: Readonly<Record<string, string>> = { memory: "memory", clock: "function" };

/**
 * Prefix of the names of the code sections that this loader reads besides those of native code; others are for other
 * targets.
 */
const CODE_FORMAT = ".wasm";

/** Whether a device, or a thread that compiles for one, has a feature. */
type HasFeature = (feature: string) => boolean;

/** One argument of a launch, with addresses instead of buffers. */
export type ArgumentValue =
  | { readonly kind: "address"; readonly address: number }
  | { readonly kind: "bytes"; readonly bytes: Uint8Array }
  | { readonly kind: "descriptor"; readonly bytes: Uint8Array }
  | { readonly kind: "local"; readonly size: number };

/** Program-scope data that several executables of one program may use (docs/decisions/024-program-data.md). */
export interface SharedData {
  readonly block: Block;
  users: number;
}

/** How native code is loaded. */
interface NativeLoad {
  /** True: it is not, since there is WebAssembly of the same kernels. */
  readonly isRefused?: boolean;
  /** Whether it was verified before; absent: it was not. */
  readonly isVerified?: () => boolean;
}

interface LoadedSection {
  readonly code: Code;
  readonly exports: readonly string[];
}

/** A kernel that can be launched. */
export interface LoadedKernel {
  readonly metadata: KernelMetadata;
  /** Variants that this engine can run. */
  readonly variants: readonly KernelCode[];
  /** What it cost so far. */
  readonly cost: Cost;
  /** What the program's calls of printf print; null: it has none. */
  readonly printf: readonly PrintfReader[] | null;
}

/** An executable on a device. */
export class LoadedExecutable {
  /** What calls of printf of its kernels print, for all of them; null: they have none. */
  readonly readers: readonly PrintfReader[] | null;
  readonly core: DeviceCore;
  readonly image: ExecutableImage;
  readonly #codes: readonly Code[];
  readonly #data: SharedData | null;
  readonly #kernels = new Map<string, LoadedKernel>();

  private constructor(
    core: DeviceCore,
    image: ExecutableImage,
    sections: ReadonlyMap<string, LoadedSection>,
    data: SharedData | null,
    has: HasFeature,
  ) {
    this.core = core;
    this.image = image;
    this.#codes = [...sections.values()].map(({ code }) => code);
    this.#data = data;
    const printf =
      image.printfCalls.length === 0 ? null : (core.settings.parts.printf?.readers(image.printfCalls) ?? null);
    this.readers = printf;
    for (const metadata of image.kernels) {
      const codes: KernelCode[] = [];
      for (const variant of runnable(image, metadata, has)) {
        const section = sections.get(variant.section);
        const functionIndex = section?.exports.indexOf(variant.functionName) ?? -1;
        if (section === undefined || functionIndex < 0) continue;
        codes.push({ code: section.code, functionIndex, variant });
        core.rangeTrace?.nameFunction(section.code.id, functionIndex, metadata.name);
      }
      this.#kernels.set(metadata.name, {
        metadata,
        variants: codes,
        cost: { perItem: GUESSED_COST, measured: false },
        printf,
      });
    }
  }

  /**
   * Compiles what was read of an executable. Program-scope data of `sameProgram` is used when it is not null, since all
   * variants of a program's kernels see the same variables. The error is a sentence; its code distinguishes faulty
   * bytes from a lack of memory.
   */
  static load(
    core: DeviceCore,
    image: ExecutableImage,
    sameProgram: LoadedExecutable | null,
    native: NativeLoad = {},
  ): Result<LoadedExecutable, CodeError> {
    const has: HasFeature = (feature) =>
      isNativeFeature(feature)
        ? native.isRefused !== true && core.native.ok && runsHere(core.native.value, feature, native)
        : runnableFeatures().has(feature);
    if (image.target !== "host")
      return err({
        code: "invalid_binary",
        message: `the executable is for the target "${image.target}", and this is "host"`,
      });
    if (!image.features.every(has))
      return err({
        code: "invalid_binary",
        message:
          `the executable needs ${image.features.join(", ")}, and the engine has ` +
          [...runnableFeatures()].join(", ") +
          (image.features.some(isNativeFeature) ? whyNotNative(core) : ""),
      });
    if (image.printfCalls.length > 0 && core.settings.parts.printf === null)
      return err({
        code: "invalid_binary",
        message:
          "the kernels print, and this program has no printf; bundle it with the plugin of muxkit, which imports it",
      });
    const sections = new Map<string, LoadedSection>();
    const undo = (): void => {
      for (const { code } of sections.values()) core.code.remove(code);
    };
    const wanted = wantedSections(image, has);
    for (const section of image.code) {
      // Code that no launch takes is not compiled.
      const isNative = isNativeSection(section.name);
      if (!wanted.has(section.name) || !(isNative ? section.features.every(has) : isOurs(section))) continue;
      const loaded = isNative ? placeSection(core, section, native) : loadSection(core, section);
      if (!loaded.ok) {
        undo();
        // No room for native code is no failure where the same kernels are there as WebAssembly.
        return isNative && loaded.error.code === "out_of_memory" && hasOtherCode(image, has)
          ? LoadedExecutable.load(core, image, sameProgram, { isRefused: true })
          : loaded;
      }
      sections.set(section.name, loaded.value);
    }
    const missing = missingVariant(image, sections);
    if (missing !== null) {
      undo();
      return err({ code: "invalid_binary", message: missing });
    }
    const data = shareData(core, image.programData, sameProgram);
    if (!data.ok) {
      undo();
      return err({ code: "out_of_memory", message: data.error });
    }
    return ok(new LoadedExecutable(core, image, sections, data.value, has));
  }

  /** The program-scope data; null when there is none. */
  get data(): SharedData | null {
    return this.#data;
  }

  /** The kernel of a name; null when there is none. */
  kernel(name: string): LoadedKernel | null {
    return this.#kernels.get(name) ?? null;
  }

  /** Releases code and data. */
  free(): void {
    for (const code of this.#codes) this.core.code.remove(code);
    if (this.#data !== null && --this.#data.users === 0) this.core.memory.free(this.#data.block);
  }
}

/**
 * Selects the variant for a launch: one specialised for its local size before the generic ones; among those the widest
 * whose vector fits the local size in its dimension. Null: none can run it.
 */
export function selectVariant(
  kernel: LoadedKernel,
  localSize: Size3,
  uniform: boolean,
  zeroOffset: boolean,
): KernelCode | null {
  let best: KernelCode | null = null;
  let bestScore = -1;
  for (const code of kernel.variants) {
    const { variant } = code;
    const generic = variant.localSize[0] === 0;
    if (!generic && !variant.localSize.every((size, i) => size === localSize[i as 0 | 1 | 2])) continue;
    if ((variant.needsUniformGroups && !uniform) || (variant.needsZeroOffset && !zeroOffset)) continue;
    const fits = localSize[variant.vectorDimension as 0 | 1 | 2] >= variant.vectorWidth;
    const score = (generic ? 0 : 1000) + (fits ? variant.vectorWidth : 0);
    if (score > bestScore) {
      best = code;
      bestScore = score;
    }
  }
  return best;
}

/** The variant for a launch over a range; null: none can run it. */
export function variantForRange(
  kernel: LoadedKernel,
  { localSize, globalSize, globalOffset }: LaunchRange,
): KernelCode | null {
  return selectVariant(
    kernel,
    localSize,
    globalSize.every((size, i) => size % localSize[i as 0 | 1 | 2] === 0),
    globalOffset.every((offset) => offset === 0),
  );
}

/** Packs arguments for a variant; local arguments follow its static local memory. The error is a sentence. */
export function packArguments(
  kernel: LoadedKernel,
  variant: VariantMetadata,
  values: readonly ArgumentValue[],
): Result<{ readonly bytes: Uint8Array; readonly localBytes: number }, string> {
  const { metadata } = kernel;
  if (values.length !== metadata.arguments.length) {
    return err(`kernel "${metadata.name}" takes ${metadata.arguments.length} arguments and got ${values.length}`);
  }
  // Written byte by byte: a small array without a buffer object of its own is cheap, and every launch makes one.
  const bytes = new Uint8Array(alignUp(Math.max(metadata.packedSize, 4), 4));
  const localStart = alignUp(variant.staticLocalBytes, LARGEST_ALIGNMENT);
  let localBytes = 0;
  for (let i = 0; i < values.length; i++) {
    const argument = metadata.arguments[i];
    const value = values[i];
    if (argument === undefined || value === undefined) continue;
    const where = `argument ${i} ("${argument.name}") of kernel "${metadata.name}"`;
    if (value.kind === "bytes") {
      if (argument.kind !== "value" && argument.kind !== "sampler")
        return err(`${where} is ${KIND_TEXT[argument.kind]}, not a value`);
      if (value.bytes.length !== argument.size)
        return err(`${where} has ${argument.size} bytes and got ${value.bytes.length}`);
      bytes.set(value.bytes, argument.offset);
    } else if (value.kind === "descriptor") {
      if (argument.kind !== "image") return err(`${where} is ${KIND_TEXT[argument.kind]}, not an image`);
      bytes.set(value.bytes, argument.offset);
    } else if (value.kind === "address") {
      if (argument.kind !== "pointer" && argument.kind !== "pipe")
        return err(`${where} is ${KIND_TEXT[argument.kind]}, not a buffer`);
      putWord(bytes, argument.offset, value.address);
    } else {
      if (argument.kind !== "local") return err(`${where} is ${KIND_TEXT[argument.kind]}, not local memory`);
      putWord(bytes, argument.offset, localStart + localBytes);
      localBytes += localArgumentSpace(value.size);
    }
  }
  return ok({ bytes, localBytes });
}

function putWord(bytes: Uint8Array, offset: number, value: number): void {
  bytes[offset] = value;
  bytes[offset + 1] = value >>> 8;
  bytes[offset + 2] = value >>> 16;
  bytes[offset + 3] = value >>> 24;
}

const KIND_TEXT = {
  value: "a value",
  pointer: "a buffer",
  local: "local memory",
  sampler: "a sampler",
  image: "an image",
  pipe: "a pipe",
} as const;

const engineHas: HasFeature = (feature) => runnableFeatures().has(feature);

/** True where each kernel that has native code here has other code too. */
function hasOtherCode(image: ExecutableImage, has: HasFeature): boolean {
  const hasOther: HasFeature = (feature) => !isNativeFeature(feature) && has(feature);
  return image.kernels.every(
    (kernel) => runnable(image, kernel, has).length === 0 || runnable(image, kernel, hasOther).length > 0,
  );
}

/** The engine features that a variant needs: its own and those of its section. */
function featuresOf(image: ExecutableImage, variant: VariantMetadata): ReadonlySet<string> {
  return new Set([...variant.engineFeatures, ...(findCode(image, variant.section)?.features ?? [])]);
}

/** True for variants for the same launches. */
function areAlike(left: VariantMetadata, right: VariantMetadata): boolean {
  return (
    left.localSize.every((size, i) => size === right.localSize[i]) &&
    left.needsUniformGroups === right.needsUniformGroups &&
    left.needsZeroOffset === right.needsZeroOffset
  );
}

/** True where the one needs all that the other does, and more. */
function needsMore(left: ReadonlySet<string>, right: ReadonlySet<string>): boolean {
  return left.size > right.size && [...right].every((feature) => left.has(feature));
}

/**
 * The variants of a kernel that this engine can run. Among those for the same launches, one that needs more features
 * than the others replaces them for every launch: it may round differently (docs/decisions/017-contraction.md), and
 * which variant runs has to depend on the engine alone. Native code replaces WebAssembly so.
 */
function runnable(image: ExecutableImage, { variants }: KernelMetadata, has: HasFeature): readonly VariantMetadata[] {
  const able = variants
    .map((variant) => ({ variant, features: featuresOf(image, variant), isNative: isNativeSection(variant.section) }))
    .filter(({ features }) => [...features].every(has));
  return able
    .filter(
      (one) =>
        !able.some(
          (other) =>
            areAlike(other.variant, one.variant) &&
            (other.isNative === one.isNative ? needsMore(other.features, one.features) : other.isNative),
        ),
    )
    .map(({ variant }) => variant);
}

/** Names of the sections that launches on this engine take their code from. */
export function wantedSections(image: ExecutableImage, has: HasFeature = engineHas): ReadonlySet<string> {
  return new Set(image.kernels.flatMap((kernel) => runnable(image, kernel, has)).map(({ section }) => section));
}

export function isOurs(section: CodeSection): boolean {
  return (
    (section.name === CODE_FORMAT || section.name.startsWith(`${CODE_FORMAT}.`)) && section.features.every(engineHas)
  );
}

/** The code of a section for memory that is shared, or not; null: it is not made for both. */
export function codeOf(section: CodeSection, isShared: boolean): Uint8Array<ArrayBuffer> | null {
  return patchedBytes(section, SHARED_MEMORY_PATCH, MEMORY_FLAGS[isShared ? "shared" : "plain"]);
}

function loadSection(core: DeviceCore, section: CodeSection): Result<LoadedSection, CodeError> {
  const bytes = codeOf(section, core.settings.shared);
  if (bytes === null)
    return err({
      code: "invalid_binary",
      message: `section "${section.name}" has a patch of its memory import that takes other values`,
    });
  const strange = strangePart(bytes);
  if (strange !== null)
    return err({
      code: "invalid_binary",
      message: `section "${section.name}" has ${strange}, which no code of kernels has`,
    });
  const code = core.code.add(bytes);
  if (!code.ok) return err({ code: code.error.code, message: `section "${section.name}": ${code.error.message}` });
  const module = core.code.module(code.value.slot, code.value.id);
  const unknown =
    module === null
      ? undefined
      : webAssembly.Module.imports(module).find(
          ({ module: from, name, kind }) => from !== "env" || IMPORTS[name] !== kind,
        );
  if (unknown !== undefined) {
    core.code.remove(code.value);
    return err({
      code: "invalid_binary",
      message:
        `section "${section.name}" imports ${unknown.kind} ${unknown.module}.${unknown.name}, which the device ` +
        "does not provide",
    });
  }
  const exports = module === null ? [] : webAssembly.Module.exports(module).map(({ name }) => name);
  return ok({ code: code.value, exports });
}

/** Whether native code that needs a feature can run here. */
function runsHere(device: NativeDevice, feature: string, { isVerified }: NativeLoad): boolean {
  return device.features.includes(feature) && (isVerified?.() === true || device.canVerify());
}

/** Why native code cannot run here, as the end of a message. */
function whyNotNative({ native }: DeviceCore): string {
  if (!native.ok) return `. ${native.error}`;
  return native.value.canVerify() ? "" : `. Machine code is not taken, because ${NO_VERIFIER}`;
}

function placeSection(
  core: DeviceCore,
  { name, bytes }: CodeSection,
  { isVerified }: NativeLoad,
): Result<LoadedSection, CodeError> {
  const placed = core.native.ok
    ? core.native.value.place(bytes, isVerified?.() === true)
    : err({ code: "invalid_binary" as const, message: core.native.error });
  return placed.ok ? placed : err({ ...placed.error, message: `section "${name}": ${placed.error.message}` });
}

/** Describes a variant whose function is missing; null when there is none. */
function missingVariant(image: ExecutableImage, sections: ReadonlyMap<string, LoadedSection>): string | null {
  for (const kernel of image.kernels) {
    for (const variant of kernel.variants) {
      const section = sections.get(variant.section);
      if (section !== undefined && !section.exports.includes(variant.functionName)) {
        return `section "${variant.section}" does not export "${variant.functionName}" of kernel "${kernel.name}"`;
      }
    }
  }
  return null;
}

function shareData(
  core: DeviceCore,
  data: ProgramData | null,
  sameProgram: LoadedExecutable | null,
): Result<SharedData | null, string> {
  if (data === null) return ok(null);
  const shared = sameProgram?.data ?? null;
  if (shared !== null) {
    shared.users++;
    return ok(shared);
  }
  const block = core.memory.allocate(
    Math.max(1, data.size),
    Math.max(LARGEST_ALIGNMENT, data.alignment),
    core.settings.redZone,
  );
  if (!block.ok) return block;
  const { views } = core.memory;
  const { address } = block.value;
  views.bytes.fill(0, address, address + data.size);
  views.bytes.set(data.bytes, address);
  for (const { offset, target } of data.relocations)
    new DataView(views.bytes.buffer).setUint32(address + offset, address + target, true);
  return ok({ block: block.value, users: 1 });
}
