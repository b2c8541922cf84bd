// SPDX-License-Identifier: Apache-2.0
// Jobs that are set aside: the draw of their names, their folders, both sizes of each.
import { readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";

import { expect, test } from "vitest";

import { GROUPS, type JobFile, jobsOf, wantedJobs } from "../bench/groups.ts";
import { type Halves, drawSetAside } from "../bench/set-aside.ts";

const kept = JSON.parse(readFileSync(join(import.meta.dirname, "../../benchmarks/set-aside.json"), "utf8")) as {
  readonly seed: number;
  readonly families: Readonly<Record<string, Halves>>;
};

interface JobText {
  readonly name: string;
  readonly source: string;
  readonly kernel: string;
  readonly args: readonly object[];
}

const textOf = ({ path }: JobFile): JobText => JSON.parse(readFileSync(path, "utf8")) as JobText;

function groupJobs(name: string, isTiny: boolean): readonly JobFile[] {
  const group = GROUPS.find((one) => one.name === name);
  if (group === undefined) throw new Error(`there is no group ${name}`);
  return jobsOf(group, isTiny);
}

test("the halves are those that the seed draws", () => {
  const families = Object.fromEntries(
    Object.entries(kept.families).map(([family, { tuned, setAside }]) => [family, [...tuned, ...setAside]]),
  );
  expect(drawSetAside(families, kept.seed)).toEqual(kept.families);
});

test.each([
  ["wider", "tuned"],
  ["set-aside", "setAside"],
] as const)("the folder of %s has its half, in the sources of its families", (group, half) => {
  const expected = Object.entries(kept.families).flatMap(([family, halves]) =>
    halves[half].map((name) => `${name} in ${family}.cl`),
  );
  const found = groupJobs(group, false).map((job) => `${job.name} in ${textOf(job).source}`);
  expect(found).toEqual(expected.toSorted());
});

test.each(GROUPS.map(({ name }) => name))("jobs of %s have two sizes of the same kernel", (name) => {
  const [full, tiny] = [false, true].map((isTiny) =>
    groupJobs(name, isTiny).map((job) => {
      const { source, kernel, args, name: called } = textOf(job);
      expect(called).toBe(job.name);
      return { kernel, source: resolve(dirname(job.path), source), args: args.map((arg) => Object.keys(arg)[0]) };
    }),
  );
  expect(tiny).toEqual(full);
});

const names = (groups: string | undefined, only: string | undefined): readonly string[] =>
  wantedJobs({ groups, only, isTiny: true }).map((job) => `${job.group.name}/${job.name}`);

test("names select jobs and groups; unknown ones are refused", () => {
  expect(names("suite,wider", "sha1,copy")).toEqual(["suite/copy", "wider/sha1"]);
  expect(new Set(names(undefined, undefined)).size).toBe(names(undefined, undefined).length);
  expect(() => names("suite", "sha1")).toThrow('there is no job "sha1"');
  expect(() => names("all", undefined)).toThrow('there is no group "all"; there are suite, wider, set-aside');
});
