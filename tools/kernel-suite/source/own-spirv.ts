// SPDX-License-Identifier: Apache-2.0
// Kernels by way of our own SPIR-V: OpenCL C to the IR, the IR written as SPIR-V, which must be valid, and that read
// again. `MUXKIT_SUITE_SPIRV=own npx vitest run --project kernel-suite` runs the suite so.
import { openclC } from "@muxkit/compiler";
import { hostModule } from "@muxkit/host-compiler";
import type { Module } from "@muxkit/ir";
import { describeSpirvError, describeWriterError, parseModule, validateModule, writeSpirv } from "@muxkit/spirv";

import { SUITE_DEVICE } from "./device.ts";
import { ProducerRefusal } from "./spirv-producer.ts";

/** A program as the front end makes it. Throws with the log when it has errors. */
export function frontEndIr(source: string, options: string): Module {
  const module = hostModule({
    device: SUITE_DEVICE,
    build: () => {
      throw new Error("no code is made of it");
    },
  });
  const parsed = module.parseOptions(options, "build");
  if (!parsed.ok) throw new Error(parsed.error.message);
  const compiled = module.compile(openclC(source));
  if (!compiled.ok || module.ir === null)
    throw new Error(`${compiled.ok ? "there is no program" : compiled.error.message}\n${module.log}`);
  return module.ir;
}

/** A program as our SPIR-V, checked by our validator. Throws a {@link ProducerRefusal} when it cannot be written. */
export function writtenSpirv(source: string, options: string): Uint8Array {
  const written = writeSpirv(frontEndIr(source, options));
  if (!written.ok) throw new ProducerRefusal("muxkit", describeWriterError(written.error));
  const parsed = parseModule(written.value);
  if (!parsed.ok) throw new Error(describeSpirvError(parsed.error));
  const [wrong] = validateModule(parsed.value, { environment: "opencl" });
  if (wrong !== undefined) throw new Error(`the module is not valid: ${describeSpirvError(wrong)}`);
  return written.value;
}
