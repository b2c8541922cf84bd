// SPDX-License-Identifier: Apache-2.0
// A device of the host target for tests, with a thread of its own.
import type { Result } from "@muxkit/cargo";
import { hostTarget } from "@muxkit/host";
import {
  DEFAULT_ALLOCATOR,
  MuxDeviceType,
  type MuxDevice,
  muxCreateDevices,
  muxDestroyDevice,
  muxGetDeviceInfos,
  registerTarget,
} from "@muxkit/mux";
import { afterAll } from "vitest";

/** The value of a result; throws its error. */
export function must<T>(result: Result<T, { readonly message: string }>): T {
  if (!result.ok) throw new Error(result.error.message);
  return result.value;
}

/** A device of a target of its own; it is destroyed after the tests of the file that asks. */
export function hostDevice(): MuxDevice {
  const number = registerTarget(hostTarget({ threads: 1, isolated: true }));
  const info = must(muxGetDeviceInfos(MuxDeviceType.cpu)).find(({ id }) => (id & 0xff) === number);
  if (info === undefined) throw new Error("the host lists no device");
  const [device] = must(muxCreateDevices([info], DEFAULT_ALLOCATOR)) as readonly [MuxDevice];
  afterAll(() => {
    must(muxDestroyDevice(device, DEFAULT_ALLOCATOR));
  });
  return device;
}
