// SPDX-License-Identifier: Apache-2.0
/** Name of the one parameter of every kernel. */
export const PARAMETER = "arguments";
