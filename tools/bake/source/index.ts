/**
 * Writes generated parts of the library; see bake.ts.
 *
 * @packageDocumentation
 */
import "./bake.ts";
