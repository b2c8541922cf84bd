// SPDX-License-Identifier: Apache-2.0
// What there is to say about files of OpenCL C, IR, SPIR-V and LLVM bitcode.
import { parseCompilerOptions, tellsOfItself, wordsOfFile } from "../compile/parse-options.ts";
import { type Streams, UsageError } from "./command.ts";
import { compileFile, diagnosticFormat, programOfIr, readHeaders, writeDiagnostics } from "./front-end.ts";
import { readProgramFile } from "./program-file.ts";

/** What `muxkit check` does. */
export function checkFiles(name: string, args: readonly string[], streams: Streams): number {
  const request = parseCompilerOptions("check", args);
  if (tellsOfItself("check", name, request, streams)) return 0;
  const { inputs } = request;
  if (inputs.length === 0) throw new UsageError("at least one file is required, or - for standard input");
  const format = diagnosticFormat(request);
  const headers = readHeaders(request.headers);
  const results = inputs.map((file) => {
    const program = readProgramFile(file, request.language);
    if (program.kind === "ir") return { module: programOfIr(file, program.text), diagnostics: [] };
    return compileFile(program, wordsOfFile(request, file), headers);
  });
  writeDiagnostics(
    results.flatMap(({ diagnostics }) => diagnostics),
    format,
    streams,
  );
  return results.every(({ module }) => module !== null) ? 0 : 1;
}
