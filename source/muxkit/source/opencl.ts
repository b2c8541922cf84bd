// SPDX-License-Identifier: Apache-2.0
/**
 * `muxkit/opencl`: the OpenCL API with the host target and its compiler ready.
 *
 * @packageDocumentation
 */
import { registerHost } from "./register-host.ts";
import { useOwnCompiler } from "./own-compiler.ts";

useOwnCompiler();
registerHost({});

export { hostDeviceFor } from "./host-platform.ts";
export * from "@muxkit/opencl";
