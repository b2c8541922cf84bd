// SPDX-License-Identifier: Apache-2.0
// One input through preprocessor, parser and sema: it must end with a module or with errors, soon.
import { foldBuiltin } from "@muxkit/passes";
import { LAYOUT_32, describeVerifierError, verifyModule } from "@muxkit/ir";
import { compileOpenCLC } from "@muxkit/opencl-c";
import { renderText } from "@muxkit/report";

import { HEADERS } from "./bombs.ts";
import type { FrontEndInput } from "./inputs.ts";

/** Most CPU time of one input, in ms. A budget for a busy machine: inputs take under a millisecond in the middle. */
export const MOST_MS = 4000;

/** Compiles an input; null: it went well, else what went wrong in a sentence. */
export function frontEndFailure({ text, standard }: FrontEndInput): string | null {
  const before = process.cpuUsage();
  try {
    const { module, diagnostics } = compileOpenCLC("fuzz.cl", text, {
      layout: LAYOUT_32,
      definitions: [],
      includeDirectories: [],
      headers: HEADERS,
      readFile: null,
      standard,
      deviceVersion: 300,
      extensions: ["cl_khr_fp64"],
      fastRelaxedMath: false,
      finiteMathOnly: false,
      noSignedZeros: false,
      unsafeMath: false,
      singlePrecisionConstant: false,
      warnings: "default",
      allowUndefined: false,
      library: false,
      foldBuiltin,
    });
    if (module === null && !diagnostics.hasErrors) return "there is no module, and no error says why";
    if (module !== null && diagnostics.hasErrors) return "there is a module in spite of errors";
    renderText(diagnostics.all);
    const [broken] = module === null ? [] : verifyModule(module);
    if (broken !== undefined) return `the module breaks a rule: ${describeVerifierError(broken)}`;
  } catch (error) {
    return error instanceof Error
      ? `${error.name}: ${error.message.split("\n")[0] ?? ""}\n${error.stack?.split("\n").slice(1, 5).join("\n") ?? ""}`
      : String(error);
  }
  const { user, system } = process.cpuUsage(before);
  const ms = (user + system) / 1000;
  return ms > MOST_MS ? `it took ${ms.toFixed(0)} ms` : null;
}
