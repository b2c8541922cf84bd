/**
 * `muxkit/opencl`: the OpenCL API with the host target and its compiler ready.
 *
 * @packageDocumentation
 */
import { hostDeviceFor } from "./host-platform.ts";
import { useOwnCompiler } from "./own-compiler.ts";

useOwnCompiler();
hostDeviceFor({});

export * from "@muxkit/opencl";
