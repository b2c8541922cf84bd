// SPDX-License-Identifier: Apache-2.0
// What there is to say about OpenCL C files.
import { parseCompilerOptions, tellsOfItself, wordsOfFile } from "../compile/parse-options.ts";
import { type Streams, UsageError } from "./command.ts";
import { compileFile, diagnosticFormat, readHeaders, readInput, writeDiagnostics } from "./front-end.ts";

/** What `muxkit check` does. */
export function checkFiles(name: string, args: readonly string[], streams: Streams): number {
  const request = parseCompilerOptions("check", args);
  if (tellsOfItself("check", name, request, streams)) return 0;
  const { inputs } = request;
  if (inputs.length === 0) throw new UsageError("at least one file is required, or - for standard input");
  const format = diagnosticFormat(request);
  const headers = readHeaders(request.headers);
  const results = inputs.map((file) => compileFile(file, readInput(file), wordsOfFile(request, file), headers));
  writeDiagnostics(
    results.flatMap(({ diagnostics }) => diagnostics),
    format,
    streams,
  );
  return results.every(({ module }) => module !== null) ? 0 : 1;
}
