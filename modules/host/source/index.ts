/**
 * The CPU target's runtime half: implements mux on worker threads.
 *
 * @packageDocumentation
 */
export { DeviceCore } from "./device-core.ts";
export { NODE_ENVIRONMENT } from "./environment.ts";
