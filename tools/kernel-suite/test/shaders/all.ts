// SPDX-License-Identifier: Apache-2.0
// The tests of shaders, by family.
import { BUFFER_CASES } from "./buffers.table.ts";
import { FORMAT_CASES } from "./formats.table.ts";
import { GROUP_CASES } from "./groups.table.ts";
import { IMAGE_CASES } from "./images.table.ts";
import { LANGUAGE_CASES } from "./language.table.ts";
import { LEVEL_CASES } from "./levels.table.ts";
import { MEMORY_CASES } from "./memory.table.ts";
import { SAMPLING_CASES } from "./sampling.table.ts";
import type { ShaderCase } from "./shader-case.ts";
import { SUBGROUP_CASES } from "./subgroups.table.ts";
import { VALUE_CASES } from "./values.table.ts";

export const SHADER_FAMILIES: readonly (readonly [family: string, cases: readonly ShaderCase[]])[] = [
  ["buffers", BUFFER_CASES],
  ["language", LANGUAGE_CASES],
  ["groups", GROUP_CASES],
  ["images", IMAGE_CASES],
  ["sampling", SAMPLING_CASES],
  ["levels", LEVEL_CASES],
  ["formats", FORMAT_CASES],
  ["sub-groups", SUBGROUP_CASES],
  ["values", VALUE_CASES],
  ["memory", MEMORY_CASES],
];

export const SHADER_CASES: readonly ShaderCase[] = SHADER_FAMILIES.flatMap(([, cases]) => cases);
