// SPDX-License-Identifier: Apache-2.0
// What the compiler makes of the kernels of a file, or of a job's kernel.
import { basename } from "node:path";

import { type ProgramInput, readIncludeFile } from "@muxkit/compiler";

import { optionString, quotedOptions } from "../compile/option-string.ts";
import { parseCompilerOptions, tellsOfItself } from "../compile/parse-options.ts";
import { type Explanation, describeExplanation, explainJob, explainProgram } from "../job/explain.ts";
import { readJob } from "../job/job.ts";
import { InputError, type Streams, UsageError } from "./command.ts";
import { type Language, programInput, readProgramFile } from "./program-file.ts";
import { launchOf } from "./passes.ts";

/** Work-items of a group where neither `--local-size` nor the kernel says it: enough for every width. */
const LOCAL_SIZE = [64, 1, 1] as const;

/** The program in a file that is built, for explanations of it. Throws InputError, UsageError. */
export function builtInput(file: string, language: Language | null): ProgramInput {
  const program = readProgramFile(file, language);
  if (program.kind === "ir") throw new UsageError(`${file} is IR, which is not built: take the program it came from`);
  return programInput(program, { headers: [], readFile: readIncludeFile });
}

/** The explanations of the kernels of a file. Throws InputError. */
function explanations(
  file: string,
  language: Language | null,
  words: readonly string[],
  kernel: string | null,
  localSize: readonly [number, number, number] | null,
): readonly Explanation[] {
  if (file.endsWith(".json")) {
    if (kernel !== null) throw new UsageError(`${file} is a job, which names its kernel: omit --kernel`);
    if (localSize !== null) throw new UsageError(`${file} is a job, which has its local size: omit --local-size`);
    return [explainJob(readJob(file), words.length === 0 ? null : quotedOptions(words), false)];
  }
  const explained = explainProgram(builtInput(file, language), optionString(file, words));
  if (!explained.ok) throw new InputError(explained.error.trimEnd());
  const reports = explained.value.filter((report) => kernel === null || report.kernel === kernel);
  if (reports.length === 0)
    throw new InputError(
      explained.value.length === 0
        ? `${basename(file)} has no kernel`
        : `there is no kernel "${kernel ?? ""}"; there are ${explained.value.map((report) => report.kernel).join(", ")}`,
    );
  return reports.map((report) => ({ ...report, localSize: localSize ?? LOCAL_SIZE }));
}

/** What `muxkit explain` does. */
export function explainFile(name: string, args: readonly string[], streams: Streams): number {
  const request = parseCompilerOptions("explain", args);
  if (tellsOfItself("explain", name, request, streams)) return 0;
  const { inputs, words, values } = request;
  const [file, ...more] = inputs;
  if (file === undefined || more.length > 0)
    throw new UsageError("exactly one file is required: OpenCL C, SPIR-V, a job, or - for standard input");
  const { kernel } = values;
  const found = explanations(
    file,
    request.language,
    words,
    typeof kernel === "string" ? kernel : null,
    launchOf(values)?.localSize ?? null,
  );
  streams.out(values["json"] === true ? `${JSON.stringify(found)}\n` : found.map(describeExplanation).join("\n"));
  return 0;
}
