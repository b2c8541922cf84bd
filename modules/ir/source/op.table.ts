// SPDX-License-Identifier: Apache-2.0
// The table of operations: the one place where an op is declared. Constants (generated/op.ts), names, text form, verifier and docs/ir.md follow from it.

/**
 * How an op's operands and result are typed. T is a scalar or a vector of it; a "bool" is an i1 or a vector of i1 with T's lanes.
 *
 * - `unary-int`, `unary-float`: T → T. `binary-int`, `binary-float`: T, T → T. `ternary-float`: T, T, T → T
 * - `shift`: T, T → T. `compare-int` (ints or pointers), `compare-float`: T, T → bool
 * - `convert`: from one type to another with the same lanes; `bitcast`: same number of bits
 * - `select`: bool or i1, T, T → T
 * - every other rule belongs to the op of that name, see its sentence
 *
 * @public
 */
export type OpRule =
  | "unary-int" | "unary-float" | "binary-int" | "binary-float" | "ternary-float" | "shift" | "compare-int" | "compare-float"
  | "convert" | "address-space" | "bitcast" | "select" | "splat" | "build" | "extract" | "insert" | "shuffle" | "permute" | "lanes-vote" | "lanes-reduce"
  | "alloca" | "load" | "store" | "address" | "global-address" | "memory-copy" | "memory-fill" | "masked-load" | "masked-store" | "gather" | "scatter"
  | "atomic-load" | "atomic-store" | "atomic-rmw" | "atomic-compare-exchange" | "fence"
  | "work-item" | "work-item-dimension" | "barrier" | "group-vote" | "group-pick" | "group-first" | "group-ballot" | "group-reduce" | "group-scan" | "call" | "call-builtin" | "debug-value"
  | "spec-constant" | "branch" | "conditional-branch" | "switch" | "return" | "unreachable";

/** What an op may do besides giving a value. Letters: t traps, r reads memory, w writes memory, c convergent, s may be speculated (run although the program would not have), m commutes. @public */
export type OpEffects = string;

/** One op. @public */
export interface OpRow {
  /** Name in the text form. */
  readonly name: string;
  /** How it is typed. */
  readonly rule: OpRule;
  /** Its effects, see {@link OpEffects}. */
  readonly effects: OpEffects;
  /** What it computes, with the written result of every corner case (decision 6 c). */
  readonly doc: string;
}

type Row = readonly [name: string, rule: OpRule, effects: OpEffects, doc: string];

