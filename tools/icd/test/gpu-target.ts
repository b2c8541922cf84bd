// SPDX-License-Identifier: Apache-2.0
// A GPU that an interpreter of PTX stands for, as a module that MUXKIT_TARGETS names.
import { cudaTargetOf } from "@muxkit/cuda";
import { CUDA_COMPILER } from "@muxkit/cuda-compiler";
import { ptxDriver } from "@muxkit/ptx-interpreter";

export const targets = cudaTargetOf(ptxDriver());
export const compilers = [CUDA_COMPILER];
