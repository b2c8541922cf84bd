// SPDX-License-Identifier: Apache-2.0
// Whether this machine runs native code, for people who ask.
import { NATIVE } from "#native";

import { DeviceMemory } from "./device-memory.ts";
import { coreSettings, type HostOptions, sharesMemory } from "./options.ts";
import { type NativeMode, featuresUpTo } from "./native-part.ts";
import { NO_PARTS } from "./parts.ts";
import { hostSetting } from "./settings.table.ts";

/** What runs kernels. @public */
export interface NativeStatus {
  /** What the setting says. */
  readonly mode: NativeMode;
  /** The tier of native code that devices run, for example `x64.3`; null: WebAssembly alone. */
  readonly tier: string | null;
  /** A sentence: why there is no native code; null where there is. */
  readonly reason: string | null;
}

/**
 * What devices with these options run kernels with. It makes a memory as they have it, and looks. Throws a SettingError
 * for a value that an option cannot have.
 *
 * @public
 */
export function nativeStatus(options: HostOptions = {}): NativeStatus {
  const mode = hostSetting("native", options);
  const none = (reason: string): NativeStatus => ({ mode, tier: null, reason });
  if (mode === "off") return none("Native code is not used, because the setting MUXKIT_NATIVE is off.");
  if (NATIVE === null) return none("Native code runs in Node on Linux on x86-64.");
  if (!sharesMemory(options)) return none("Native code is not used, because the memory of devices is not shared.");
  const code = NATIVE.open();
  if (!code.ok) return none(code.error);
  const { environment, memoryLimit } = coreSettings(options, NO_PARTS);
  const opened = DeviceMemory.open(environment, true, memoryLimit);
  const memory = opened.ok ? code.value.memoryOf(opened.value.views.bytes) : opened;
  const tier = featuresUpTo(code.value.features, hostSetting("nativeTier", options)).at(-1) ?? null;
  return memory.ok ? { mode, tier, reason: null } : none(memory.error);
}
