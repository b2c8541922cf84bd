// SPDX-License-Identifier: Apache-2.0
// Targets of others: modules that a setting names, each with a runtime half, a compiler half, or both.
import { createRequire } from "node:module";
import { isAbsolute, join, resolve } from "node:path";

import { type Environment, SettingError } from "@muxkit/cargo";
import type { Info } from "@muxkit/compiler";
import { type MuxTarget, registerTarget } from "@muxkit/mux";
import { addCompilers } from "@muxkit/opencl";

/** The variable that names them, with commas between them. */
export const TARGETS_VARIABLE = "MUXKIT_TARGETS";

/** What a module of a target exports. */
interface TargetModule {
  /** Runtime halves. */
  readonly targets: readonly MuxTarget[];
  /** Compiler halves. */
  readonly compilers: readonly Info[];
}

/** Modules that were loaded, by their paths. */
const loaded = new Map<string, TargetModule>();

/** Why a module cannot be loaded, by the code of the error, where its own message is less clear. */
const REASONS: Readonly<Record<string, string>> = {
  ERR_UNKNOWN_FILE_EXTENSION:
    "this version of Node does not run TypeScript: use a JavaScript file, or Node 22.18 or newer",
  ERR_REQUIRE_ASYNC_MODULE: "it has a top-level await, but must be loaded synchronously",
  ERR_REQUIRE_ESM: "this version of Node cannot load ES modules synchronously; use Node 20.19 or newer",
  ERR_UNSUPPORTED_NODE_MODULES_TYPE_STRIPPING: "it is TypeScript in a package: packages must contain JavaScript",
};

function fail(specifier: string, reason: string): never {
  throw new SettingError(`the environment variable ${TARGETS_VARIABLE}: ${specifier} ${reason}`);
}

function pathOf(specifier: string, folder: string): string {
  if (specifier.startsWith(".") || isAbsolute(specifier)) return resolve(folder, specifier);
  try {
    return createRequire(join(folder, "package.json")).resolve(specifier);
  } catch (error) {
    return fail(
      specifier,
      `was not found from ${folder}: use a package that is installed there, or a path that ` +
        `begins with . or ${resolve("/")} ` +
        `(${error instanceof Error ? (error.message.split("\n", 1)[0] ?? "") : String(error)})`,
    );
  }
}

function isObjectWith(value: unknown, ...names: readonly string[]): boolean {
  return (
    typeof value === "object" &&
    value !== null &&
    names.every((name) => typeof (value as Readonly<Record<string, unknown>>)[name] === "function")
  );
}

/** An export that is a list, or one value. */
function listOf(specifier: string, name: string, value: unknown, ...methods: readonly string[]): readonly unknown[] {
  const list: readonly unknown[] = value === undefined ? [] : Array.isArray(value) ? value : [value];
  const wrong = list.findIndex((item) => !isObjectWith(item, ...methods));
  return wrong < 0
    ? list
    : fail(specifier, `exports "${name}", whose entry ${wrong} is not valid: it needs ${methods.join(", ")}`);
}

function load(specifier: string, path: string): TargetModule {
  let module: Readonly<Record<string, unknown>>;
  try {
    module = createRequire(path)(path) as Readonly<Record<string, unknown>>;
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "";
    return fail(
      specifier,
      `cannot be loaded: ${REASONS[code] ?? (error instanceof Error ? error.message : String(error))}`,
    );
  }
  const targets = listOf(
    specifier,
    "targets",
    module["targets"],
    "getDeviceInfos",
    "createDevice",
  ) as readonly MuxTarget[];
  const compilers = listOf(specifier, "compilers", module["compilers"], "createContext", "supports") as readonly Info[];
  if (targets.length === 0 && compilers.length === 0)
    fail(specifier, 'exports neither "targets" (the runtime half) nor "compilers" (the compiler half)');
  return { targets, compilers };
}

/**
 * Registers the targets that the environment names, each once. Packages are looked for from `folder`, paths are meant
 * from there. Throws a SettingError.
 */
export function useForeignTargets(environment: Environment, folder: string): void {
  const named =
    environment[TARGETS_VARIABLE]
      ?.split(",")
      .map((word) => word.trim())
      .filter((word) => word !== "") ?? [];
  for (const specifier of named) {
    const path = pathOf(specifier, folder);
    if (loaded.has(path)) continue;
    const module = load(specifier, path);
    loaded.set(path, module);
    for (const target of module.targets) registerTarget(target);
    if (module.compilers.length > 0) addCompilers({ compilers: module.compilers });
  }
}

/** The compilers of registered targets. */
export function foreignCompilers(): readonly Info[] {
  return [...loaded.values()].flatMap(({ compilers }) => compilers);
}
