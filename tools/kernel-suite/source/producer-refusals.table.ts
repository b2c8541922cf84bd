// SPDX-License-Identifier: Apache-2.0
// Why tools of others, and our own writer, refuse programs of the suite, and where what they write differs from ours by
// right. A run of the suite through SPIR-V skips such a test and says why; what is not here fails.
import type { ProducerRefusal } from "./spirv-producer.ts";

/** Why a tool refuses programs. @public */
export interface ProducerRefusalRow {
  readonly tool: "clang-14" | "llvm-spirv-14" | "spirv-opt" | "spirv-val" | "muxkit";
  /** What the tool says. */
  readonly message: RegExp;
  /** What that means. */
  readonly reason: string;
}

/** A test whose values are others by way of a producer. @public */
export interface ProducerDifferenceRow {
  readonly file: string;
  readonly test: RegExp;
  readonly reason: string;
}

const clang = (message: RegExp, reason: string): ProducerRefusalRow => ({ tool: "clang-14", message, reason });
const translator = (message: RegExp, reason: string): ProducerRefusalRow => ({
  tool: "llvm-spirv-14",
  message,
  reason,
});

const optimizer = (message: RegExp, reason: string): ProducerRefusalRow => ({ tool: "spirv-opt", message, reason });

/** What spirv-val says of what spirv-opt has written. */
const optimized = (message: RegExp, reason: string): ProducerRefusalRow => ({ tool: "spirv-val", message, reason });
const own = (message: RegExp, reason: string): ProducerRefusalRow => ({ tool: "muxkit", message, reason });

/** The reasons; the first that fits counts. @public */
export const PRODUCER_REFUSALS: readonly ProducerRefusalRow[] = [
  clang(/call to 'atomic_fetch_\w+' is ambiguous/u, "clang's header makes atomic functions of ulong ambiguous"),
  clang(/conflicting types for 'printf'/u, "clang's header declares printf, and not with a plain char*"),
  clang(/'half'|half4|convert_half_sat|array subscript is not an integer/u, "clang has half as a storage type only"),
  clang(/'vloada_half'|'vstorea_half'/u, "clang's header has vloada_half and vstorea_half for vectors only"),
  clang(/incompatible operand types \('(?:sampler_t|__read_only image)/u, "clang chooses between no images or samplers"),
  clang(/'async_work_group_copy_[23]D/u, "clang's header lacks copies of blocks, of an extension"),
  clang(/'CLK_UNORM_INT_101010_2'/u, "clang's header lacks a channel type"),
  clang(/not announced/u, "clang has no cl_khr_expect_assume, only a function for long"),
  clang(/redefinition of '\w+' as different kind of symbol/u, "clang's header has a function of a variable's name"),
  translator(/visitCallAtomicCmpXchg/u, "the translator compares and exchanges ints only"),
  optimizer(/Invalid number of bits|Illegal number of components/u, "LLVM has ints and vectors that SPIR-V has not"),
  optimizer(
    /forward referenced IDs have not been defined/u,
    "LLVM's translator decorates conversions that it has left out",
  ),
  optimizer(/^spirv-opt: ended by SIGSEGV$/u, "spirv-opt crashes at some modules that spirv-val accepts"),
  translator(/Transform OCL 2.0 to SPIR-V/u, "the translator takes constant orders and scopes of atomic functions only"),
  optimized(/expected no more operands/u, "spirv-opt writes constants of more words than their type has"),
  translator(/LLVMToSPIRVBase::transValue/u, "the translator stops at constants that compare floats"),
  translator(/OpDot of ints/u, "the translator writes products of vectors of ints as those of floats"),
  translator(/to a reservation, which is no SPIR-V/u, "the translator makes CLK_NULL_RESERVE_ID of a number"),
  own(/is a pipe, whose functions/u, "pipes are this device's own when a program is written"),
];

/** Values that differ by right. @public */
export const PRODUCER_DIFFERENCES: readonly ProducerDifferenceRow[] = [
  { file: "language", test: /^\(int\)1e20f/u, reason: "undefined in OpenCL C: clang chooses a value of its own" },
  { file: "vector-operands", test: /^\(int2\)\(\(bool\)5\)$/u, reason: "clang makes 1 of true in a vector, not -1" },
  { file: "pipes", test: /pipe void p|const int v = 1/u, reason: "clang takes what our front end refuses" },
  { file: "pipes", test: /the word is a name/u, reason: "clang's target has pipes in every version" },
  { file: "sub-groups", test: /^sizes that sub/u, reason: "clang is told 2.0 where a program has no version" },
  { file: "sub-groups", test: /^reqd_sub_group_size/u, reason: "clang has intel_reqd_sub_group_size only" },
];

/** The reason of a refusal; null: none is known. @public */
export function refusalReason({ tool, message }: ProducerRefusal): string | null {
  return PRODUCER_REFUSALS.find((row) => row.tool === tool && row.message.test(message))?.reason ?? null;
}
