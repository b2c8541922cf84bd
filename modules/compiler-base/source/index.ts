/**
 * What every compiler target shares: module states, front end, linking, the built-in library.
 *
 * @packageDocumentation
 */
export { BaseModule, FINALIZE_PASSES, type PortableForms, type TargetTraits } from "./base-module.ts";
export { libraryContext } from "./library-linker.ts";
