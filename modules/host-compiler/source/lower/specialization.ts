// What a form of a kernel may take for granted.
import type { ArgumentFact } from "@muxkit/compiler";

/** What is known of launches when the wrapper is written; the generic variant knows nothing. @public */
export interface Specialization {
  /** Local size x, y, z. */
  readonly localSize: readonly [number, number, number];
  /** The global size is a multiple of it in every dimension. */
  readonly uniformGroups: boolean;
  /** The global offset is zero. */
  readonly zeroOffset: boolean;
  /** What is known of the arguments, in their order; absent: nothing. */
  readonly arguments?: readonly (ArgumentFact | null)[];
}
