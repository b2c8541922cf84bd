/**
 * OpenCL for native programs: the server half of a client driver, and the driver on disk.
 *
 * @packageDocumentation
 */
export { type Places, InstallError, build, isBuilt, isCurrent, places, registerSystem, remove } from "./library.ts";
export { serve } from "./serve.ts";
export * as internals from "./internals.ts";
