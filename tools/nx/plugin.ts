// SPDX-License-Identifier: Apache-2.0
// Gives every package under modules/, source/ and tools/ the same tasks, so that no package.json repeats them: types,
// lint and test, and for those that are published bundle and api. A package without tests has no test task: vitest
// calls it a failure when there is nothing to run.
import { globSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";

interface Target {
  readonly executor: "nx:run-commands";
  readonly cache: true;
  readonly options: { readonly command: string; readonly cwd: string };
  readonly configurations?: Readonly<Record<string, { readonly command: string }>>;
  readonly dependsOn?: readonly string[];
  readonly inputs: readonly string[];
  readonly outputs: readonly string[];
}

interface Project {
  readonly targets: Readonly<Record<string, Target>>;
}

type Found = readonly [file: string, { readonly projects: Readonly<Record<string, Project>> }];

function task(command: string, cwd: string, rest: Omit<Target, "executor" | "cache" | "options">): Target {
  return { executor: "nx:run-commands", cache: true, options: { command, cwd }, ...rest };
}

function targetsOf(root: string): Readonly<Record<string, Target>> {
  return isPublished(root) ? { ...checks(root), ...publishing(root) } : checks(root);
}

function isPublished(root: string): boolean {
  const { private: isPrivate } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
    readonly private?: boolean;
  };
  return isPrivate !== true;
}

/** What every package has. */
function checks(root: string): Readonly<Record<string, Target>> {
  return {
    types: task("tsc -b tsconfig.json test/tsconfig.json && node ../../tools/build/prune-declarations.ts", root, {
      dependsOn: ["^types"],
      inputs: ["tests", "^sources"],
      outputs: ["{projectRoot}/dist/types", "{projectRoot}/dist/*.tsbuildinfo"],
    }),
    lint: task(`oxlint --type-aware --max-warnings=0 ${root}`, ".", {
      inputs: ["tests", "^sources", "{workspaceRoot}/.oxlintrc.json"],
      outputs: [],
    }),
    ...(globSync(`${root}/test/**/*.test.ts`).length === 0
      ? {}
      : {
          test: task(`vitest run --project ${basename(root)}`, ".", {
            inputs: ["tests", "^sources"],
            outputs: [],
          }),
        }),
  };
}

/** What published packages have. */
function publishing(root: string): Readonly<Record<string, Target>> {
  return {
    bundle: task("node ../../tools/build/bundle.ts", root, {
      inputs: ["sources", "^sources"],
      outputs: ["{projectRoot}/dist/esm", "{projectRoot}/dist/program"],
    }),
    api: task("node ../../tools/build/api.ts", root, {
      configurations: { accept: { command: "node ../../tools/build/api.ts --accept" } },
      dependsOn: ["types"],
      inputs: ["sources", "^sources", "{projectRoot}/etc/**/*"],
      outputs: ["{projectRoot}/dist/api"],
    }),
  };
}

export const name: string = "muxkit";

export const createNodes: readonly [glob: string, (files: readonly string[]) => readonly Found[]] = [
  "{modules,source,tools}/*/package.json",
  (files) =>
    files.map((file): Found => {
      const root = dirname(file);
      return [file, { projects: { [root]: { targets: targetsOf(root) } } }];
    }),
];
