// SPDX-License-Identifier: Apache-2.0
// The part of the server that compiles programs: loaded only when a program is not built yet.
import { compilers } from "@muxkit/host-compiler/native";
import type { CompilerLibrary } from "@muxkit/loader";

/** See the file's head. */
export type CompilerPart = CompilerLibrary;

export { compilers };
