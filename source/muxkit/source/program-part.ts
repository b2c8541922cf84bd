// SPDX-License-Identifier: Apache-2.0
// What every start of the program `muxkit` needs.
import { wantsColor } from "@muxkit/report";

import { runMain } from "./command/program.ts";

/** See the file's head. */
export interface ProgramPart {
  readonly runMain: typeof runMain;
  readonly wantsColor: typeof wantsColor;
}

export { runMain, wantsColor };
