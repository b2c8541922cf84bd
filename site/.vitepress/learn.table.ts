// SPDX-License-Identifier: Apache-2.0
// The pages to learn from, in the order in which they are read.

/** A page of `learn/`. */
export interface LearnPage {
  readonly text: string;
  /** Its file in `learn/`, without `.md`. */
  readonly page: string;
}

/** All of them. */
export const LEARN_PAGES: readonly LearnPage[] = [
  { text: "Install", page: "install" },
  { text: "Your first kernel", page: "first-kernel" },
  { text: "Why OpenCL C in JavaScript", page: "why" },
  { text: "Memory", page: "memory" },
  { text: "Work-groups and barriers", page: "work-groups" },
  { text: "Images", page: "images" },
  { text: "Speed", page: "speed" },
  { text: "Debugging", page: "debugging" },
  { text: "From CUDA", page: "from-cuda" },
  { text: "From WebGPU", page: "from-webgpu" },
  { text: "From GPU.js", page: "from-gpu-js" },
];
