// SPDX-License-Identifier: Apache-2.0
// The validator: layers in an order in which each may rely on those before it. What a layer finds ends the check, so a
// module that lies is never asked twice. Every layer is linear in the module but for dominance (see flow-graph.ts); all
// of them walk on worklists and columns, and keep less than ten times the module's size.
import { type Result, err } from "@muxkit/cargo";

import type { SpirvError } from "../binary/error.ts";
import { type SpirvModule, parseModule } from "../binary/module.ts";
import { checkConstants } from "./constants.ts";
import { checkDeclared } from "./declared.ts";
import { checkDecorations, checkEntryPoints } from "./entry-points.ts";
import { checkDecorationRules } from "./decoration-rules.ts";
import { checkBuiltIns, checkEnvironment } from "./environment.ts";
import { type BlockLayout, checkExplicitLayout } from "./explicit-layout.ts";
import { checkFlow } from "./flow.ts";
import { checkIds } from "./ids.ts";
import { checkInstructionTypes } from "./instruction-types.ts";
import { checkInstructions } from "./instructions.ts";
import { checkLayout } from "./layout.ts";
import { checkLimits } from "./limits.ts";
import { checkTypes } from "./types.ts";
import { Validation, type ValidationEnvironment } from "./validation.ts";

/** How a module is validated. @public */
export interface ValidateOptions {
  /** Whose rules hold over the universal ones: `universal` when left out. */
  readonly environment?: ValidationEnvironment;
  /** How blocks of buffers are laid out: `relaxed` when left out. */
  readonly blockLayout?: BlockLayout;
  /** True: what producers write against {@link LENIENT_RULES}, and readers can read, passes. */
  readonly lenient?: boolean;
  /** How many errors are looked for; 1 when left out. */
  readonly mostErrors?: number;
}

const LAYERS: readonly ((validation: Validation) => unknown)[] = [
  checkDeclared,
  checkLayout,
  checkIds,
  checkTypes,
  checkConstants,
  checkEntryPoints,
  checkDecorations,
  checkDecorationRules,
  checkEnvironment,
  checkBuiltIns,
  checkLimits,
  checkExplicitLayout,
  checkInstructionTypes,
  checkInstructions,
  checkFlow,
];

/** What is wrong with a module; nothing: it is valid, as far as the rules of {@link VALIDATION_RULES} go. @public */
export function validateModule(module: SpirvModule, options: ValidateOptions = {}): readonly SpirvError[] {
  const { environment = "universal", blockLayout = "relaxed", lenient = false, mostErrors = 1 } = options;
  const validation = new Validation(module, { environment, blockLayout, isLenient: lenient, mostErrors });
  for (const layer of LAYERS) {
    layer(validation);
    if (validation.errors.length > 0) break;
  }
  return validation.errors;
}

/** Reads and validates a binary: the module, or what is wrong first. @public */
export function readValidModule(
  binary: Uint8Array | Uint32Array,
  options: ValidateOptions = {},
): Result<SpirvModule, SpirvError> {
  const parsed = parseModule(binary);
  if (!parsed.ok) return parsed;
  const [first] = validateModule(parsed.value, options);
  return first === undefined ? parsed : err(first);
}
