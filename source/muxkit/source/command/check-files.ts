// SPDX-License-Identifier: Apache-2.0
// What there is to say about OpenCL C files.
import { type ParsedCommand, UsageError } from "./command.ts";
import { compileFile, diagnosticFormat, optionWords, readInput, writeDiagnostics } from "./front-end.ts";

/** What `muxkit check` does. */
export const checkFiles: ParsedCommand["run"] = (parsed, streams) => {
  const { values, positionals } = parsed;
  if (positionals.length === 0) throw new UsageError("at least one file is required, or - for standard input");
  const format = diagnosticFormat(parsed);
  const words = optionWords(values["options"]);
  const results = positionals.map((file) => compileFile(file, readInput(file), words));
  writeDiagnostics(
    results.flatMap(({ diagnostics }) => diagnostics),
    format,
    streams,
  );
  return results.every(({ module }) => module !== null) ? 0 : 1;
};
