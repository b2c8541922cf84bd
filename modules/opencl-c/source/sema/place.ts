// SPDX-License-Identifier: Apache-2.0
// Places in the source, as instructions hold them.
import type { Location } from "@muxkit/ir";
import { type SourceFile, lineAndColumn } from "@muxkit/report";

/** The function of a file that places lie in. */
export interface PlaceScope {
  readonly file: SourceFile;
  readonly scope: string;
}

/** A place. Most instructions have one of their own, so it holds no more than it must: its line is found out when somebody asks. */
export class Place implements Location {
  private readonly around: PlaceScope;
  private readonly start: number;

  constructor(around: PlaceScope, start: number) {
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

  /** Function in whose source it stands. */
  get scope(): string {
    return this.around.scope;
  }

  /** Nothing that a front end writes is inlined. */
  get inlinedAt(): null {
    return null;
  }

  /** True when it is the place at this offset. */
  isAt(around: PlaceScope, start: number): boolean {
    return this.start === start && this.around === around;
  }
}
