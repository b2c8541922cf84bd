// SPDX-License-Identifier: Apache-2.0
// The table of operations: the one place where an op is declared. The constants (generated/op.ts), the names of the
// text form, the rule by which the verifier checks an op and the tables of docs/ir.md follow from it. An op's number is
// its position; the binary form stores it, so inserting an op changes the format (binary-format.ts, VERSION).

/**
 * How an op's operands and result are typed. T is a scalar or a vector of it; a "bool" is an i1, or a vector of i1 with
 * T's lanes.
 *
 * - `unary-int`, `unary-float`: T → T. `binary-int`, `binary-float`: T, T → T. `ternary-float`: T, T, T → T
 * - `shift`: T, T → T. `compare-int` (ints or pointers), `compare-float`: T, T → bool
 * - `convert`: from one type to another with the same lanes; `bitcast`: same number of bits
 * - `select`: bool or i1, T, T → T
 * - every other rule belongs to the ops of that name, see their sentences
 *
 * @public
 */
export type OpRule =
  | "unary-int" | "unary-float" | "binary-int" | "binary-float" | "ternary-float" | "shift" | "compare-int"
  | "compare-float" | "convert" | "address-space" | "bitcast" | "select" | "splat" | "build" | "extract" | "insert"
  | "shuffle" | "permute" | "lanes-vote" | "lanes-reduce" | "alloca" | "load" | "store" | "address" | "global-address"
  | "memory-copy" | "memory-fill" | "masked-load" | "masked-store" | "gather" | "scatter" | "atomic-load"
  | "atomic-store" | "atomic-rmw" | "atomic-compare-exchange" | "fence" | "work-item" | "work-item-dimension"
  | "barrier" | "group-vote" | "group-pick" | "group-first" | "group-ballot" | "group-reduce" | "group-scan" | "call"
  | "call-builtin" | "debug-value" | "spec-constant" | "branch" | "conditional-branch" | "switch" | "return"
  | "unreachable";

/**
 * What an op may do in addition to computing a value. Letters: t traps, r reads memory, w writes memory, c convergent
 * (all work-items of a scope must execute it together), s may be speculated (executed where the program would not), m
 * commutes.
 *
 * @public
 */
export type OpEffects = string;

/** One op. @public */
export interface OpRow {
  /** Name in the text form. */
  readonly name: string;
  /** How it is typed. */
  readonly rule: OpRule;
  /** Its effects, see {@link OpEffects}. */
  readonly effects: OpEffects;
  /** What it computes, with the result of every corner case (docs/decisions/006-ir-contract.md). */
  readonly doc: string;
}

/** Ops that belong together: a table of docs/ir.md. @public */
export interface OpSection {
  /** Heading. */
  readonly title: string;
  /** Its ops, in the order of their numbers. */
  readonly ops: readonly OpRow[];
}

type Row = readonly [name: string, rule: OpRule, effects: OpEffects, doc: string];

