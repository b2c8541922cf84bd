// SPDX-License-Identifier: Apache-2.0
// The library is no worse than docs/ulp.md records: the worst inputs on record, and a slice of the others.
import { readFileSync } from "node:fs";
import { join } from "node:path";

import {
  FORMATS,
  type Mpfr,
  SUBJECTS,
  type Subject,
  bitsOf,
  errorOf,
  inputsOf,
  isSwept,
  numberOf,
  openMpfr,
  openMuxkit,
  openSweep,
  pageOf,
  readGpuRecords,
  readLog,
  readRecords,
  remeasure,
  unitAt,
  worstOf,
} from "@muxkit/ulp";
import { afterAll, beforeAll, expect, test } from "vitest";

const records = readRecords();
const { device, run } = openMuxkit(1);
let mpfr: Mpfr;
beforeAll(async () => {
  mpfr = await openMpfr();
});
afterAll(() => device.close());

/** What a figure may be off: sweeps compare with doubles, and records have four digits. */
const CLOSE = 0.001;

test("every subject has a record within its limit, and the page shows it", () => {
  expect(SUBJECTS.map(({ key }) => key).filter((key) => records[key] === undefined)).toEqual([]);
  expect(
    SUBJECTS.filter(
      ({ key, limit }) => limit !== null && (records[key]?.ours.ulp ?? Infinity) > (limit === 0 ? 0.5 : limit),
    ).map(({ key }) => key),
  ).toEqual([]);
  expect(readFileSync(join(import.meta.dirname, "../../../docs/ulp.md"), "utf8")).toBe(
    pageOf(SUBJECTS, records, readGpuRecords()),
  );
});

test.each(SUBJECTS)("$key is no worse than on record", async (subject: Subject) => {
  const known = records[subject.key]?.ours;
  const most = (known?.ulp ?? 0) + CLOSE;
  const again = await remeasure({ mpfr }, run, subject, [known?.at ?? []]);
  expect(again.ulp, `at ${again.at.join(", ")}`).toBeLessThanOrEqual(most);
  // Some of the inputs that the record is of.
  const operands = inputsOf(subject, 500);
  const results = await run(subject, operands);
  if (typeof results === "string") throw new Error(results);
  const rows = Array.from({ length: 400 }, (_, i) => (i * 7919) % results.length);
  const worst = worstOf(mpfr, subject, operands, results, rows);
  expect(worst.ulp, `at ${worst.at.join(", ")}`).toBeLessThanOrEqual(most);
});

test.each(SUBJECTS.filter((subject) => isSwept(subject) && subject.options === "" && subject.base === subject.name))(
  "$key keeps to it over a sweep",
  async (subject) => {
    const sweep = openSweep(device, subject);
    const worst = await sweep.run(0, 1021, 1 << 16);
    sweep.close();
    expect(worst.ulp, `at ${worst.at.join(", ")}`).toBeLessThanOrEqual((records[subject.key]?.ours.ulp ?? 0) + CLOSE);
  },
);

test("-cl-denorms-are-zero changes no bit", async () => {
  const subject = SUBJECTS.find(({ key }) => key === "sin float") as Subject;
  const operands = inputsOf(subject, 100);
  expect(await run({ ...subject, options: "-cl-denorms-are-zero" }, operands)).toEqual(await run(subject, operands));
});

test("errors are counted as the specification defines them", () => {
  const subject = SUBJECTS.find(({ key }) => key === "exp float") as Subject;
  mpfr.evaluate("exp", [1]);
  expect(errorOf(mpfr, subject, Math.fround(Math.E))).toBeCloseTo(0.34623, 3);
  expect(errorOf(mpfr, subject, Math.fround(Math.E) + 2 ** -22)).toBeCloseTo(1 - 0.34623, 3);
  expect(errorOf(mpfr, subject, NaN)).toBe(Infinity);
  mpfr.evaluate("exp", [0]);
  // One is a power of two: its nearer neighbour is half as far away as the other.
  expect(errorOf(mpfr, subject, 1 + 2 ** -23)).toBe(2);
  mpfr.evaluate("exp", [89]);
  expect(errorOf(mpfr, subject, Infinity)).toBe(0);
  mpfr.evaluate("exp", [-200]);
  expect(errorOf(mpfr, subject, 2 ** -149)).toBeCloseTo(1, 6);
  expect(unitAt(FORMATS.double, 1e-320, false)).toBe(2 ** -1074);
});

test.each(Object.values(FORMATS))("numbers of $type go to bits and back", (format) => {
  for (const value of [0, -0, 1, -1.5, 2 ** format.least, 2 ** (format.least - format.precision + 1), Infinity])
    expect(numberOf(format, bitsOf(format, value))).toBe(value);
  expect(numberOf(format, bitsOf(format, NaN))).toBeNaN();
  expect(numberOf(format, bitsOf(format, 1 + 2 ** -format.precision))).toBe(1);
});

test("figures of a GPU are read from what it printed", () => {
  const log = [
    "GPU: NVIDIA H100",
    "  exp       2.070 ULP at 0xc0bb6d32, 3 are allowed",
    "  1 / x     0.980 ULP at 0x00000001, 2.5 are allowed",
  ].join("\n");
  expect(readLog(log)).toEqual({
    device: "NVIDIA H100",
    figures: [
      { name: "exp", ulp: 2.07, at: "0xc0bb6d32", limit: 3 },
      { name: "1 / x", ulp: 0.98, at: "0x00000001", limit: 2.5 },
    ],
  });
  expect(readLog("nothing")).toBeNull();
});

test("no function of a GPU is above its limit", () => {
  const { figures = [] } = readGpuRecords() ?? {};
  expect(figures.filter(({ ulp, limit }) => ulp > limit)).toEqual([]);
});
