// SPDX-License-Identifier: Apache-2.0
// What the compiler made of a job's kernel, asked through the compiler interface: the code that the job runs is
// compiled again, with ears.
import { chooseLocalSize } from "@muxkit/loader";
import { readFileSync } from "node:fs";

import { type Result, err, groupBy } from "@muxkit/cargo";
import {
  type AccessReport,
  type KernelReport,
  type ProgramInput,
  type RegionReport,
  type SourceLocation,
  readIncludeFile,
  buildProgram,
  costText,
  openclC,
} from "@muxkit/compiler";
import { hostDeviceInfo } from "@muxkit/host";
import { HOST_COMPILER } from "@muxkit/host-compiler";
import type { MuxDeviceInfo } from "@muxkit/mux";

import { type Job, JobError } from "./job.ts";
import { shaderOf } from "./shader-file.ts";
import { interfaceOf } from "./shader-interface.ts";

/** A kernel's report, with the launch that it is for. */
export interface Explanation extends KernelReport {
  readonly localSize: readonly [number, number, number];
}

/**
 * What a build with these options makes of each kernel of a program; the error is the build log, or a sentence where
 * there is none.
 */
export function explainProgram(
  input: ProgramInput,
  options: string,
  device: MuxDeviceInfo = hostDeviceInfo({}, 1),
): Result<readonly KernelReport[], string> {
  const target = HOST_COMPILER.createContext().createTarget(device, null);
  if (!target.ok) return err(target.error.message);
  const module = target.value.createModule();
  const built = buildProgram(module, input, options);
  if (!built.ok) return err(module.log === "" ? built.error.message : module.log);
  const explained = module.explain();
  return explained.ok ? explained : err(explained.error.message);
}

/** Compiles a job's kernel and gives what there is to tell of it and its launch. Throws a {@link JobError}. */
export function explainJob(job: Job, options: string | null, localAuto: boolean): Explanation {
  const fail = (message: string): never => {
    throw new JobError(`${job.name}: ${message}`);
  };
  const device = hostDeviceInfo({}, 1);
  const explained = explainProgram(
    openclC(readFileSync(job.source, "utf8"), { headers: [], readFile: readIncludeFile }),
    `${options ?? job.options} -S "${job.source.replaceAll('"', "")}"`,
    device,
  );
  if (!explained.ok) return fail(explained.error);
  const report = explained.value.find(({ kernel }) => kernel === job.kernel);
  if (report === undefined)
    return fail(
      `there is no kernel "${job.kernel}"; there are ${explained.value.map(({ kernel }) => kernel).join(", ")}`,
    );
  const local =
    localAuto || job.local === null
      ? chooseLocalSize(
          job.global,
          [device.maxWorkGroupSizeX, device.maxWorkGroupSizeY, device.maxWorkGroupSizeZ],
          null,
        )
      : job.local;
  return { ...report, localSize: [local[0] ?? 1, local[1] ?? 1, local[2] ?? 1] };
}

/** The same for a job's compute shader, of which Vulkan makes a pipeline. Throws a {@link JobError}. */
export function explainShader(job: Job): Explanation {
  const code = shaderOf(job);
  const { entry, localSize } = interfaceOf(job, code);
  const specialization = new Map([0, 1, 2].map((id) => [id, new Uint8Array(localSize.slice(id, id + 1).buffer)]));
  const explained = explainProgram({ kind: "spirv", source: code, specialization }, "", hostDeviceInfo({}, 1));
  if (!explained.ok) throw new JobError(`${job.name}: ${explained.error}`);
  const report = explained.value.find(({ kernel }) => kernel === entry.name);
  if (report === undefined) throw new Error(`the compiler has made nothing of the shader "${entry.name}"`);
  return { ...report, localSize: entry.localSize };
}

function locationText(place: SourceLocation | null): string {
  return place === null ? "of the compiler" : `${place.file}:${place.line}:${place.column}`;
}

function accessLines(accesses: readonly AccessReport[]): readonly string[] {
  const way = Math.max(0, ...accesses.map((access) => access.way.length));
  return accesses.map((access) => `    ${access.way.padEnd(way)}  ${access.what}  ${locationText(access.place)}`);
}

/** What costs most, where something stands out. */
function costLines(region: RegionReport): readonly string[] {
  const text = costText(region);
  return text === "" ? [] : [`    ${text}`];
}

/** What to change, each thing once, with the places that it is about. */
function adviceLines(accesses: readonly AccessReport[]): readonly string[] {
  const byAdvice = groupBy(
    accesses.filter(({ advice }) => advice !== null),
    ({ advice }) => advice ?? "",
  );
  return [...byAdvice].map(
    ([advice, list]) =>
      `    to make ${list.length === 1 ? "it" : "them"} faster ` +
      `(${[...new Set(list.map(({ place }) => (place === null ? "?" : `line ${place.line}`)))].join(", ")}): ` +
      advice,
  );
}

/** What a work-group's rows leave over: vectors are filled from one row unless they go on in the next group. */
function leftOver({ width }: RegionReport, { spansGroups, localSize, dimension }: Explanation): readonly string[] {
  const row = localSize[dimension] ?? 1;
  const left = row % width;
  if (width === 1 || spansGroups || left === 0) return [];
  const along = "xyz"[dimension] ?? "x";
  return [
    `    work-groups have ${row} work-items along ${along}, of which ` +
      `${left === row ? "all" : left} run one at a time; to fix it: a local size that is a ` +
      `multiple of ${width} along ${along}`,
  ];
}

function regionLines(region: RegionReport, index: number, explanation: Explanation): readonly string[] {
  const { dimension } = explanation;
  const what = explanation.regions.length === 1 ? "  " : `  region ${index}: `;
  const width =
    region.width === 1
      ? "one work-item at a time"
      : `${region.width} work-items along ${"xyz"[dimension] ?? "x"} at ` +
        `once${region.rows === 1 ? "" : `, ${region.rows} rows together`}`;
  const refusal =
    region.refusal === null
      ? []
      : [
          `    ${locationText(region.refusal.place)}: ${region.refusal.reason}`,
          `    to fix it: ${region.refusal.advice}`,
        ];
  const tested = region.isTested
    ? ["    vectors inside the bounds run without masks; the accesses are listed for them"]
    : [];
  return [
    `${what}${width}: ${region.reason}`,
    ...refusal,
    ...leftOver(region, explanation),
    ...tested,
    ...costLines(region),
    ...accessLines(region.accesses),
    ...adviceLines(region.accesses),
  ];
}

/** An explanation as text. */
export function describeExplanation(explanation: Explanation): string {
  const { kernel, regions, spansGroups, localSize } = explanation;
  const head =
    `kernel ${kernel}, work-groups of ` +
    `${localSize.join(" × ")}${regions.length > 1 ? `, ${regions.length} regions between barriers` : ""}` +
    (spansGroups ? "; vectors span several work-groups" : "");
  return `${[head, ...regions.flatMap((region, i) => regionLines(region, i, explanation))].join("\n")}\n`;
}
