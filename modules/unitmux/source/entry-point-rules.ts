// SPDX-License-Identifier: Apache-2.0
// The part of an entry point's schema that the suite needs.

/** One parameter and the rules that its values obey. */
export interface ParameterRules {
  readonly name: string;
  /** Type in the interface, for example `MuxBuffer`. */
  readonly type: string;
  /** Names of rules, for example `handle`, `positive`, `enum:MuxImageType`. */
  readonly rules: readonly string[];
}

/** One entry point. */
export interface EntryPointRules {
  readonly name: string;
  readonly parameters: readonly ParameterRules[];
  /** Checks of several parameters at once. */
  readonly checks: readonly string[];
  /** Parameter that the call destroys. */
  readonly destroys?: string;
  /** True for what is recorded into a command buffer. */
  readonly isCommand?: boolean;
}
