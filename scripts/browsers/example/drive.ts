// SPDX-License-Identifier: Apache-2.0
/// <reference lib="dom" />
// Uses the example page as somebody does who opened it, and reports what it shows. A script next to the page's own,
// which do not refer to it.
import type { CheckResult } from "../project/checks.ts";

/** What is reported in the end. */
export interface ExampleDone {
  readonly kind: "done";
  readonly isolated: boolean;
  readonly checks: readonly CheckResult[];
  readonly warnings: readonly string[];
}

/** ms: the longest that anything may take, and between two looks. */
const PATIENCE = 60_000;
const LOOK = 20;

const warnings: string[] = [];
console.warn = (...words: readonly unknown[]) => warnings.push(words.map(String).join(" "));

function find<T extends Element>(selector: string, type: new () => T): T {
  const found = document.querySelector(selector);
  if (!(found instanceof type)) throw new Error(`there is no ${selector}`);
  return found;
}

const button = find("#run", HTMLButtonElement);
const canvas = find("#canvas", HTMLCanvasElement);
const choice = find("#example", HTMLSelectElement);
const source = find("#source", HTMLTextAreaElement);

function textOf(selector: string): string {
  return find(selector, HTMLElement).textContent;
}

function expect(condition: boolean, what: string): void {
  if (!condition) throw new Error(what);
}

/** Waits until the page takes orders. */
async function ready(): Promise<void> {
  const begin = performance.now();
  while (button.disabled) {
    expect(
      performance.now() - begin < PATIENCE,
      `nothing happens after "${textOf("#device")}" and "${textOf("#time")}"`,
    );
    // Looking is all that there is to do.
    // oxlint-disable-next-line no-await-in-loop
    await new Promise((resolve) => {
      setTimeout(resolve, LOOK);
    });
  }
}

async function choose(name: string): Promise<void> {
  choice.value = name;
  choice.dispatchEvent(new Event("change"));
  await ready();
}

/** Writes a kernel and runs it: what is shown. */
async function write(text: string): Promise<string> {
  source.value = text;
  button.click();
  expect(button.disabled, "the button can be pressed again at once");
  await ready();
  return textOf("#result");
}

function expectTime(): void {
  expect(
    /^compiled in [\d.]+ ms, ran in [\d.]+ ms \(\d+ million work-items\/s\)$/u.test(textOf("#time")),
    textOf("#time"),
  );
}

/** Whether a point stays small for 500 steps, in the arithmetic of JavaScript. */
function staysSmall(cx: number, cy: number): boolean {
  let [x, y] = [0, 0];
  for (let step = 0; step < 500; step++) {
    if (x * x + y * y >= 16) return false;
    [x, y] = [x * x - y * y + cx, 2 * x * y + cy];
  }
  return true;
}

/** How much of the picture is black exactly where points stay small: of every 64th pixel. */
function rightPixels(x: number, y: number, scale: number): number {
  const { width, height } = canvas;
  const data = canvas.getContext("2d")?.getImageData(0, 0, width, height).data ?? new Uint8ClampedArray(0);
  let [right, all] = [0, 0];
  for (let row = 0; row < height; row += 8) {
    for (let column = 0; column < width; column += 8) {
      const at = 4 * (row * width + column);
      const black = data[at] === 0 && data[at + 1] === 0 && data[at + 2] === 0;
      if (
        data[at + 3] === 255 &&
        black === staysSmall(x + (scale * (2 * column - width)) / height, y + (scale * (2 * row - height)) / height)
      )
        right++;
      all++;
    }
  }
  return right / all;
}

const SAXPY_RESULT = "y = 1, 3.5, 6, 8.5, 11, 13.5, 16, 18.5, … 2621438.5";

const CHECKS: Readonly<Record<string, () => Promise<void> | void>> = {
  "the page says whether it is isolated": () => {
    const wanted = crossOriginIsolated ? `is isolated: ${navigator.hardwareConcurrency} threads` : "is not isolated";
    expect(textOf("#device").includes(wanted), textOf("#device"));
  },
  "the first example has run by itself": () => {
    expect(textOf("#result") === SAXPY_RESULT && canvas.hidden === true, textOf("#result"));
    expectTime();
  },
  "what is typed is what runs": async () => {
    const shown = await write(source.value.replace("a * x[i] + y[i]", "x[i] - y[i]"));
    expect(shown.startsWith("y = -1, 0, 1, 2,"), shown);
  },
  "what a kernel prints is shown": async () => {
    const shown = await write(
      `kernel void hello(global float* y, global float* x, float a) {
        if (get_global_id(0) == 3) printf("a is %.1f\\n", a);
      }`,
    );
    expect(shown.endsWith("\na is 2.5\n"), shown);
  },
  "an error is shown with its place": async () => {
    const shown = await write("kernel void broken(global float* x) { x[0] = ; }");
    expect(
      shown.includes("1:46") && textOf("#time") === "" && find("#result", HTMLElement).classList.contains("failed"),
      shown,
    );
  },
  "a kernel that takes something else is refused": async () => {
    const shown = await write("kernel void other(global float* y) { y[0] = 1; }");
    expect(shown.includes("other: 1 arguments are required"), shown);
  },
  "a kernel that never ends is stopped, and the next one runs": async () => {
    const shown = await write(
      "kernel void spin(global volatile float* y, global float* x, float a) { while (y[0] != 0.5f) y[1] += a; }",
    );
    expect(shown.includes("it ran longer than its deadline"), shown);
    await choose("saxpy");
    expect(
      textOf("#result") === SAXPY_RESULT && !find("#result", HTMLElement).classList.contains("failed"),
      textOf("#result"),
    );
  },
  "the picture is right, and a click goes into it": async () => {
    await choose("mandelbrot");
    expectTime();
    expect(!canvas.hidden, "there is no picture");
    const whole = rightPixels(-0.6, 0, 1.2);
    expect(whole > 0.99, `${whole} of the picture is right`);
    const { left, top, width, height } = canvas.getBoundingClientRect();
    canvas.dispatchEvent(
      new MouseEvent("click", { bubbles: true, clientX: left + width / 2 - height / 4, clientY: top + height / 2 }),
    );
    await ready();
    const [x = Number.NaN, y = Number.NaN] =
      textOf("#result")
        .match(/-?\d+\.\d{6}/gu)
        ?.map(Number) ?? [];
    expect(Math.abs(x + 1.2) < 0.01 && Math.abs(y) < 0.01, textOf("#result"));
    const part = rightPixels(x, y, 0.6);
    expect(part > 0.98, `${part} of the part is right`);
  },
};

const checks: CheckResult[] = [];
for (const [name, check] of [["the page opens", ready] as const, ...Object.entries(CHECKS)]) {
  // Each check continues with the page as the one before has left it.
  // oxlint-disable-next-line no-await-in-loop
  const failure = await Promise.resolve()
    .then(check)
    .then(
      () => null,
      (error: unknown) => (error instanceof Error ? error.message : String(error)),
    );
  checks.push({ name, failure });
  if (name === "the page opens" && failure !== null) break;
}
await fetch("/report", {
  method: "POST",
  body: JSON.stringify({ kind: "done", isolated: crossOriginIsolated, checks, warnings } satisfies ExampleDone),
});
