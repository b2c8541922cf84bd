// SPDX-License-Identifier: Apache-2.0
// Executables, kernels and prepared launches as mux entry points of the host.
import { ok, type Result } from "@muxkit/cargo";
import { type MuxFailure, type MuxKernel, MuxResult, type MuxTarget, MuxWfvStatus } from "@muxkit/mux";

import { selectVariant } from "./loaded-executable.ts";
import { argumentsOf, rangeOf } from "./mux-launch-arguments.ts";
import { HostMuxExecutable, HostMuxKernel, HostMuxLaunch } from "./mux-objects.ts";
import { deviceOf, failed, failedWith, own } from "./mux-recording.ts";

function unsupported(what: string): Result<never, MuxFailure> {
  return failed(MuxResult.error_feature_unsupported, `the host device has no ${what}`);
}

/** Work-items of a sub-group of a kernel: the same in all its variants. */
function subGroupSize(kernel: MuxKernel): number {
  return own(kernel, HostMuxKernel).host.metadata.variants[0]?.subGroupSize ?? 1;
}

/** Sub-groups of a work-group of a size. */
function subGroups(kernel: MuxKernel, [x, y, z]: readonly [number, number, number]): number {
  return Math.ceil((x * y * z) / subGroupSize(kernel));
}

/** The entry points for executables, kernels and prepared launches. */
export const PROGRAMS: Pick<
  MuxTarget,
  | "createExecutable"
  | "destroyExecutable"
  | "createKernel"
  | "createBuiltInKernel"
  | "queryMaxNumSubGroups"
  | "queryLocalSizeForSubGroupCount"
  | "querySubGroupSizeForLocalSize"
  | "queryWFVInfoForLocalSize"
  | "destroyKernel"
  | "createLaunch"
  | "destroyLaunch"
> = {
  createExecutable: (device, binary) => {
    const executable = deviceOf(device).host.createExecutable(binary);
    return executable.ok ? ok(new HostMuxExecutable(device, executable.value)) : failedWith(executable.error);
  },
  destroyExecutable: (_device, executable) => {
    own(executable, HostMuxExecutable).host.destroy();
  },
  createKernel: (device, executable, name) => {
    const kernel = own(executable, HostMuxExecutable).host.kernel(name);
    return kernel.ok ? ok(new HostMuxKernel(device, kernel.value)) : failedWith(kernel.error);
  },
  createBuiltInKernel: () => unsupported("built-in kernels"),
  queryMaxNumSubGroups: (kernel) => ok(Math.ceil(kernel.device.info.maxConcurrentWorkItems / subGroupSize(kernel))),
  queryLocalSizeForSubGroupCount: (kernel, count) => {
    const items = count * subGroupSize(kernel);
    const required = own(kernel, HostMuxKernel).host.metadata.requiredWorkGroupSize;
    if (required !== null) return ok(subGroups(kernel, required) === count ? required : [0, 0, 0]);
    return ok(items <= kernel.device.info.maxConcurrentWorkItems ? [items, 1, 1] : [0, 0, 0]);
  },
  querySubGroupSizeForLocalSize: (kernel, x, y, z) => ok(Math.min(subGroupSize(kernel), x * y * z)),
  queryWFVInfoForLocalSize: (kernel, x, y, z) => {
    const code = selectVariant(own(kernel, HostMuxKernel).host.loaded, [x, y, z], true, true);
    if (code === null || code.variant.vectorWidth === 1) return ok({ status: MuxWfvStatus.none, workWidth: [1, 1, 1] });
    const workWidth: [number, number, number] = [1, 1, 1];
    workWidth[code.variant.vectorDimension] = code.variant.vectorWidth;
    return ok({ status: MuxWfvStatus.success, workWidth });
  },
  destroyKernel: () => {
    // A kernel is a view of its executable.
  },
  createLaunch: (kernel, options) => {
    const list = argumentsOf(kernel.device, options.descriptors);
    if (!list.ok) return list;
    const launch = deviceOf(kernel.device).host.prepare({
      kernel: own(kernel, HostMuxKernel).host,
      arguments: list.value,
      ...rangeOf(options),
    });
    return launch.ok ? ok(new HostMuxLaunch(kernel, launch.value)) : failedWith(launch.error);
  },
  destroyLaunch: (_device, launch) => {
    own(launch, HostMuxLaunch).host.unuse();
  },
};
