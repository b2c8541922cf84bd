// SPDX-License-Identifier: Apache-2.0
// The part of the server that compiles programs: loaded only when a program is not built yet.
import { compilers, verifyObject } from "@muxkit/host-compiler/native";
import type { CompilerLibrary } from "@muxkit/loader";
import type { NativeVerifier } from "muxkit/parts";

/** See the file's head. */
export type CompilerPart = CompilerLibrary & NativeVerifier;

export { compilers, verifyObject };
