// SPDX-License-Identifier: Apache-2.0
// muxkit run JOB.json: runs a job file.
import { useForeignTargets } from "../foreign-targets.ts";
import { type Job, readJob } from "../job/job.ts";
import type { JobReport, RunOptions } from "../job/report.ts";
import { runJob } from "../job/run-job.ts";
import { type Command, type Parsed, UsageError } from "./command.ts";
import { progressLine } from "./progress-line.ts";

function count({ values }: Parsed, name: string, least: number): number | null {
  const text = values[name];
  if (typeof text !== "string") return null;
  const value = Number(text);
  if (!Number.isFinite(value) || value < least)
    throw new UsageError(`--${name} must be a number of at least ${least}, not "${text}"`);
  return value;
}

function whole(parsed: Parsed, name: string, least: number): number | null {
  const value = count(parsed, name, least);
  if (value !== null && !Number.isInteger(value)) throw new UsageError(`--${name} must be an integer, not ${value}`);
  return value;
}

function runOptions(parsed: Parsed): Omit<RunOptions, "step"> {
  const { values } = parsed;
  const { local } = values;
  if (local !== undefined && local !== "auto" && local !== "job")
    throw new UsageError(`--local takes auto or job, not "${String(local)}"`);
  const text = (name: string): string | null => {
    const value = values[name];
    return typeof value === "string" ? value : null;
  };
  return {
    device: text("device"),
    dump: text("dump"),
    binary: text("binary"),
    options: text("options"),
    runs: whole(parsed, "runs", 1),
    warmup: whole(parsed, "warmup", 0),
    minMs: count(parsed, "min-ms", 0) ?? 0,
    threads: whole(parsed, "threads", 1),
    localAuto: local === "auto",
    check: values["no-check"] !== true,
    inputs: values["inputs"] === true,
  };
}

/** The APIs that a job runs through, with the options that mean nothing there. */
const APIS: Readonly<Record<string, { readonly lacks: readonly string[] }>> = {
  opencl: { lacks: [] },
  vulkan: { lacks: ["binary", "options", "local"] },
};

/** True for Vulkan. Throws a UsageError. */
function isVulkan({ values }: Parsed): boolean {
  const { api = "opencl" } = values;
  const row = Object.hasOwn(APIS, String(api)) ? APIS[String(api)] : undefined;
  if (row === undefined) throw new UsageError(`--api takes ${Object.keys(APIS).join(" or ")}, not "${String(api)}"`);
  const wrong = row.lacks.find((name) => values[name] !== undefined);
  if (wrong !== undefined) throw new UsageError(`--${wrong} means nothing with --api ${String(api)}; omit it`);
  return api === "vulkan";
}

function ms(value: number): string {
  return `${value.toPrecision(3)} ms`;
}

function describe(job: Job, report: JobReport, what: string): string {
  const lines = [
    `${report.name}: ${what}, ${job.global.join(" × ")} work-items, ${report.threads} threads`,
    `  inputs ${ms(report.input_ms)}, set-up ${ms(report.setup_ms)}, build ` +
      `${ms(report.build_ms)}, upload ${ms(report.upload_ms)}, first run ` +
      `${ms(report.first_ms)}, read ${ms(report.read_ms)}`,
    `  ${report.runs} runs: median ${ms(report.median_ms)}, ${ms(report.min_ms)} to ${ms(report.max_ms)}`,
    ...(report.outputs ?? []).map(
      (output) =>
        `  output ${output.arg}: ${output.count} ${output.type}, ${output.min} to ` +
        `${output.max}, mean ${output.mean}, first ${output.first.join(", ")}`,
    ),
  ];
  return `${lines.join("\n")}\n`;
}

/** The command. */
export const RUN: Command = {
  usage: "muxkit run JOB.json [options]",
  summary: "runs a job file: a kernel, its inputs, how often",
  options: {
    api: { type: "string" },
    json: { type: "boolean" },
    device: { type: "string" },
    dump: { type: "string" },
    runs: { type: "string" },
    warmup: { type: "string" },
    "min-ms": { type: "string" },
    threads: { type: "string" },
    local: { type: "string" },
    binary: { type: "string" },
    options: { type: "string" },
    inputs: { type: "boolean" },
    explain: { type: "boolean" },
    "no-check": { type: "boolean" },
  },
  help: {
    api: "opencl|vulkan  run the kernel through OpenCL, the default, or the job's compute shader through Vulkan",
    json: "print a JSON object",
    device: "NAME  run on the first device whose name contains NAME; MUXKIT_TARGETS lists modules of further targets",
    dump: "DIR  write the outputs of the first run there",
    runs: "N  timed runs",
    warmup: "N  untimed runs before them",
    "min-ms": "T  continue until the timed runs have taken T ms in total",
    threads: "N  number of threads that run work-groups",
    local: "auto  let the device choose the local size",
    binary: "FILE  run this executable instead of the source",
    options: "TEXT  build options instead of those of the job",
    explain:
      "explain how the compiler vectorised the kernel, without running it: vector width, " +
      "memory accesses with their lines, advice; --json prints data",
    inputs: "also print checksums of the inputs",
    "no-check": "do not summarise the outputs",
  },
  run: (parsed, streams, { load, built }) => {
    const { out } = streams;
    const [file, ...more] = parsed.positionals;
    if (file === undefined || more.length > 0) throw new UsageError("exactly one job file is required");
    const options = runOptions(parsed);
    const vulkan = isVulkan(parsed);
    const job = readJob(file);
    if (options.device !== null) useForeignTargets(process.env, process.cwd());
    if (parsed.values["explain"] === true) {
      if (options.device !== null)
        throw new UsageError("--explain works for the processor of this machine only; omit --device");
      const { explainJob, explainShader, describeExplanation } = load();
      const explanation = vulkan ? explainShader(job) : explainJob(job, options.options, options.localAuto);
      out(parsed.values["json"] === true ? `${JSON.stringify(explanation)}\n` : describeExplanation(explanation));
      return 0;
    }
    const line = progressLine(streams);
    line?.show(`${job.name}: building`, true);
    const told = { ...options, step: line?.show ?? null };
    let report: JobReport;
    try {
      report = vulkan ? load().runVulkanJob(job, told, built) : runJob(job, told, built);
    } finally {
      line?.clear();
    }
    out(
      parsed.values["json"] === true
        ? `${JSON.stringify(report)}\n`
        : describe(job, report, vulkan ? "shader" : `kernel ${job.kernel}`),
    );
    return 0;
  },
};
