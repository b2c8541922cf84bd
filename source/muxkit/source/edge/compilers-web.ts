// SPDX-License-Identifier: Apache-2.0
// The host's compiler in browsers, which run nothing but WebAssembly.
export { compilers } from "@muxkit/host-compiler";
