/**
 * What every compiler target shares: module states, front end, linking, the built-in library.
 *
 * @packageDocumentation
 */
export { BaseModule, type TargetTraits } from "./base-module.ts";
export { libraryContext } from "./library-linker.ts";
