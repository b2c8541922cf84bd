// SPDX-License-Identifier: Apache-2.0
// A driver that remembers the launches that went through it, and starts them again back to back: what a launch costs
// when the next one waits behind it, without what the runtime does around it.
import { ok } from "@muxkit/cargo";
import type { CudaDriver, CudaGpu, GpuLaunch, Handle } from "@muxkit/cuda";

type Start = CudaGpu["start"];

/** A driver, and the launches since the last `forget`. */
export interface TimingDriver {
  readonly driver: CudaDriver;
  /** Forgets the launches. */
  readonly forget: () => void;
  /** µs of one round of the launches, of `rounds` that were started one behind the other. */
  readonly replay: (rounds: number) => number;
}

/** Where launches are started again. */
interface Replay {
  readonly gpu: CudaGpu;
  readonly stream: Handle;
  readonly event: Handle;
}

type Answer<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly error: { readonly message: string } };

function must<T>(result: Answer<T>): T {
  if (!result.ok) throw new Error(result.error.message);
  return result.value;
}

/** A driver whose launches can be started again. Its `replay` throws where a launch fails. */
export function timingDriver(driver: CudaDriver): TimingDriver {
  let seen: GpuLaunch[] = [];
  let place: Replay | null = null;
  const watched = (gpu: CudaGpu): CudaGpu => {
    place = { gpu, stream: must(gpu.createStream()), event: must(gpu.createEvent(false)) };
    const start: Start = (stream, work) => {
      if (work.kind === "launch") seen.push(work);
      return gpu.start(stream, work);
    };
    return new Proxy(gpu, {
      get: (target, name: keyof CudaGpu) => {
        if (name === "start") return start;
        const member: unknown = target[name];
        return typeof member === "function" ? member.bind(target) : member;
      },
    });
  };
  return {
    driver: {
      gpus: driver.gpus,
      stopsKernels: driver.stopsKernels,
      reachesHost: driver.reachesHost,
      version: driver.version,
      open: (index) => {
        const opened = driver.open(index);
        return opened.ok ? ok(watched(opened.value)) : opened;
      },
    },
    forget: () => {
      seen = [];
    },
    replay: (rounds) => {
      if (place === null) throw new Error("no GPU is open");
      const { gpu, stream, event } = place;
      const finish = (): void => {
        must(gpu.record(event, stream));
        must(gpu.finish(event));
      };
      finish();
      const begin = performance.now();
      for (let round = 0; round < rounds; round++) for (const one of seen) must(gpu.start(stream, one));
      finish();
      return ((performance.now() - begin) * 1000) / rounds;
    },
  };
}
