// SPDX-License-Identifier: Apache-2.0
/**
 * OpenCL for native programs: the server half of a client driver, and the driver on disk.
 *
 * @packageDocumentation
 */
export {
  type Places,
  InstallError,
  build,
  isBuilt,
  isClosedToOthers,
  isCurrent,
  places,
  remove,
  systemPlaces,
} from "./library.ts";
export { serve } from "./serve.ts";
export * as internals from "./internals.ts";