const ROWS: readonly Row[] = [
  ["add", "binary-int", "sm", "Sum, modulo 2^bits."],
  ["sub", "binary-int", "s", "Difference, modulo 2^bits."],
  ["mul", "binary-int", "sm", "Product, modulo 2^bits."],
  ["sdiv", "binary-int", "s", "Signed quotient, rounded towards zero. By zero: 0. Least value by -1: the least value."],
  ["udiv", "binary-int", "s", "Unsigned quotient. By zero: 0."],
  ["srem", "binary-int", "s", "Signed remainder, with the sign of the dividend. By zero: the dividend. By -1: 0."],
  ["urem", "binary-int", "s", "Unsigned remainder. By zero: the dividend."],
  ["and", "binary-int", "sm", "Bitwise and."],
  ["or", "binary-int", "sm", "Bitwise or."],
  ["xor", "binary-int", "sm", "Bitwise exclusive or."],
  ["shl", "shift", "s", "Shift left. The amount counts modulo the bits of a lane."],
  ["lshr", "shift", "s", "Logical shift right. The amount counts modulo the bits of a lane."],
  ["ashr", "shift", "s", "Arithmetic shift right. The amount counts modulo the bits of a lane."],
  ["rotl", "shift", "s", "Rotate left. The amount counts modulo the bits of a lane."],
  ["smin", "binary-int", "sm", "Signed minimum."],
  ["smax", "binary-int", "sm", "Signed maximum."],
  ["umin", "binary-int", "sm", "Unsigned minimum."],
  ["umax", "binary-int", "sm", "Unsigned maximum."],
  ["smulh", "binary-int", "sm", "High half of the signed product."],
  ["umulh", "binary-int", "sm", "High half of the unsigned product."],
  ["clz", "unary-int", "s", "Leading zero bits; of 0: the bits of a lane."],
  ["ctz", "unary-int", "s", "Trailing zero bits; of 0: the bits of a lane."],
  ["popcount", "unary-int", "s", "Bits that are set."],
  ["fadd", "binary-float", "sm", "Sum, rounded to nearest even."],
  ["fsub", "binary-float", "s", "Difference, rounded to nearest even."],
  ["fmul", "binary-float", "sm", "Product, rounded to nearest even."],
  ["fdiv", "binary-float", "s", "Quotient, rounded to nearest even."],
  ["frem", "binary-float", "s", "Remainder of a truncating division, exact (C's fmod)."],
  ["fmin", "binary-float", "s", "Minimum; of a NaN and a number: the number; of zeros: -0 is the lesser."],
  ["fmax", "binary-float", "s", "Maximum; of a NaN and a number: the number; of zeros: +0 is the greater."],
  ["fcopysign", "binary-float", "s", "The first operand with the sign bit of the second."],
  ["fma", "ternary-float", "s", "a * b + c, rounded once."],
  ["fneg", "unary-float", "s", "The sign bit flipped, of NaNs too."],
  ["fabs", "unary-float", "s", "The sign bit cleared, of NaNs too."],
  ["fsqrt", "unary-float", "s", "Square root, correctly rounded."],
  ["ffloor", "unary-float", "s", "Rounded towards minus infinity."],
  ["fceil", "unary-float", "s", "Rounded towards plus infinity."],
  ["ftrunc", "unary-float", "s", "Rounded towards zero."],
  ["frint", "unary-float", "s", "Rounded to the nearest integer, ties to even."],
  ["eq", "compare-int", "sm", "Equal."],
  ["ne", "compare-int", "sm", "Not equal."],
  ["slt", "compare-int", "s", "Signed less."],
  ["sle", "compare-int", "s", "Signed less or equal."],
  ["sgt", "compare-int", "s", "Signed greater."],
  ["sge", "compare-int", "s", "Signed greater or equal."],
  ["ult", "compare-int", "s", "Unsigned less."],
  ["ule", "compare-int", "s", "Unsigned less or equal."],
  ["ugt", "compare-int", "s", "Unsigned greater."],
  ["uge", "compare-int", "s", "Unsigned greater or equal."],
  ["feq", "compare-float", "sm", "Equal; false with a NaN."],
  ["fne", "compare-float", "sm", "Not equal; true with a NaN."],
  ["flt", "compare-float", "s", "Less; false with a NaN."],
  ["fle", "compare-float", "s", "Less or equal; false with a NaN."],
  ["fgt", "compare-float", "s", "Greater; false with a NaN."],
  ["fge", "compare-float", "s", "Greater or equal; false with a NaN."],
  ["trunc", "convert", "s", "Int to a narrower int: the low bits."],
  ["zext", "convert", "s", "Int to a wider int, filled with zeros."],
  ["sext", "convert", "s", "Int to a wider int, filled with the top bit (an i1 that is 1 becomes -1)."],
  ["fptrunc", "convert", "s", "Float to a narrower float, rounded to nearest even."],
  ["fpext", "convert", "s", "Float to a wider float, exact."],
  ["fptosi", "convert", "s", "Float to signed int, towards zero; out of range saturates, NaN gives 0."],
  ["fptoui", "convert", "s", "Float to unsigned int, towards zero; out of range saturates, NaN gives 0."],
  ["sitofp", "convert", "s", "Signed int to float, rounded to nearest even."],
  ["uitofp", "convert", "s", "Unsigned int to float, rounded to nearest even."],
  ["ptrtoint", "convert", "s", "Pointer to int: its address, cut or filled with zeros."],
  ["inttoptr", "convert", "s", "Int to pointer: the address, cut or filled with zeros."],
  ["addrspacecast", "convert", "s", "A pointer in another address space; null stays null."],
  ["address_space", "address-space", "s", "Where a generic pointer points: the number of its address space as i32, 0 private, 1 global, 3 local. Null, and what belongs to no object: 1."],
  ["bitcast", "bitcast", "s", "The same bits as another type of the same size; lanes are in memory order (lane 0 holds the lowest bits)."],
  ["select", "select", "s", "The second operand where the first is 1, the third where it is 0; lane by lane when the first is a vector."],
  ["splat", "splat", "s", "A vector with the scalar operand in every lane."],
  ["build", "build", "s", "A vector of its scalar operands, lane 0 first."],
  ["extract", "extract", "s", "The lane of a vector (operand 0) with an i32 index (operand 1), counted modulo the lanes."],
  ["insert", "insert", "s", "A vector (operand 0) with a scalar (operand 1) in the lane of an i32 index (operand 2), counted modulo the lanes."],
  ["shuffle", "shuffle", "s", "Lanes picked by the `lanes` list: 0..n-1 from operand 0, n..2n-1 from operand 1 (both of n lanes); -1 gives 0."],
  ["permute", "permute", "s", "Lanes of operand 0 (a vector of ints, some blocks of `scale` lanes, a power of two) by the lanes of operand 1 (ints as wide): lane i is the one at that place, counted modulo `scale`, of the block that lane i belongs to, counted modulo the blocks."],
  ["any", "lanes-vote", "s", "1 when a lane of operand 0 (a vector of i1) is 1."],
  ["all", "lanes-vote", "s", "1 when every lane of operand 0 (a vector of i1) is 1."],
  ["reduce", "lanes-reduce", "s", "The lanes of a vector combined by `kind`: lane k with lane k + h, for h the powers of two below the number of lanes, the greatest first."],
  ["alloca", "alloca", "", "Pointer to private memory for a value of `elementType`, zero at the function's entry. Only in the entry block."],
  ["load", "load", "r", "The value at a pointer; `alignment` in bytes is promised."],
  ["store", "store", "w", "Writes operand 0 at pointer operand 1; `alignment` in bytes is promised."],
  ["address", "address", "s", "Pointer operand 0 + index operand 1 (signed int of any width, optional) * `scale` + `offset`, in bytes. Either may be a vector: then so is the result, lane by lane."],
  ["global_address", "global-address", "s", "The address of a global variable (`symbol`)."],
  ["memory_copy", "memory-copy", "rw", "Copies operand 2 (int) bytes from pointer operand 1 to pointer operand 0; the ranges do not overlap unless they are equal."],
  ["memory_fill", "memory-fill", "w", "Writes the low byte of operand 1 (i8) to operand 2 (int) bytes at pointer operand 0."],
  ["masked_load", "masked-load", "r", "The vector at pointer operand 0, of whose lanes those are read that are 1 in operand 1 (a vector of i1); the others are 0. `alignment` in bytes is promised for the first lane's address. Bytes of lanes that are off may be read, so what a pointer of a lane that is on leads to needs as many readable bytes around it as the vector has."],
  ["masked_store", "masked-store", "w", "Writes those lanes of the vector operand 0 at pointer operand 1 that are 1 in operand 2 (a vector of i1), and no byte of the others. `alignment` in bytes is promised for the first lane's address."],
  ["gather", "gather", "r", "What lies at each pointer of operand 0 (a vector of n pointers) whose lane is 1 in operand 1 (n lanes of i1), else 0. The result has n lanes, or a power of two times as many: each pointer then leads to as many neighbours. `alignment` in bytes is promised of each pointer."],
  ["scatter", "scatter", "w", "Writes the lanes of operand 0 at the pointers of operand 1 (a vector of n) whose lanes are 1 in operand 2 (n lanes of i1), one after the other: of two that meet, the later lane stays. With a power of two times as many lanes, each pointer gets as many neighbours. `alignment` in bytes is promised of each pointer."],
  ["atomic_load", "atomic-load", "rw", "Atomic load with `order` and `scope`."],
  ["atomic_store", "atomic-store", "rw", "Atomic store of operand 0 at pointer operand 1 with `order` and `scope`."],
  ["atomic_rmw", "atomic-rmw", "rw", "Replaces the value at pointer operand 0 by `kind`(old, operand 1) in one step; gives the old value."],
  ["atomic_compare_exchange", "atomic-compare-exchange", "rw", "Stores operand 2 at pointer operand 0 if the old value equals operand 1; gives the old value."],
  ["fence", "fence", "rw", "Orders memory accesses (`order`, `scope`)."],
  ["work_dim", "work-item", "s", "Number of dimensions of the NDRange, i32."],
  ["global_id", "work-item-dimension", "s", "Global id in dimension operand 0 (i32; from 3 on: 0), offset included; of type size_t."],
  ["global_size", "work-item-dimension", "s", "Global size in a dimension (from 3 on: 1)."],
  ["global_offset", "work-item-dimension", "s", "Global offset in a dimension (from 3 on: 0)."],
  ["local_id", "work-item-dimension", "s", "Id within the work-group in a dimension (from 3 on: 0)."],
  ["local_size", "work-item-dimension", "s", "Actual size of this work-group in a dimension (from 3 on: 1)."],
  ["enqueued_local_size", "work-item-dimension", "s", "Local size that was asked for in a dimension (from 3 on: 1)."],
  ["group_id", "work-item-dimension", "s", "Id of the work-group in a dimension (from 3 on: 0)."],
  ["num_groups", "work-item-dimension", "s", "Number of work-groups in a dimension (from 3 on: 1)."],
  ["global_linear_id", "work-item", "s", "Global id, offset excluded, all dimensions in one, x fastest; of type size_t."],
  ["local_linear_id", "work-item", "s", "Local id, all dimensions in one, x fastest; of type size_t."],
  ["sub_group_size", "work-item", "s", "Work-items of this sub-group: all sub-groups are of equal size but the last; they divide the linear local ids."],
  ["max_sub_group_size", "work-item", "s", "Work-items of the largest sub-group of the launch."],
  ["num_sub_groups", "work-item", "s", "Sub-groups of this work-group."],
  ["enqueued_num_sub_groups", "work-item", "s", "Sub-groups of a work-group of the local size that was asked for."],
  ["sub_group_id", "work-item", "s", "Number of the sub-group in its work-group."],
  ["sub_group_local_id", "work-item", "s", "Id within the sub-group."],
  ["barrier", "barrier", "rwc", "Every work-item of the `scope` arrives before any goes on; `semantics` says whose memory is ordered. A work-item that has returned takes no part (decision 31). With `non_uniform`: those that come here together go on together."],
  // Group operations: every work-item of the `scope` (work_group or sub_group) arrives and gives its operands, then each gets its result. A work-item that has returned takes no part.
  // With the flag `non_uniform` only those take part that come here together: all that wait at this place when those of the sub-group that are behind, in the order of the program, have caught up.
  ["group_all", "group-vote", "c", "1 when operand 0 is 1 for all work-items."],
  ["group_any", "group-vote", "c", "1 when operand 0 is 1 for some work-item."],
  ["group_broadcast", "group-pick", "c", "Operand 0 of the work-item whose linear id in the scope is operand 1 (the same i32 for all); 0 when that one takes no part."],
  ["group_shuffle", "group-pick", "c", "Operand 0 of the work-item whose linear id in the scope is operand 1 (each work-item's own i32); 0 when that one takes no part."],
  ["group_broadcast_first", "group-first", "c", "Operand 0 of the work-item with the lowest linear id that takes part."],
  ["group_ballot", "group-ballot", "c", "Bit i of the vector's 128 is operand 0 of the work-item with the linear id i; 0 for those that take no part."],
  ["group_reduce", "group-reduce", "c", "Operand 0 of all work-items, or of each cluster of operand 1 (a constant power of two) neighbours, combined by `kind` in the order that docs/kernel-abi.md writes down."],
  ["group_scan_inclusive", "group-scan", "c", "Operand 0 of the work-items up to this one in the order of their linear ids, combined by `kind` in the order that docs/kernel-abi.md writes down."],
  ["group_scan_exclusive", "group-scan", "c", "What the work-item before this one gets from the inclusive scan; the first gets the identity (fadd: 0, fmin and fmax: an infinity)."],
  ["call", "call", "rwtc", "Calls the function `symbol` with the operands."],
  ["call_builtin", "call-builtin", "rwc", "Calls a built-in function by its row in the table of built-ins (`symbol`: name and OpenCL parameter types)."],
  ["debug_value", "debug-value", "", "Operand 0 is now the value of a source variable (`symbol`). Not a use."],
  ["spec_constant", "spec-constant", "s", "A specialisation constant: its id is `offset`, operand 0 (a constant) its default."],
  ["br", "branch", "", "Goes on in a block, with arguments for its parameters."],
  ["cond_br", "conditional-branch", "", "Goes on in the first block where operand 0 (i1) is 1, in the second where it is 0."],
  ["switch", "switch", "", "Goes on in the block of the case that equals operand 0 (int), else in the first block (the default)."],
  ["ret", "return", "", "Ends the function, with its value when it has one."],
  ["unreachable", "unreachable", "t", "Traps: control does not come here."],
];

/** Every op, indexed by its number. @public */
export const OPS: readonly OpRow[] = ROWS.map(([name, rule, effects, doc]) => ({ name, rule, effects, doc }));

let numbers: ReadonlyMap<string, number> | null = null;

/** The number of an op by its name in the text form; undefined: no op is called so. @public */
export function opNumber(name: string): number | undefined {
  numbers ??= new Map(OPS.map((row, i) => [row.name, i]));
  return numbers.get(name);
}
