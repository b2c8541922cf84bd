// SPDX-License-Identifier: Apache-2.0
// Runs each entry of the gallery with its kernels and with its plain functions, and compares what is shown after some
// frames. `node --conditions=source site/test/playground-gallery.ts` exits with 1 where they differ.
import { readFileSync } from "node:fs";
import { join } from "node:path";

import { openDevice } from "muxkit";

import { deviceBackend, shapesOf } from "../playground/engine/device-backend.ts";
import { Session, firstValues } from "../playground/engine/session.ts";
import { twinBackend } from "../playground/engine/twin-backend.ts";
import { ENTRIES } from "../playground/gallery/entries.ts";
import { TWINS } from "../playground/gallery/twins.ts";
import { completeSetup } from "../playground/model/complete-setup.ts";
import type { Elements } from "../playground/model/kernel-types.ts";

const FRAMES = 3;
/** Floats of the kernels are single, those of plain functions double: so many of 255 levels do not count. */
const LEVELS = 8;
/** Share of numbers that may differ by more: edges of what escapes or not. */
const SHARE = 0.02;

/** Share of numbers that differ. */
function differing(a: Elements, b: Elements): number {
  let count = 0;
  for (let i = 0; i < a.length; i++) if (Math.abs((a[i] ?? 0) - (b[i] ?? 0)) > LEVELS) count++;
  return a.length === b.length ? count / a.length : 1;
}

const device = await openDevice();
for (const { name, setup: given } of ENTRIES) {
  // One entry after the other, in little memory.
  // oxlint-disable-next-line no-await-in-loop
  const twin = await TWINS[name]?.();
  const source = readFileSync(join(import.meta.dirname, `../playground/gallery/${name}/kernel.cl`), "utf8");
  using program = device.program(source);
  const kernels = shapesOf(program);
  const setup = completeSetup(given, kernels);
  const shown = setup.show.kind === "table" ? (setup.show.buffers[0] ?? "") : setup.show.buffer;
  if (twin === undefined) throw new Error(`${name} has no plain functions`);
  const kernelSession = new Session(deviceBackend(device, program), setup, kernels, null);
  const plainSession = new Session(twinBackend(twin), setup, kernels, null);
  for (const session of [kernelSession, plainSession]) {
    session.start(firstValues(setup));
    for (let frame = 0; frame < FRAMES; frame++) session.frame({ ...firstValues(setup), frame });
  }
  // oxlint-disable-next-line no-await-in-loop
  const [a, b] = await Promise.all([kernelSession.read(shown), plainSession.read(shown)]);
  if (a === null || b === null) throw new Error(`${name} has no buffer ${shown}`);
  const share = differing(a.elements, b.elements);
  const isFlat = a.elements.every((value) => value === a.elements[0]);
  const verdict = share > SHARE || isFlat ? "WRONG" : "ok";
  console.log(`${name.padEnd(20)} ${verdict.padEnd(6)} ${(share * 100).toFixed(2)} % differ`);
  if (verdict !== "ok") process.exitCode = 1;
  kernelSession.destroy();
}