const TABLE: readonly { readonly title: string; readonly rows: readonly Row[] }[] = [
  {
    title: "Integer arithmetic",
    rows: [
      ["add", "binary-int", "sm", "Sum, modulo 2^bits."],
      ["sub", "binary-int", "s", "Difference, modulo 2^bits."],
      ["mul", "binary-int", "sm", "Product, modulo 2^bits."],
      [
        "sdiv",
        "binary-int",
        "s",
        "Signed quotient, rounded towards zero. By zero: 0. Least value by -1: the least value.",
      ],
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
      ["clz", "unary-int", "s", "Number of leading zero bits; of 0: the bits of a lane."],
      ["ctz", "unary-int", "s", "Number of trailing zero bits; of 0: the bits of a lane."],
      ["popcount", "unary-int", "s", "Number of bits that are set."],
    ],
  },
  {
    title: "Floating-point arithmetic",
    rows: [
      ["fadd", "binary-float", "sm", "Sum, rounded to nearest even."],
      ["fsub", "binary-float", "s", "Difference, rounded to nearest even."],
      ["fmul", "binary-float", "sm", "Product, rounded to nearest even."],
      ["fdiv", "binary-float", "s", "Quotient, rounded to nearest even."],
      ["frem", "binary-float", "s", "Remainder of a truncating division, exact (C's fmod)."],
      ["fmin", "binary-float", "s", "Minimum; of a NaN and a number: the number; of zeros: -0 is the lesser."],
      ["fmax", "binary-float", "s", "Maximum; of a NaN and a number: the number; of zeros: +0 is the greater."],
      ["fcopysign", "binary-float", "s", "The first operand with the sign bit of the second."],
      ["fma", "ternary-float", "s", "a * b + c, rounded once."],
      ["fneg", "unary-float", "s", "Flips the sign bit, of NaNs too."],
      ["fabs", "unary-float", "s", "Clears the sign bit, of NaNs too."],
      ["fsqrt", "unary-float", "s", "Square root, correctly rounded."],
      ["ffloor", "unary-float", "s", "Rounded towards minus infinity."],
      ["fceil", "unary-float", "s", "Rounded towards plus infinity."],
      ["ftrunc", "unary-float", "s", "Rounded towards zero."],
      ["frint", "unary-float", "s", "Rounded to the nearest integer, ties to even."],
    ],
  },
  {
    title: "Comparisons",
    rows: [
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
    ],
  },
  {
    title: "Conversions",
    rows: [
      ["trunc", "convert", "s", "Int to a narrower int: the low bits."],
      ["zext", "convert", "s", "Int to a wider int, extended with zeros."],
      ["sext", "convert", "s", "Int to a wider int, extended with the top bit (an i1 that is 1 becomes -1)."],
      ["fptrunc", "convert", "s", "Float to a narrower float, rounded to nearest even."],
      ["fpext", "convert", "s", "Float to a wider float, exact."],
      ["fptosi", "convert", "s", "Float to signed int, rounded towards zero; out of range saturates, NaN gives 0."],
      ["fptoui", "convert", "s", "Float to unsigned int, rounded towards zero; out of range saturates, NaN gives 0."],
      ["sitofp", "convert", "s", "Signed int to float, rounded to nearest even."],
      ["uitofp", "convert", "s", "Unsigned int to float, rounded to nearest even."],
      ["ptrtoint", "convert", "s", "Pointer to int: its address, truncated or extended with zeros."],
      ["inttoptr", "convert", "s", "Int to pointer: the address, truncated or extended with zeros."],
      ["addrspacecast", "convert", "s", "The pointer in another address space; null stays null."],
      [
        "address_space",
        "address-space",
        "s",
        "The address space that a generic pointer refers to, as i32: 0 private, 1 global, 3 local. Null, and " +
          "addresses outside of every object: 1.",
      ],
      [
        "bitcast",
        "bitcast",
        "s",
        "The same bits as another type of the same size; lanes are in memory order (lane 0 has the lowest bits).",
      ],
    ],
  },
  {
    title: "Selection and lanes of vectors",
    rows: [
      [
        "select",
        "select",
        "s",
        "Operand 1 where operand 0 is 1, operand 2 where it is 0; lane by lane when operand 0 is a vector.",
      ],
      ["splat", "splat", "s", "A vector with the scalar operand in every lane."],
      ["build", "build", "s", "A vector of its scalar operands, lane 0 first."],
      [
        "extract",
        "extract",
        "s",
        "The lane of vector operand 0 at the i32 index operand 1, modulo the number of lanes.",
      ],
      [
        "insert",
        "insert",
        "s",
        "Vector operand 0 with scalar operand 1 in the lane at the i32 index operand 2, modulo the number of " +
          "lanes.",
      ],
      [
        "shuffle",
        "shuffle",
        "s",
        "Lanes selected by the list `lanes`: 0..n-1 from operand 0, n..2n-1 from operand 1 (both of n lanes); -1 " +
          "gives 0.",
      ],
      [
        "permute",
        "permute",
        "s",
        "Lanes of operand 0, a vector of ints made of blocks of `scale` lanes (a power of two), by the lanes of " +
          "operand 1 (ints of the same width): lane i is the lane at that index, modulo `scale`, of the block of " +
          "lane i, modulo the number of blocks.",
      ],
      ["any", "lanes-vote", "s", "1 when some lane of operand 0 (a vector of i1) is 1."],
      ["all", "lanes-vote", "s", "1 when every lane of operand 0 (a vector of i1) is 1."],
      [
        "reduce",
        "lanes-reduce",
        "s",
        "The lanes of a vector combined by `kind`: lane k with lane k + h, for h the powers of two below the " +
          "number of lanes, the greatest first.",
      ],
    ],
  },
  {
    title: "Memory",
    rows: [
      [
        "alloca",
        "alloca",
        "",
        "Pointer to private memory for a value of `elementType`, zero when the function is entered. Only in the " +
          "entry block.",
      ],
      ["load", "load", "r", "The value at pointer operand 0, which is a multiple of `alignment` bytes."],
      ["store", "store", "w", "Writes operand 0 at pointer operand 1, which is a multiple of `alignment` bytes."],
      [
        "address",
        "address",
        "s",
        "Pointer operand 0 + index operand 1 (signed int of any width, optional) * `scale` + `offset`, in bytes. " +
          "Either operand may be a vector: then the result is one too, lane by lane.",
      ],
      ["global_address", "global-address", "s", "The address of a global variable (`symbol`)."],
      [
        "memory_copy",
        "memory-copy",
        "rw",
        "Copies operand 2 (int) bytes from pointer operand 1 to pointer operand 0; the ranges do not overlap " +
          "unless they are equal.",
      ],
      [
        "memory_fill",
        "memory-fill",
        "w",
        "Writes the low byte of operand 1 (i8) to operand 2 (int) bytes at pointer operand 0.",
      ],
      [
        "masked_load",
        "masked-load",
        "r",
        "The vector at pointer operand 0; lanes are read where operand 1 (a vector of i1) is 1, the others are 0. " +
          "The address of lane 0 is a multiple of `alignment`. Bytes of inactive lanes may be read, so the memory " +
          "around an active lane must be readable for the size of the vector.",
      ],
      [
        "masked_store",
        "masked-store",
        "w",
        "Writes the lanes of vector operand 0 at pointer operand 1 where operand 2 (a vector of i1) is 1, and no " +
          "byte of the others. The address of lane 0 is a multiple of `alignment`.",
      ],
      [
        "gather",
        "gather",
        "r",
        "The values at the pointers of operand 0 (a vector of n pointers) where operand 1 (n lanes of i1) is 1, " +
          "else 0. The result has n lanes, or a power of two times n: then each pointer loads that many consecutive " +
          "elements. Each pointer is a multiple of `alignment`.",
      ],
      [
        "scatter",
        "scatter",
        "w",
        "Writes the lanes of operand 0 at the pointers of operand 1 (a vector of n) where operand 2 (n lanes of " +
          "i1) is 1, in lane order: of overlapping lanes the last one stays. With a power of two times n lanes, " +
          "each pointer stores that many consecutive elements. Each pointer is a multiple of `alignment`.",
      ],
    ],
  },
  {
    title: "Atomics and fences",
    rows: [
      ["atomic_load", "atomic-load", "rw", "Atomic load with `order` and `scope`."],
      [
        "atomic_store",
        "atomic-store",
        "rw",
        "Atomic store of operand 0 at pointer operand 1 with `order` and `scope`.",
      ],
      [
        "atomic_rmw",
        "atomic-rmw",
        "rw",
        "Replaces the value at pointer operand 0 by `kind`(old, operand 1) in one atomic step; returns the old " +
          "value.",
      ],
      [
        "atomic_compare_exchange",
        "atomic-compare-exchange",
        "rw",
        "Stores operand 2 at pointer operand 0 if the old value equals operand 1; returns the old value.",
      ],
      ["fence", "fence", "rw", "Orders memory accesses (`order`, `scope`)."],
    ],
  },
  {
    title: "Work-item queries",
    rows: [
      ["work_dim", "work-item", "s", "Number of dimensions of the NDRange, i32."],
      [
        "global_id",
        "work-item-dimension",
        "s",
        "Global id in dimension operand 0 (i32; from 3 on: 0), offset included; of type size_t.",
      ],
      ["global_size", "work-item-dimension", "s", "Global size in a dimension (from 3 on: 1)."],
      ["global_offset", "work-item-dimension", "s", "Global offset in a dimension (from 3 on: 0)."],
      ["local_id", "work-item-dimension", "s", "Id within the work-group in a dimension (from 3 on: 0)."],
      ["local_size", "work-item-dimension", "s", "Actual size of this work-group in a dimension (from 3 on: 1)."],
      ["enqueued_local_size", "work-item-dimension", "s", "Local size of the launch in a dimension (from 3 on: 1)."],
      ["group_id", "work-item-dimension", "s", "Id of the work-group in a dimension (from 3 on: 0)."],
      ["num_groups", "work-item-dimension", "s", "Number of work-groups in a dimension (from 3 on: 1)."],
      [
        "global_linear_id",
        "work-item",
        "s",
        "Global id, offset excluded, all dimensions in one, x fastest; of type size_t.",
      ],
      ["local_linear_id", "work-item", "s", "Local id, all dimensions in one, x fastest; of type size_t."],
      [
        "sub_group_size",
        "work-item",
        "s",
        "Work-items of this sub-group: all sub-groups have the same size except the last; they partition the " +
          "linear local ids.",
      ],
      ["max_sub_group_size", "work-item", "s", "Work-items of the largest sub-group of the launch."],
      ["num_sub_groups", "work-item", "s", "Sub-groups of this work-group."],
      ["enqueued_num_sub_groups", "work-item", "s", "Sub-groups of a work-group of the enqueued local size."],
      ["sub_group_id", "work-item", "s", "Number of the sub-group in its work-group."],
      ["sub_group_local_id", "work-item", "s", "Id within the sub-group."],
    ],
  },
  {
    title: "Barriers and group operations",
    rows: [
      [
        "barrier",
        "barrier",
        "rwc",
        "Every work-item of the `scope` arrives before any continues; `semantics` selects the memory that is ordered. " +
          "A work-item that has returned does not take part (see docs/decisions/031-early-returns.md). " +
          "With `non_uniform`, the work-items that arrive together continue together.",
      ],
      // Group operations: every work-item of the `scope` (work_group or sub_group) arrives with its operands, then each
      // gets its result. A work-item that has returned does not take part. With the flag `non_uniform` only those take
      // part that arrive together: all that wait here once those of the sub-group that are at earlier points of the
      // program have caught up.
      ["group_all", "group-vote", "c", "1 when operand 0 is 1 for all work-items."],
      ["group_any", "group-vote", "c", "1 when operand 0 is 1 for some work-item."],
      [
        "group_broadcast",
        "group-pick",
        "c",
        "Operand 0 of the work-item whose linear id in the scope is operand 1 (the same i32 for all); 0 when that " +
          "one does not take part.",
      ],
      [
        "group_shuffle",
        "group-pick",
        "c",
        "Operand 0 of the work-item whose linear id in the scope is operand 1 (each work-item's own i32); 0 when " +
          "that one does not take part.",
      ],
      [
        "group_broadcast_first",
        "group-first",
        "c",
        "Operand 0 of the participating work-item with the lowest linear id.",
      ],
      [
        "group_ballot",
        "group-ballot",
        "c",
        "Bit i of the 128 bits of the vector is operand 0 of the work-item with linear id i; 0 for those that do " +
          "not take part.",
      ],
      [
        "group_reduce",
        "group-reduce",
        "c",
        "Operand 0 of all work-items, or of each cluster of operand 1 (a constant power of two) consecutive ones, " +
          "combined by `kind` in the order of docs/kernel-abi.md.",
      ],
      [
        "group_scan_inclusive",
        "group-scan",
        "c",
        "Operand 0 of the work-items up to this one in the order of their linear ids, combined by `kind` in the " +
          "order of docs/kernel-abi.md.",
      ],
      [
        "group_scan_exclusive",
        "group-scan",
        "c",
        "The inclusive scan of the work-item before this one; the first gets the identity (fadd: 0, fmin and " +
          "fmax: an infinity).",
      ],
    ],
  },
  {
    title: "Calls, debug values, specialisation constants",
    rows: [
      ["call", "call", "rwtc", "Calls the function `symbol` with the operands."],
      [
        "call_builtin",
        "call-builtin",
        "rwc",
        "Calls a built-in function by its row in the table of built-ins (`symbol`: name and OpenCL parameter " +
          "types).",
      ],
      [
        "debug_value",
        "debug-value",
        "",
        "Operand 0 is now the value of a source variable (`symbol`). It does not count as a use.",
      ],
      [
        "spec_constant",
        "spec-constant",
        "s",
        "A specialisation constant: its id is `offset`, operand 0 (a constant) its default.",
      ],
    ],
  },
  {
    title: "Control flow",
    rows: [
      ["br", "branch", "", "Branches to a block, with arguments for its parameters."],
      [
        "cond_br",
        "conditional-branch",
        "",
        "Branches to the first block where operand 0 (i1) is 1, to the second where it is 0.",
      ],
      [
        "switch",
        "switch",
        "",
        "Branches to the block of the case that equals operand 0 (int), else to the first block (the default).",
      ],
      ["ret", "return", "", "Returns from the function, with its value when it has one."],
      ["unreachable", "unreachable", "t", "Traps: control does not reach it."],
    ],
  },
];

/** Every op by section, in the order of their numbers. @public */
export const OP_SECTIONS: readonly OpSection[] = TABLE.map(({ title, rows }) => ({
  title,
  ops: rows.map(([name, rule, effects, doc]) => ({ name, rule, effects, doc })),
}));

/** Every op, indexed by its number. @public */
export const OPS: readonly OpRow[] = OP_SECTIONS.flatMap(({ ops }) => ops);

let numbers: ReadonlyMap<string, number> | null = null;

/** The number of an op by its name in the text form; undefined: there is no such op. @public */
export function opNumber(name: string): number | undefined {
  numbers ??= new Map(OPS.map((row, i) => [row.name, i]));
  return numbers.get(name);
}
