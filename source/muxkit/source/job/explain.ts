// What the compiler made of a job's kernel, asked through the compiler interface: the launch's own specialisation is compiled again, with ears.
import { readFileSync } from "node:fs";

import type { AccessReport, KernelReport, LaunchFacts, RegionReport, SourcePlace } from "@muxkit/compiler";
import { hostDeviceInfo } from "@muxkit/host";
import { HOST_COMPILER } from "@muxkit/host-compiler";
import { chooseLocalSize } from "@muxkit/opencl";

import { type Job, JobError } from "./job.ts";

/** A kernel's report, with the launch that it is for. */
export interface Explanation extends KernelReport {
  readonly localSize: readonly [number, number, number];
}

/** Compiles a job's kernel for its launch and gives what there is to tell. Throws a {@link JobError}. */
export function explainJob(job: Job, options: string | null, localAuto: boolean): Explanation {
  const fail = (message: string): never => {
    throw new JobError(`${job.name}: ${message}`);
  };
  const device = hostDeviceInfo({}, 1);
  const target = HOST_COMPILER.createContext().createTarget(device, null);
  if (!target.ok) return fail(target.error.message);
  const module = target.value.createModule();
  const source = readFileSync(job.source, "utf8");
  const steps = [() => module.parseOptions(`${options ?? job.options} -S "${job.source.replaceAll('"', "")}"`, "build"), () => module.compileOpenCLC(source, { headers: [] }), () => module.link([]), () => module.finalize()];
  for (const step of steps) {
    const done = step();
    if (!done.ok) return fail(module.log === "" ? done.error.message : module.log);
  }
  const kernel = module.getKernel(job.kernel);
  if (kernel === null) return fail(`there is no kernel "${job.kernel}"`);
  const local = localAuto || job.local === null ? chooseLocalSize(job.global, [device.maxWorkGroupSizeX, device.maxWorkGroupSizeY, device.maxWorkGroupSizeZ], null) : job.local;
  const localSize: LaunchFacts["localSize"] = [local[0] ?? 1, local[1] ?? 1, local[2] ?? 1];
  const made = kernel.createSpecializedKernel({ localSize, uniformGroups: job.global.every((size, axis) => size % (localSize[axis] ?? 1) === 0), zeroOffset: true });
  if (!made.ok) return fail(made.error.message);
  return made.value.report === null ? fail("the compiler tells nothing of it") : { ...made.value.report, localSize };
}

function placeText(place: SourcePlace | null): string {
  return place === null ? "of the compiler" : `${place.file}:${place.line}:${place.column}`;
}

function accessLines(accesses: readonly AccessReport[]): readonly string[] {
  const way = Math.max(0, ...accesses.map((access) => access.way.length));
  return accesses.map((access) => `    ${access.way.padEnd(way)}  ${access.what}  ${placeText(access.place)}`);
}

/** What to change, each thing once, with the places that it is about. */
function adviceLines(accesses: readonly AccessReport[]): readonly string[] {
  const byAdvice = Map.groupBy(accesses.filter(({ advice }) => advice !== null), ({ advice }) => advice ?? "");
  return [...byAdvice].map(([advice, list]) => `    to make ${list.length === 1 ? "it" : "them"} faster (${[...new Set(list.map(({ place }) => (place === null ? "?" : `line ${place.line}`)))].join(", ")}): ${advice}`);
}

function regionLines(region: RegionReport, index: number, count: number, dimension: number): readonly string[] {
  const what = count === 1 ? "  " : `  region ${index}: `;
  const width = region.width === 1 ? "one work-item at a time" : `${region.width} work-items along ${"xyz"[dimension] ?? "x"} at once`;
  const refusal = region.refusal === null ? [] : [`    ${placeText(region.refusal.place)}: ${region.refusal.reason}`, `    to mend it: ${region.refusal.advice}`];
  const tested = region.isTested ? ["    vectors that pass a test run without the masks of borders; the accesses are theirs"] : [];
  return [`${what}${width}: ${region.reason}`, ...refusal, ...tested, ...accessLines(region.accesses), ...adviceLines(region.accesses)];
}

/** An explanation as text. */
export function describeExplanation({ kernel, regions, dimension, spansGroups, localSize }: Explanation): string {
  const head = `kernel ${kernel}, work-groups of ${localSize.join(" × ")}${regions.length > 1 ? `, ${regions.length} regions between barriers` : ""}${spansGroups ? "; vectors go on from one work-group to the next" : ""}`;
  return `${[head, ...regions.flatMap((region, i) => regionLines(region, i, regions.length, dimension))].join("\n")}\n`;
}
