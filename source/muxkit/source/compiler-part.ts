// SPDX-License-Identifier: Apache-2.0
// What only processes need that compile: loaded by others when it comes to that.
import type { NativeVerifier } from "@muxkit/host";
import { compilers, verifyObject } from "@muxkit/host-compiler/native";
import type { CompilerLibrary } from "@muxkit/loader";

import type { ParsedCommand } from "./command/command.ts";
import { checkFiles } from "./command/check-files.ts";
import { explainFile } from "./command/explain-file.ts";
import { runSpirv } from "./command/spirv-file.ts";
import { vectorizeFile } from "./command/vectorize-file.ts";
import { writeTarget } from "./command/write-target.ts";
import { runClc } from "./compile/run-clc.ts";
import { describeExplanation, explainJob, explainShader } from "./job/explain.ts";
import { runVulkanJob } from "./job/run-vulkan.ts";

/** See the file's head. */
export interface CompilerPart extends CompilerLibrary, NativeVerifier {
  readonly checkFiles: typeof checkFiles;
  readonly explainFile: typeof explainFile;
  readonly vectorizeFile: typeof vectorizeFile;
  readonly runSpirv: typeof runSpirv;
  readonly runClc: typeof runClc;
  readonly writeTarget: ParsedCommand["run"];
  readonly explainJob: typeof explainJob;
  readonly explainShader: typeof explainShader;
  readonly runVulkanJob: typeof runVulkanJob;
  readonly describeExplanation: typeof describeExplanation;
}

/** The part itself. */
export const COMPILER_PART: CompilerPart = {
  compilers,
  verifyObject,
  checkFiles,
  explainFile,
  vectorizeFile,
  runSpirv,
  writeTarget,
  runClc,
  explainJob,
  explainShader,
  runVulkanJob,
  describeExplanation,
};
