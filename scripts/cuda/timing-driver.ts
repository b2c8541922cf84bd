// SPDX-License-Identifier: Apache-2.0
// A driver that remembers the launches that went through it, and starts them again back to back: what a launch costs
// when the next one waits behind it, without what the runtime does around it.
import type { CudaDriver } from "@muxkit/cuda";

type Launch = CudaDriver["launch"];

/** A driver, and the launches since the last `forget`. */
export interface TimingDriver {
  readonly driver: CudaDriver;
  /** Forgets the launches. */
  readonly forget: () => void;
  /** µs of one round of the launches, of `rounds` that were started one behind the other. */
  readonly replay: (rounds: number) => number;
}

function checked(result: ReturnType<Launch>): void {
  if (!result.ok) throw new Error(result.error.message);
}

/** A driver whose launches can be started again. Its `replay` throws where a launch fails. */
export function timingDriver(driver: CudaDriver): TimingDriver {
  let seen: Parameters<Launch>[] = [];
  const launch = (...[entry, grid, parameter, ...rest]: Parameters<Launch>): ReturnType<Launch> => {
    // The runtime fills the same bytes for its next launch.
    seen.push([entry, grid, parameter.slice(), ...rest]);
    return driver.launch(entry, grid, parameter, ...rest);
  };
  return {
    driver: new Proxy(driver, {
      get: (target, name: keyof CudaDriver) => {
        if (name === "launch") return launch;
        const member: unknown = target[name];
        return typeof member === "function" ? member.bind(target) : member;
      },
    }),
    forget: () => {
      seen = [];
    },
    replay: (rounds) => {
      checked(driver.synchronize());
      const begin = performance.now();
      for (let round = 0; round < rounds; round++) for (const one of seen) checked(driver.launch(...one));
      checked(driver.synchronize());
      return ((performance.now() - begin) * 1000) / rounds;
    },
  };
}
