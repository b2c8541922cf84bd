// SPDX-License-Identifier: Apache-2.0
// Every setting there is: one row for each, those of the host's devices among them. `muxkit info --config` prints them.
import { type DescribedSetting, type Environment, SETTING_KINDS, SettingError, type SettingValue, TRACE_SETTINGS, settingValue } from "@muxkit/cargo";
import { COMPILE_SETTINGS } from "@muxkit/loader";
import { HOST_SETTINGS, HOST_SETTING_DOCS, type HostOptions, type HostSettings, givenHostSetting } from "@muxkit/host";

import { cacheFolder } from "../cache/cache-folder.ts";
import { DEVICE_VARIABLE, GPU_VARIABLE } from "../gpu-targets.ts";
import { TARGETS_VARIABLE } from "../foreign-targets.ts";
import { DEFAULT_LIBRARY_ROOT, PRELOADED_VARIABLE } from "../library/compiler-mode-edge.ts";

/** All settings by name. */
export interface Settings extends HostSettings {
  /** Where built programs are kept, `off`, or null where no folder can be found. */
  readonly cache: string | null;
  /** See `COMPILE_SETTINGS`. */
  readonly compileBudget: number;
  /** See `COMPILE_SETTINGS`. */
  readonly takeover: number;
  /** True: Node and this program keep no code that the engine has compiled. */
  readonly noCodeCache: boolean;
  /** The file that a trace goes to; null: none. */
  readonly trace: string | null;
  /** Most events of a trace. */
  readonly traceEvents: number;
  /** The binary that devices are said to have been loaded with. */
  readonly preloadedBinary: string | null;
  /** The device that is opened where a program chooses none; null: the processor. */
  readonly device: string | null;
  /** `off`: GPUs are not looked for. */
  readonly gpu: string | null;
  /** Modules of further targets, with commas between them; null: none. */
  readonly targets: string | null;
  /** Options of every build besides the program's. */
  readonly extraBuildOptions: string | null;
  /** Options of every link besides the program's. */
  readonly extraLinkOptions: string | null;
  /** cl_altera_compiler_mode. */
  readonly offlineDevice: string | null;
  /** cl_altera_compiler_mode. */
  readonly compilerMode: number;
  /** cl_altera_compiler_mode. */
  readonly libraryRoot: string | null;
}

const { amount, flag, text } = SETTING_KINDS;

/** Rows of several settings, each by its name. */
type Rows<S> = { readonly [Name in keyof S]: DescribedSetting<S[Name]> };

/** Settings of the host's devices, with what they do. */
const HOST_ROWS = Object.fromEntries(
  Object.entries(HOST_SETTINGS).map(([name, row]) => [name, { ...row, doc: HOST_SETTING_DOCS[name as keyof HostSettings] }]),
) as unknown as Rows<HostSettings>;

/** The rows. */
export const SETTINGS: Rows<Settings> = {
  ...HOST_ROWS,
  cache: { kind: text, variable: "MUXKIT_CACHE", option: null, doc: "Folder of the cache of built programs, or off.", fallback: (environment) => cacheFolder(environment) },
  ...COMPILE_SETTINGS,
  noCodeCache: { kind: flag, variable: "NODE_DISABLE_COMPILE_CACHE", option: null, doc: "Disables the cache of muxkit's own compiled JavaScript.", fallback: () => false },
  ...TRACE_SETTINGS,
  preloadedBinary: { kind: text, variable: PRELOADED_VARIABLE, option: "preloadBinary(device, binary)", doc: "File with the program that is preloaded on the devices.", fallback: () => null },
  targets: { kind: text, variable: TARGETS_VARIABLE, option: "registerTarget, addCompilers", doc: "Modules of further targets, separated by commas: packages that are installed in the current folder, or paths. They export targets and compilers.", fallback: () => null },
  device: { kind: text, variable: DEVICE_VARIABLE, option: "openDevice({ type, name, index })", doc: "The device that openDevice opens: a kind (cpu, gpu, accelerator, custom), a number, both (gpu:1), or a part of a name.", fallback: () => null },
  gpu: { kind: text, variable: GPU_VARIABLE, option: null, doc: "With the value off, GPUs are not looked for.", fallback: () => null },
  extraBuildOptions: { kind: text, variable: "MUXKIT_EXTRA_BUILD_OPTIONS", option: null, doc: "Options that are added to every build and compilation.", fallback: () => null },
  extraLinkOptions: { kind: text, variable: "MUXKIT_EXTRA_LINK_OPTIONS", option: null, doc: "Options that are added to every link.", fallback: () => null },
  offlineDevice: { kind: text, variable: "CL_CONTEXT_OFFLINE_DEVICE_ALTERA", option: "clCreateContext, property of that name", doc: "First word of the name of an offline device: programs are compiled for it elsewhere.", fallback: () => null },
  compilerMode: { kind: amount, variable: "CL_CONTEXT_COMPILER_MODE_ALTERA", option: "clCreateContext, property of that name", doc: "How programs are built: by the compiler, into a library, from a library, or not at all.", fallback: () => 0 },
  libraryRoot: { kind: text, variable: "CL_CONTEXT_PROGRAM_EXE_LIBRARY_ROOT_ALTERA", option: "clCreateContext, property of that name", doc: "Folder of the program library.", fallback: () => DEFAULT_LIBRARY_ROOT },
};

/** The names, in order. */
export const SETTING_NAMES = Object.keys(SETTINGS) as readonly (keyof Settings)[];

function isHostSetting(name: keyof Settings): name is keyof HostSettings {
  return Object.hasOwn(HOST_SETTINGS, name);
}

/** The value of one setting, and who said it. Throws a SettingError for a value that it cannot have. */
export function readSetting<Name extends keyof Settings>(name: Name, environment: Environment, options: HostOptions = {}): SettingValue<Settings[Name]> {
  const found = settingValue<Settings[Name]>(name, SETTINGS[name], environment, isHostSetting(name) ? givenHostSetting(name, options) : undefined);
  if (!found.ok) throw new SettingError(found.error);
  return found.value;
}

/**
 * The typed config: every setting as environment and options make it. Throws a SettingError for the first value that is
 * wrong.
 */
export function readConfig(environment: Environment, options: HostOptions = {}): Settings {
  return Object.fromEntries(SETTING_NAMES.map((name) => [name, readSetting(name, environment, options).value])) as unknown as Settings;
}
