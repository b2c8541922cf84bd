// SPDX-License-Identifier: Apache-2.0
/**
 * Writes the generated parts of the library; run tools/bake/source/main.ts.
 *
 * @packageDocumentation
 */
export { bakeLibrary } from "./bake.ts";
