// SPDX-License-Identifier: Apache-2.0
// The jobs of the benchmark suite, small, by the SPIR-V that we write: as kernels read again they have the same bytes,
// as compute shaders on lavapipe they are as near as the job asks. Lavapipe rounds products that are fused here.
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";

import { writeShaders } from "@muxkit/compiler-base";
import {
  type AnyLaunch,
  type DifferentialArgument,
  type Outcome,
  type ShaderValue,
  firstDifference,
  frontEndIr,
  runReference,
  shaderRunner,
  writtenSpirv,
} from "@muxkit/kernel-suite";
import { describeWriterError } from "@muxkit/spirv";
import { expect, test } from "vitest";

import {
  type JobElements,
  type LoadedArgument,
  type LoadedJob,
  arrayOf,
  loadJob,
  makeInputs,
} from "../../../benchmarks/src/job.mjs";

const TINY = join(import.meta.dirname, "../../../benchmarks/suite/tiny");

interface Tolerance {
  readonly rel: number;
  readonly abs: number;
}

interface Case {
  readonly name: string;
  readonly job: LoadedJob;
  readonly source: string;
  readonly tolerance: Tolerance;
}

/** The jobs but the one with an image, which shaders that are written here cannot have. */
const CASES: readonly Case[] = readdirSync(TINY)
  .filter((name) => name.endsWith(".json"))
  .map((name) => {
    const job = loadJob(join(TINY, name));
    const { tol } = JSON.parse(readFileSync(join(TINY, name), "utf8")) as { readonly tol: Tolerance };
    return { name: job.name, job, source: readFileSync(job.sourcePath, "utf8"), tolerance: tol };
  })
  .filter(({ job }) => job.args.every(({ kind }) => kind !== "image"));

const bytesOf = (array: JobElements): Uint8Array => new Uint8Array(array.buffer as ArrayBuffer);

type Value = ShaderValue & DifferentialArgument;

function valueOf({ kind, type, local_bytes: local, value, host }: LoadedArgument): Value {
  if (kind === "local") return { local };
  if (kind === "buffer" && host !== undefined) return { contents: bytesOf(host) };
  const make = arrayOf[type];
  if (make === undefined) throw new Error(`there is no ${type}`);
  return { value: bytesOf(new make([value].flat())) };
}

function valuesOf(job: LoadedJob): readonly Value[] {
  makeInputs(job);
  return job.args.map(valueOf);
}

const localOf = ({ local }: LoadedJob): readonly number[] => local ?? [64];

/** What the code of a job leaves. */
function outcomeOf(
  { kernel, options, global }: LoadedJob,
  source: AnyLaunch["source"],
  values: readonly Value[],
  local: readonly number[],
): Outcome {
  return runReference({ source, kernel, options, global, local, arguments: values, isInterpreted: false });
}

test.each(CASES)("$name as a kernel", ({ job, source }) => {
  const values = valuesOf(job);
  const direct = outcomeOf(job, source, values, localOf(job));
  const binary = writtenSpirv(source, job.options);
  const other = outcomeOf(job, { kind: "spirv", source: binary }, values, localOf(job));
  expect(firstDifference(direct, { ...other, way: "by SPIR-V" }, [])).toBeNull();
});

const runner = shaderRunner();

/** The elements of a buffer as numbers. */
function numbers(bytes: Uint8Array, type: string): readonly number[] {
  const make = arrayOf[type] as unknown as new (buffer: ArrayBufferLike) => Iterable<number | bigint>;
  return Array.from(new make(bytes.slice().buffer), Number);
}

test.skipIf(runner === null).each(CASES)("$name on lavapipe", ({ job, source, tolerance }) => {
  const { global, kernel, options } = job;
  const [x = 1, y = 1, z = 1] = localOf(job);
  const written = writeShaders(frontEndIr(source, options));
  const shader = written.ok ? written.value.get(kernel) : undefined;
  if (shader === undefined) throw new Error(written.ok ? `there is no ${kernel}` : describeWriterError(written.error));
  const values = valuesOf(job);
  const groups = [0, 1, 2].map((axis) => (global[axis] ?? 1) / ([x, y, z][axis] ?? 1)) as [number, number, number];
  const got = runner?.run(shader.binary, shader.bindings, values, groups, [x, y, z]) ?? [];
  const { buffers } = outcomeOf(job, source, values, localOf(job));
  const buffersOfJob = job.args.filter(({ kind }) => kind === "buffer");
  expect(got).toHaveLength(buffersOfJob.length);
  buffersOfJob.forEach(({ type }, n) => {
    const [own, wanted] = [got[n], buffers[n]].map((bytes) => numbers(bytes ?? new Uint8Array(0), type)) as [
      readonly number[],
      readonly number[],
    ];
    const off = wanted.filter(
      (value, i) => Math.abs((own[i] ?? 0) - value) > tolerance.abs + tolerance.rel * Math.abs(value),
    );
    expect([own.length, off]).toEqual([wanted.length, []]);
  });
});
