// SPDX-License-Identifier: Apache-2.0
// What a page and its workers say to each other. A worker answers each request once, in order.
import type { Pixels } from "../model/contents.ts";
import type { Elements, KernelShape } from "../model/kernel-types.ts";
import type { Setup } from "../model/setup.ts";
import type { FrameValues } from "./session.ts";

/** One replacement in the text. */
export interface TextEdit {
  readonly from: number;
  readonly to: number;
  readonly text: string;
}

/** One thing that the compiler says of the text. */
export interface Finding {
  readonly severity: "error" | "warning" | "info";
  readonly message: string;
  readonly from: number;
  readonly to: number;
  /** What mends it. */
  readonly fix: { readonly label: string; readonly edits: readonly TextEdit[] } | null;
}

/** A buffer that was read. */
export interface ReadBuffer {
  readonly name: string;
  readonly elements: Elements;
  readonly lanes: number;
  readonly stride: number;
}

/** A line of a text, and which line of the source it comes from; 0: none. */
export interface TraceLine {
  readonly text: string;
  readonly line: number;
}

/** One pass that changed something. */
export interface PassChange {
  readonly name: string;
  readonly changes: string;
}

/** Everything that the explorer shows. */
export interface Explored {
  readonly ir: readonly TraceLine[];
  readonly vectors: readonly TraceLine[];
  readonly wasm: readonly TraceLine[];
  readonly remarks: readonly { readonly text: string; readonly line: number }[];
  readonly passes: readonly PassChange[];
}

/** What is asked, and what is answered, by name. */
export interface Requests {
  /** Opens the device. */
  open: {
    readonly ask: { readonly deadline: number; readonly threads: boolean };
    readonly answer: { readonly threads: number };
  };
  /** Builds a program and starts its setup; `setup` null: one that follows from the kernels. */
  load: {
    readonly ask: { readonly source: string; readonly setup: Setup | null; readonly own: Pixels | null };
    readonly answer: {
      readonly kernels: readonly KernelShape[];
      readonly setup: Setup;
      /** ms that the build took. */
      readonly build: number;
    };
  };
  /** Runs a frame and reads buffers. */
  frame: {
    readonly ask: {
      readonly values: FrameValues;
      readonly restart: boolean;
      /** Frames in a row, for values that count on from the first. */
      readonly count: number;
      readonly buffers: readonly string[];
    };
    readonly answer: {
      readonly buffers: readonly ReadBuffer[];
      /** ms of one frame. */
      readonly time: number;
      readonly printed: string;
    };
  };
  /** Runs frames with plain functions, and the same frames with the kernels. */
  compare: {
    readonly ask: { readonly entry: string; readonly values: FrameValues; readonly own: Pixels | null };
    /** Median ms of a frame; null: the entry has no plain functions. */
    readonly answer: { readonly kernel: number; readonly plain: number } | null;
  };
  /** What the compiler says of a text. */
  check: { readonly ask: { readonly source: string }; readonly answer: { readonly findings: readonly Finding[] } };
  /** What the compiler makes of a kernel; null: the text has errors. */
  explore: {
    readonly ask: { readonly source: string; readonly width: number };
    readonly answer: Explored | null;
  };
}

/** Names of requests. */
export type RequestName = keyof Requests;

/** A request on its way. */
export interface RequestMessage<K extends RequestName = RequestName> {
  readonly id: number;
  readonly name: K;
  readonly ask: Requests[K]["ask"];
}

/** Its answer, or why there is none. */
export type AnswerMessage =
  | { readonly id: number; readonly answer: unknown }
  | { readonly id: number; readonly error: string };
