// SPDX-License-Identifier: Apache-2.0
// What each setting of the host's devices does. This is no part of the settings' rows, since pages have no use for it.
import type { HostSettings } from "./settings.table.ts";

/** A sentence for each. @public */
export const HOST_SETTING_DOCS: Readonly<Record<keyof HostSettings, string>> = {
  threads: "Threads that run work-groups, the calling one included; 1 starts none.",
  deadline: "Longest run time of one launch in ms; a longer one fails. 0: no limit.",
  isolated: "The device has a memory of its own; otherwise all devices with the same options share one.",
  eager: "Small kernels go straight to the engine's optimising compiler, by its flags; otherwise they are warmed up.",
  wasmFeatures: "Experimental features of V8, where it has them (Node 24 on x86-64): fp16 converts halves, revectorize joins vectors to 32 bytes, but compiles some kernels wrong.",
  native: "Kernels run as machine code (`muxkit info` says where): off, on, auto.",
  nativeTier: "The highest tier of machine code: x64.3 (AVX2) or x64.4 (AVX-512). Devices take the best that there is.",
  memoryLimit: "Most bytes of device memory; of memory that is not shared 1 GiB by default.",
  sharedMemory: "Threads share memory; without it everything runs on the calling thread.",
  helping: "A thread that waits takes work-groups instead of sleeping.",
  redZone: "Bytes of red zone on either side of each memory object and of program-scope variables. A launch that writes there fails, and the error names the kernel and the argument.",
  debug: "Page 0 of the device's memory is checked after each command buffer.",
};
