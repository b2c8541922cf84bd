// SPDX-License-Identifier: Apache-2.0
// Every setting of the host's devices: one row for each option.
import {
  type Setting,
  SETTING_KINDS,
  SettingError,
  type SettingValue,
  nameKind,
  namesKind,
  settingValue,
} from "@muxkit/cargo";

import { FLAGGED_FEATURES, type FlaggedFeature } from "./engine.ts";
import { SHARED_LIMIT } from "./limits.ts";
import { NATIVE_MODES, NATIVE_TIERS, type NativeMode, type NativeTier } from "./native-part.ts";
import type { HostOptions } from "./options.ts";
import { SYSTEM } from "#system";

/** What a setting of devices is by name. @public */
export interface HostSettings {
  /** See {@link HostOptions.threads}. */
  readonly threads: number;
  /** See {@link HostOptions.deadline}. */
  readonly deadline: number;
  /** See {@link HostOptions.isolated}. */
  readonly isolated: boolean;
  /** See {@link HostOptions.engine}. */
  readonly eager: boolean;
  /** See {@link HostOptions.engine}. */
  readonly wasmFeatures: readonly FlaggedFeature[];
  /** See {@link HostOptions.engine}. */
  readonly native: NativeMode;
  /** See {@link HostOptions.engine}. */
  readonly nativeTier: NativeTier;
  /** See {@link HostOptions.memoryLimit}. */
  readonly memoryLimit: number;
  /** See {@link HostOptions.sharedMemory}. */
  readonly sharedMemory: boolean;
  /** See {@link HostOptions.helping}. */
  readonly helping: boolean;
  /** See {@link HostOptions.redZone}. */
  readonly redZone: number;
  /** See {@link HostOptions.debug}. */
  readonly debug: boolean;
}

const of = (name: string): string => `openDevice({ ${name} })`;

/** The settings: a row for each. @public */
export const HOST_SETTINGS: { readonly [Name in keyof HostSettings]: Setting<HostSettings[Name]> } = {
  threads: {
    kind: SETTING_KINDS.count,
    variable: "MUXKIT_THREADS",
    option: of("threads"),
    fallback: () => SYSTEM.parallelism(),
  },
  deadline: {
    kind: SETTING_KINDS.milliseconds,
    variable: "MUXKIT_DEADLINE",
    option: of("deadline"),
    fallback: () => 0,
  },
  isolated: {
    kind: SETTING_KINDS.flag,
    variable: null,
    option: of("isolated"),
    fallback: () => false,
  },
  eager: {
    kind: SETTING_KINDS.flag,
    variable: "MUXKIT_EAGER",
    option: of("engine: { eager }"),
    fallback: () => true,
  },
  wasmFeatures: {
    kind: namesKind(FLAGGED_FEATURES),
    variable: "MUXKIT_WASM_FEATURES",
    option: of("engine: { features }"),
    fallback: () => [],
  },
  native: {
    kind: nameKind(NATIVE_MODES),
    variable: "MUXKIT_NATIVE",
    option: of("engine: { native }"),
    fallback: () => "off",
  },
  nativeTier: {
    kind: nameKind(NATIVE_TIERS),
    variable: "MUXKIT_NATIVE_TIER",
    option: of("engine: { nativeTier }"),
    fallback: () => "x64.4",
  },
  memoryLimit: {
    kind: SETTING_KINDS.count,
    variable: "MUXKIT_MEMORY_LIMIT",
    option: of("memoryLimit"),
    fallback: () => SHARED_LIMIT,
  },
  sharedMemory: {
    kind: SETTING_KINDS.flag,
    variable: "MUXKIT_SHARED_MEMORY",
    option: of("sharedMemory"),
    fallback: () => typeof SharedArrayBuffer !== "undefined",
  },
  helping: {
    kind: SETTING_KINDS.flag,
    variable: null,
    option: of("helping"),
    fallback: () => true,
  },
  redZone: {
    kind: SETTING_KINDS.amount,
    variable: "MUXKIT_RED_ZONE",
    option: of("redZone"),
    fallback: () => 0,
  },
  debug: {
    kind: SETTING_KINDS.flag,
    variable: "MUXKIT_DEBUG",
    option: of("debug"),
    fallback: () => false,
  },
};

/** The value of a setting in options; undefined: none. @public */
export function givenHostSetting(name: keyof HostSettings, options: HostOptions): unknown {
  if (name === "eager") return options.engine?.eager;
  if (name === "native" || name === "nativeTier") return options.engine?.[name];
  return name === "wasmFeatures" ? options.engine?.features : options[name];
}

/** The value of one setting, and its origin. Throws a SettingError with a sentence for a value that it cannot have. */
export function hostSettingValue<Name extends keyof HostSettings>(
  name: Name,
  options: HostOptions,
): SettingValue<HostSettings[Name]> {
  const row = HOST_SETTINGS[name];
  const environment = row.variable === null ? {} : { [row.variable]: SYSTEM.setting(row.variable) };
  const found = settingValue<HostSettings[Name]>(name, row, environment, givenHostSetting(name, options));
  if (!found.ok) throw new SettingError(found.error);
  return found.value;
}

/** The same without the origin. */
export function hostSetting<Name extends keyof HostSettings>(name: Name, options: HostOptions): HostSettings[Name] {
  return hostSettingValue(name, options).value;
}

/** Throws a SettingError for the first value that a setting cannot have. */
export function checkSettings(options: HostOptions): void {
  for (const name of Object.keys(HOST_SETTINGS) as (keyof HostSettings)[]) hostSetting(name, options);
}
