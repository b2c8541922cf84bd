// SPDX-License-Identifier: Apache-2.0
// The server of Vulkan without the compiler: what `server-part.ts` is for OpenCL.
import {
  setCompilers,
  vkCreateDevice,
  vkCreateInstance,
  vkDestroyDevice,
  vkDestroyInstance,
  vkEnumeratePhysicalDevices,
} from "@muxkit/vulkan";
import { hostDeviceFor, useNativeVerifier } from "muxkit/parts";

import type { CompilerLibrary } from "@muxkit/loader";
import type { CompileSurroundings } from "./compile-worker.ts";
import type { CompilerPart } from "./compiler-part.ts";
import { serveFrames } from "./serve.ts";
import { VulkanSession } from "./vulkan-session.ts";

/** Compilers that are loaded when the first pipeline is made. */
function lazily(load: () => CompilerPart): CompilerLibrary {
  return {
    get compilers(): CompilerPart["compilers"] {
      return load().compilers;
    },
  };
}

/** Serves the library that started this process. What pipelines compile runs by `compiling`. */
export function serveLibrary(
  load: () => CompilerPart,
  _worker: URL,
  _surroundings: CompileSurroundings,
  compiling: <T>(work: () => T) => T,
): void {
  setCompilers(lazily(() => compiling(load)));
  useNativeVerifier(load);
  serveFrames(({ transport, memory }) => {
    const session = new VulkanSession(transport, memory);
    hostDeviceFor({
      print: (text) => {
        session.print(text);
      },
      environment: memory.environment,
    });
    return {
      greet: ({ request }, openChannel) => {
        openChannel();
        transport.send(1, request, 0);
      },
      handle: (frame) => {
        session.handle(frame);
      },
      fail: (request, error) => {
        session.fail(request, error);
      },
    };
  });
}

/** Does once what servers do, so that what the engine compiles for it can be kept. */
export function practise(load: () => CompilerPart): void {
  setCompilers(lazily(load));
  hostDeviceFor({ print: () => undefined });
  const instance = vkCreateInstance({});
  const [physical] = vkEnumeratePhysicalDevices(instance);
  if (physical === undefined) throw new Error("there is no device");
  const device = vkCreateDevice(physical, { pQueueCreateInfos: [{ queueFamilyIndex: 0, pQueuePriorities: [1] }] });
  vkDestroyDevice(device);
  vkDestroyInstance(instance);
}
