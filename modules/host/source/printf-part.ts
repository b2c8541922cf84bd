// SPDX-License-Identifier: Apache-2.0
// printf as a part of devices.
import type { PrintfPart } from "./parts.ts";
import { PrintfAreas, printfReaders } from "./printf-areas.ts";

/** printf. @public */
export const PRINTF: PrintfPart = {
  readers: printfReaders,
  areas: (memory, board, threads, print) => new PrintfAreas(memory, board, threads, print),
};
