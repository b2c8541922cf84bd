// SPDX-License-Identifier: Apache-2.0
// How a page opens a device where nobody chooses anything: there are no variables of an environment.
import { SYSTEM } from "#system";

import { MAX_THREADS } from "./control-layout.ts";
import type { CoreSettings } from "./device-core.ts";
import { SHARED_LIMIT, UNSHARED_LIMIT } from "./limits.ts";
import { type HostParts, NO_PARTS } from "./parts.ts";
import { WEB_ENVIRONMENT } from "./web-environment.ts";

/** Settings for all threads of a page that is isolated, else for the page's own thread. @public */
export function pageSettings(parts: HostParts = NO_PARTS): CoreSettings {
  const shared = typeof SharedArrayBuffer !== "undefined";
  return {
    environment: WEB_ENVIRONMENT,
    threads: shared ? Math.min(SYSTEM.parallelism(), MAX_THREADS - 2) : 1,
    shared,
    memoryLimit: shared ? SHARED_LIMIT : UNSHARED_LIMIT,
    eager: true,
    helps: true,
    redZone: 0,
    debug: false,
    deadline: 0,
    workerUrl: null,
    print: WEB_ENVIRONMENT.print,
    native: "off",
    nativeTier: "x64.3",
    parts,
  };
}
