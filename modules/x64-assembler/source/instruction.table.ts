// SPDX-License-Identifier: Apache-2.0
// Every instruction that the encoder, the decoder, the text and the allocator's constraints know; `row.ts` says how a
// row is read.
import { FLOAT_INSTRUCTIONS } from "./float.table.ts";
import { GENERAL_INSTRUCTIONS } from "./general.table.ts";
import { INTEGER_INSTRUCTIONS } from "./integer.table.ts";
import type { InstructionRow } from "./row.ts";
import { SSE_INSTRUCTIONS } from "./sse.table.ts";

/** All rows, by family: general registers, vectors of floats, vectors of integers and masks, what has no VEX. */
export const INSTRUCTION_ROWS: readonly InstructionRow[] = [
  ...GENERAL_INSTRUCTIONS,
  ...FLOAT_INSTRUCTIONS,
  ...INTEGER_INSTRUCTIONS,
  ...SSE_INSTRUCTIONS,
];
