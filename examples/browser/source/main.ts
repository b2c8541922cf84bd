// SPDX-License-Identifier: Apache-2.0
/// <reference lib="dom" />
// The page: what is in the text area is compiled and run, and its result and time are shown.
import { openDevice } from "muxkit";

import { EXAMPLES, type Example } from "./examples.ts";

/** A kernel that runs longer is stopped: what is typed may never end. ms. */
const DEADLINE = 5000;

function element<T extends HTMLElement>(id: string, type: new () => T): T {
  const found = document.getElementById(id);
  if (!(found instanceof type)) throw new Error(`the page has no ${type.name} "${id}"`);
  return found;
}

const about = element("about", HTMLParagraphElement);
const canvas = element("canvas", HTMLCanvasElement);
const choice = element("example", HTMLSelectElement);
const button = element("run", HTMLButtonElement);
const output = element("result", HTMLPreElement);
const source = element("source", HTMLTextAreaElement);
const time = element("time", HTMLParagraphElement);

/** What kernels print. */
let printed = "";

const status = element("device", HTMLParagraphElement);
const device = await openDevice({
  deadline: DEADLINE,
  print: (text) => {
    printed += text;
  },
}).catch((error: unknown) => {
  status.textContent = `There is no device: ${String(error)}`;
  throw error;
});
status.textContent = crossOriginIsolated
  ? `This page is isolated: ${device.threads} threads share the work.`
  : "This page is not isolated: the work is done on the page's own thread. Serve it with " +
    "the headers of isolated pages, and threads share the work.";

function chosen(): Example {
  const example = EXAMPLES[choice.value];
  if (example === undefined) throw new Error(`there is no example "${choice.value}"`);
  return example;
}

/** Compiles the text, runs its first kernel and shows what comes of it. */
async function compileAndRun(example: Example): Promise<void> {
  const begin = performance.now();
  const program = device.program(source.value);
  const compiled = performance.now() - begin;
  try {
    const [name] = program.kernelNames;
    if (name === undefined) throw new Error("there is no kernel in the text");
    const result = await example.run(device, program.kernel(name));
    time.textContent =
      `compiled in ${compiled.toFixed(1)} ms, ran in ${result.time.toFixed(1)} ms ` +
      `(${(result.workItems / result.time / 1000).toFixed(0)} million work-items/s)`;
    output.textContent = result.text + (printed === "" ? "" : `\n${printed}`);
    if (result.image !== undefined) {
      canvas.width = result.image.width;
      canvas.height = result.image.height;
      canvas.getContext("2d")?.putImageData(result.image, 0, 0);
    }
    canvas.hidden = result.image === undefined;
  } finally {
    program.destroy();
  }
}

async function run(): Promise<void> {
  if (button.disabled) return;
  button.disabled = true;
  printed = "";
  output.classList.remove("failed");
  time.textContent = "running …";
  try {
    await compileAndRun(chosen());
  } catch (error) {
    // The next read reports a failed launch again, unless the failure was handled before.
    await device.finish().catch(() => {});
    // The message has the source location.
    time.textContent = "";
    output.textContent = error instanceof Error ? error.message : String(error);
    output.classList.add("failed");
    canvas.hidden = true;
  } finally {
    button.disabled = false;
  }
}

function choose(): void {
  const example = chosen();
  source.value = example.source;
  about.textContent = example.about;
  void run();
}

choice.append(...Object.keys(EXAMPLES).map((name) => new Option(name)));
choice.addEventListener("change", choose);
button.addEventListener("click", () => void run());
source.addEventListener("keydown", (event) => {
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) void run();
});
canvas.addEventListener("click", ({ offsetX, offsetY }) => {
  if (button.disabled) return;
  const half = canvas.clientHeight / 2;
  chosen().click?.((offsetX - canvas.clientWidth / 2) / half, (offsetY - half) / half);
  void run();
});
button.disabled = false;
choose();
