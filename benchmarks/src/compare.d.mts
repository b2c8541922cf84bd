// SPDX-License-Identifier: Apache-2.0
/** How the outputs of one job agree. */
export interface ComparedOutput {
  readonly job: string;
  readonly arg: number;
  readonly type: string;
  readonly count: number;
  readonly ok: boolean;
  readonly differing: number;
  readonly outside: number;
  readonly worstAbs: number;
  readonly worstRel: number;
}

/** Compares the dumps of two runners, with the tolerances of the jobs of a folder. */
export function compareDirs(suite: string, first: string, second: string, only?: readonly string[]): ComparedOutput[];
