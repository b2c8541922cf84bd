// SPDX-License-Identifier: Apache-2.0
// The host's compiler in Node: it makes machine code too, where devices run some.
export { compilers } from "@muxkit/host-compiler/native";
