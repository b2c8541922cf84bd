// SPDX-License-Identifier: Apache-2.0
// The server's first script, bundled by itself: it loads the others, with what the engine made of them when the driver
// was installed.
import { join } from "node:path";
import { pathToFileURL } from "node:url";

import { DiskStore, Scripts, Tiering } from "muxkit/start";

import type { CompilerPart } from "./compiler-part.ts";
import type { ServerPart } from "./server-part.ts";

/**
 * Time after which a server writes the engine's code cache, where none before has: for example after an update of Node.
 * In ms.
 */
const SETTLED_MS = 3000;

// The folder next to the library; `practise` only fills it.
const [folder = "", task = "serve"] = process.argv.slice(2);
// The library says what it speaks.
const PART = process.env["MUXKIT_ICD_API"] === "vulkan" ? "vulkan-part.cjs" : "server-part.cjs";
const tiering = new Tiering(null, "serving");
tiering.patient();
const scripts = new Scripts(import.meta.dirname, folder === "" ? null : new DiskStore(folder), tiering);
const { serveLibrary, practise } = scripts.load(PART) as ServerPart;
const load = (): CompilerPart => scripts.load("compiler-part.cjs") as CompilerPart;
if (task === "practise") practise(load);
else {
  const worker = pathToFileURL(join(import.meta.dirname, "compile-worker.js"));
  serveLibrary(load, worker, { folder, tiering: tiering.shared }, (work) => tiering.patiently(work));
}
// Commands come by the thousand: all but the compiler is optimised sooner.
tiering.usual();
const settle = (): void => {
  scripts.keep([task]);
};
if (task === "practise") settle();
else setTimeout(settle, SETTLED_MS).unref();
