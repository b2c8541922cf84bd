// SPDX-License-Identifier: Apache-2.0
/**
 * `muxkit/start`: how programs start that are bundled as scripts, with the engine's code of a run before, as `muxkit`
 * itself is. For packages next to this one.
 *
 * @packageDocumentation
 */
export { DiskStore } from "../cache/disk-store.ts";
export { makeFolder } from "../make-folder.ts";
export { Scripts } from "./scripts.ts";
export { Tiering } from "./tiering.ts";
