// SPDX-License-Identifier: Apache-2.0
/**
 * Writes the generated parts of the library; run `npm run bake`.
 *
 * @packageDocumentation
 */
export { bakeLibrary } from "./bake.ts";
