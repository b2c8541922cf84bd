// SPDX-License-Identifier: Apache-2.0
// A module of any state as bytes: a small head with a checksum, the options in force, the IR's binary form.
import { ByteReader, ByteWriter, type Result, err, fnv1a, ok } from "@muxkit/cargo";
import { type CompilerOptions, DEFAULT_OPTIONS, type ModuleState, type VectorizationMode } from "@muxkit/compiler";
import { type Module, decodeModule, describeVerifierError, encodeModule, verifyModule } from "@muxkit/ir";

/** "MXKM", little-endian. */
const MAGIC = 0x4d4b_584d;
/** Version of this head; the IR has its own. */
const VERSION = 4;
/** Offset of the data that the checksum covers: after magic, version and the checksum itself. */
const BODY = 10;
const STATES: readonly ModuleState[] = ["none", "compiled_object", "library", "intermediate", "executable"];

/** Contents of a module file. @public */
export interface ModuleFile {
  /** How far it is. */
  readonly state: ModuleState;
  /** Options in force. */
  readonly options: CompilerOptions;
  /** Null in state none. */
  readonly module: Module | null;
}

/** Writes a module file. */
export function writeModuleFile({ state, options, module }: ModuleFile): Uint8Array {
  const writer = new ByteWriter();
  writer.u32(MAGIC);
  writer.u16(VERSION);
  writer.u32(0);
  writer.u8(STATES.indexOf(state));
  writer.text(JSON.stringify(options));
  if (module !== null) writer.raw(encodeModule(module));
  const bytes = writer.finish();
  new DataView(bytes.buffer).setUint32(BODY - 4, fnv1a(bytes.subarray(BODY)), true);
  return bytes;
}

/** True when an untrusted value is valid for an option of this kind. */
function isLike(value: unknown, like: unknown): boolean {
  if (like === null) return value === null || typeof value === "string";
  return typeof value === typeof like && Array.isArray(value) === Array.isArray(like);
}

function readOptions(text: string): CompilerOptions | null {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    // Reported as damage, with everything else that can be wrong with options.
    return null;
  }
  if (typeof json !== "object" || json === null) return null;
  const entries = Object.entries(json);
  const fits =
    entries.length === Object.keys(DEFAULT_OPTIONS).length &&
    Object.entries(DEFAULT_OPTIONS).every(([key, like]) => isLike(entries.find(([name]) => name === key)?.[1], like));
  if (!fits) return null;
  const options = json as CompilerOptions;
  return options.kernelVectorization.every(isKernelMode) &&
    options.deviceOptions.every((option: unknown) => typeof option === "string")
    ? options
    : null;
}

const MODES: ReadonlySet<unknown> = new Set<VectorizationMode>(["never", "always", "auto"]);

/** True for a kernel and how it is vectorised, of a value from outside. */
function isKernelMode(value: unknown): boolean {
  return (
    typeof value === "object" &&
    value !== null &&
    "kernel" in value &&
    typeof value.kernel === "string" &&
    "mode" in value &&
    MODES.has(value.mode)
  );
}

/** True for bytes with the prefix of a module file, as returned by `Module.serialize`. @public */
export function isModuleFile(bytes: Uint8Array): boolean {
  return new ByteReader(bytes).u32() === MAGIC && bytes.length >= BODY;
}

/**
 * Reads a module file. The error is a sentence; damaged bytes never throw, and IR that breaks the IR's rules is
 * refused.
 *
 * @public
 */
export function readModuleFile(bytes: Uint8Array): Result<ModuleFile, string> {
  const reader = new ByteReader(bytes);
  const magic = reader.u32();
  const version = reader.u16();
  const checksum = reader.u32();
  if (magic !== MAGIC || reader.error !== null) return err("the bytes are no module of this kit");
  if (version !== VERSION)
    return err(
      `the module was written by another version (format ${version}, this one reads ${VERSION}); compile it again`,
    );
  // Damage can leave IR that keeps all rules and means something else: a built-in of another name, for one.
  if (checksum !== fnv1a(bytes.subarray(BODY)))
    return err("the module is damaged: its checksum differs; compile it again");
  const state = STATES[reader.u8()];
  const options = readOptions(reader.text());
  if (state === undefined || options === null) return err("the module's head is damaged");
  const rest = bytes.subarray(reader.offset);
  if (state === "none")
    return rest.length === 0 ? ok({ state, options, module: null }) : err("the module's head is damaged");
  const module = decodeModule(rest);
  if (!module.ok)
    return err(`the module is damaged at byte ${reader.offset + module.error.offset}: ${module.error.message}`);
  const [broken] = verifyModule(module.value);
  return broken === undefined
    ? ok({ state, options, module: module.value })
    : err(`the module is damaged: ${describeVerifierError(broken)}`);
}
