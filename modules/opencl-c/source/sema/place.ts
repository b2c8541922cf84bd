// Places in the source, as instructions hold them.
import type { Location } from "@muxkit/ir";

/** The function of a file that places lie in. */
export interface PlaceScope {
  readonly file: string;
  readonly scope: string;
}

/** A place. Most instructions have one of their own, so it holds no more than it must. */
export class Place implements Location {
  readonly line: number;
  readonly column: number;
  private readonly around: PlaceScope;

  constructor(around: PlaceScope, line: number, column: number) {
    this.around = around;
    this.line = line;
    this.column = column;
  }

  /** Name of the source file. */
  get file(): string {
    return this.around.file;
  }

  /** Function in whose source it stands. */
  get scope(): string {
    return this.around.scope;
  }

  /** Nothing that a front end writes is inlined. */
  get inlinedAt(): null {
    return null;
  }

  /** True when it lies there. */
  isIn(around: PlaceScope): boolean {
    return this.around === around;
  }
}
