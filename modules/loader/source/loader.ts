// SPDX-License-Identifier: Apache-2.0
// Finds the compiler for a device. "No compiler" is a legal answer: binaries still run.
import { type Result, err, ok } from "@muxkit/cargo";
import type { Info } from "@muxkit/compiler";
import type { MuxDeviceInfo } from "@muxkit/mux";

/** Where compilers come from. @public */
export interface CompilerLibrary {
  /** The compilers, the preferred first. */
  readonly compilers: readonly Info[];
}

/** The library without a compiler: every device then runs binaries only. @public */
export const NO_COMPILER: CompilerLibrary = { compilers: [] };

/** The first compiler of the library that makes code for the device; null when there is none. @public */
export function compilerForDevice(library: CompilerLibrary, device: MuxDeviceInfo): Info | null {
  return library.compilers.find((info) => info.supports(device)) ?? null;
}

function isInfo(value: unknown): value is Info {
  if (typeof value !== "object" || value === null) return false;
  const info: Partial<Record<keyof Info, unknown>> = value;
  return (
    typeof info.name === "string" && typeof info.supports === "function" && typeof info.createContext === "function"
  );
}

/**
 * Loads a compiler library at run time: a module that exports `compilers`, an array of `Info`.
 *
 * @param specifier - what `import()` takes: a package name or file URL; the empty string means "no compiler"
 * @param load - replaces `import()`, so that tests and bundlers can
 * @returns the library, or a sentence that names the specifier and the error
 *
 * @public
 */
export async function loadCompilerLibrary(
  specifier: string,
  load: (specifier: string) => Promise<unknown> = (name) => import(name) as Promise<unknown>,
): Promise<Result<CompilerLibrary, string>> {
  if (specifier === "") return ok(NO_COMPILER);
  let found: unknown;
  try {
    found = await load(specifier);
  } catch (cause) {
    return err(
      `the compiler "${specifier}" cannot be loaded: ${cause instanceof Error ? cause.message : String(cause)}`,
    );
  }
  const list: unknown =
    typeof found === "object" && found !== null && "compilers" in found ? found.compilers : undefined;
  if (!Array.isArray(list)) return err(`"${specifier}" is no compiler library: it exports no array "compilers"`);
  const compilers: Info[] = [];
  for (const item of list as readonly unknown[]) {
    if (!isInfo(item))
      return err(
        `"${specifier}" is no compiler library: an entry of "compilers" has no name, supports or createContext`,
      );
    compilers.push(item);
  }
  return ok({ compilers });
}
