// SPDX-License-Identifier: Apache-2.0
// The site: `npm run site` serves it while it is written, `-- build` makes static files of it, `-- preview` serves
// these. The pages that are made of documents and API reports come first.
import { spawnSync } from "node:child_process";
import { join } from "node:path";

import { writePages } from "./generate/pages.ts";

const USAGE = `npm run site                     serves the site while pages are edited
npm run site -- build            writes static files to out/site
npm run site -- preview          serves these
  --base /muxkit/                the path that the site is served under
  --port 5173                    the port of a server`;

const VERBS: ReadonlySet<string> = new Set(["dev", "build", "preview"]);

/** Runs a command of the site; returns the exit code. */
function main(args: readonly string[]): number {
  const isNamed = args[0] !== undefined && !args[0].startsWith("-");
  const verb = isNamed ? args[0] : "dev";
  const rest = isNamed ? args.slice(1) : args;
  if (verb === undefined || !VERBS.has(verb) || rest.includes("--help")) {
    console.error(rest.includes("--help") ? USAGE : `there is no command "${String(verb)}" of the site\n${USAGE}`);
    return rest.includes("--help") ? 0 : 2;
  }
  const root = join(import.meta.dirname, "..");
  if (verb !== "preview") {
    const count = writePages(root);
    console.log(`${String(count)} pages are made of documents and API reports`);
  }
  const program = join(root, "node_modules/vitepress/bin/vitepress.js");
  return (
    spawnSync(process.execPath, ["--conditions=source", program, verb, import.meta.dirname, ...rest], {
      stdio: "inherit",
      env: { ...process.env, ...baseOf(rest) },
    }).status ?? 1
  );
}

function baseOf(args: readonly string[]): Readonly<Record<string, string>> {
  const at = args.indexOf("--base");
  const base = at < 0 ? undefined : args[at + 1];
  return base === undefined ? {} : { MUXKIT_SITE_BASE: base };
}

process.exitCode = main(process.argv.slice(2));
