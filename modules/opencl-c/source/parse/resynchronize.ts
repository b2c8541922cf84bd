// SPDX-License-Identifier: Apache-2.0
// What is thrown where the parser meets something that it cannot read on from.

/** Leaves the construct being parsed; the diagnostic has been reported. Thrown and caught within the parser only. */
export class Resynchronize extends Error {}
