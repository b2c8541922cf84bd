// SPDX-License-Identifier: Apache-2.0
// What only servers need whose programs are not built yet: loaded when it comes to that.
import { compilers } from "@muxkit/host-compiler";
import type { CompilerLibrary } from "@muxkit/loader";

/** See the file's head. */
export type CompilerPart = CompilerLibrary;

export { compilers };
