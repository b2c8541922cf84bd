// SPDX-License-Identifier: Apache-2.0
// Locations in the source, as instructions hold them.
import type { Location } from "@muxkit/ir";
import { type SourceFile, lineAndColumn } from "@muxkit/report";

/** The function of a file that locations are in. */
export interface LocationScope {
  readonly file: SourceFile;
  readonly scope: string;
}

/**
 * A location. Most instructions have one of their own, so it holds an offset only: line and column are computed when
 * they are read.
 */
export class SourceLocation implements Location {
  private readonly around: LocationScope;
  private readonly start: number;

  constructor(around: LocationScope, start: number) {
    this.around = around;
    this.start = start;
  }

  /** Name of the source file. */
  get file(): string {
    return this.around.file.name;
  }

  /** Line, from 1. */
  get line(): number {
    return lineAndColumn(this.around.file, this.start).line;
  }

  /** Column, from 1. */
  get column(): number {
    return lineAndColumn(this.around.file, this.start).column;
  }

  /** The function whose source contains it. */
  get scope(): string {
    return this.around.scope;
  }

  /** Nothing that a front end writes is inlined. */
  get inlinedAt(): null {
    return null;
  }

  /** True when it is the location of this offset. */
  isAt(around: LocationScope, start: number): boolean {
    return this.start === start && this.around === around;
  }
}
