// muxkit check FILE.cl …: what there is to say about OpenCL C files, without running anything.
import { type Command, UsageError } from "./command.ts";
import { DIAGNOSTICS_HELP, compileFile, diagnosticFormat, readInput, writeDiagnostics } from "./front-end.ts";

/** The command. */
export const CHECK: Command = {
  usage: "muxkit check FILE.cl … [options]",
  summary: "tells the errors and warnings of OpenCL C files",
  options: { diagnostics: { type: "string" }, options: { type: "string" } },
  help: { diagnostics: DIAGNOSTICS_HELP, options: "TEXT  build options, for example -DN=4 or -Werror" },
  run: (parsed, streams) => {
    const { values, positionals } = parsed;
    if (positionals.length === 0) throw new UsageError("at least one file is needed, or - for standard input");
    const format = diagnosticFormat(parsed);
    const options = typeof values["options"] === "string" ? values["options"] : "";
    const results = positionals.map((file) => compileFile(file, readInput(file), options));
    writeDiagnostics(results.flatMap(({ diagnostics }) => diagnostics), format, streams);
    return results.every(({ module }) => module !== null) ? 0 : 1;
  },
};
