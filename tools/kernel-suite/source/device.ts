// SPDX-License-Identifier: Apache-2.0
// The device that the suite builds for.
import { hostDeviceInfo } from "@muxkit/host";
import type { MuxDeviceInfo } from "@muxkit/mux";

/** The device that the suite builds for. */
export const SUITE_DEVICE: MuxDeviceInfo = hostDeviceInfo({}, 1);
