/**
 * `muxkit/opencl`: the OpenCL API with the host target and its compiler ready.
 *
 * @packageDocumentation
 */
import { hostDeviceFor } from "./host-platform.ts";

hostDeviceFor({});

export * from "@muxkit/opencl";
