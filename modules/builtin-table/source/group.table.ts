// SPDX-License-Identifier: Apache-2.0
// Collective functions of work-groups and sub-groups: rows of the table of built-in functions.
import type { BuiltinRow, ShortRow } from "./row.ts";

const UNIFORM: Partial<BuiltinRow> = { uniformity: "uniform" };
const VARYING: Partial<BuiltinRow> = { uniformity: "varying" };
/** What functions of sub-groups need besides an extension. */
const SUB_GROUPS = "__opencl_c_subgroups";
const COLLECTIVES = "__opencl_c_work_group_collective_functions";
const ALONE: Partial<BuiltinRow> = { ...VARYING, needs: [SUB_GROUPS] };
const BALLOT: Partial<BuiltinRow> = { ...VARYING, needs: [SUB_GROUPS, "cl_khr_subgroup_ballot"] };
const EXTENDED: Partial<BuiltinRow> = { ...VARYING, needs: [SUB_GROUPS, "cl_khr_subgroup_extended_types"] };

/** A collective function of a scope. */
const group = (scope: "work_group" | "sub_group", names: string, patterns: string, classes: string, detail: string, properties: Partial<BuiltinRow> = {}): ShortRow =>
  [names.split(" ").map((name) => `${scope}_${name}`).join(" "), patterns, classes, `group:${scope} ${detail}`, { isPure: false, isConvergent: true, needs: [scope === "work_group" ? COLLECTIVES : SUB_GROUPS], ...properties }];

/** Functions that not every work-item of a sub-group has to reach: those take part that come together. */
const together = (extension: string, names: string, patterns: string, classes: string, detail: string): ShortRow =>
  group("sub_group", names, patterns, classes, `${detail} together`, { ...VARYING, needs: [SUB_GROUPS, `cl_khr_subgroup_${extension}`] });

/** Operations of reductions and scans by their names in OpenCL C; those of all numbers first. */
const ARITHMETIC = ["add", "min", "max", "mul"];
const BITWISE = ["and", "or", "xor"];
const SCANS = ["reduce", "scan_inclusive", "scan_exclusive"];

/** 6.15.16 and 6.15.17, with the extensions cl_khr_subgroup_*: collective functions. */
export const GROUP_ROWS: readonly ShortRow[] = [
  group("work_group", "all", "int(int)", "", "vote group_all", UNIFORM),
  group("work_group", "any", "int(int)", "", "vote group_any", UNIFORM),
  group("work_group", "broadcast", "T(T, size_t); T(T, size_t, size_t); T(T, size_t, size_t, size_t)", "wlfhc", "broadcast", UNIFORM),
  ...SCANS.flatMap((form) => ["add", "min", "max"].map((kind) => group("work_group", `${form}_${kind}`, "T(T)", "wlfhc", `${form} ${kind}`, form === "reduce" ? UNIFORM : VARYING))),
  ...["sub_group_size", "max_sub_group_size", "num_sub_groups", "enqueued_num_sub_groups", "sub_group_id"].map((name): ShortRow => [`get_${name}`, "uint()", "", `work-item:${name}`, ALONE]),
  ["get_sub_group_local_id", "uint()", "", "work-item:sub_group_local_id", ALONE],
  ["sub_group_barrier", "void(uint); void(uint, int)", "", "sub-group-barrier", { isPure: false, isConvergent: true, needs: [SUB_GROUPS] }],
  group("sub_group", "all", "int(int)", "", "vote group_all"),
  group("sub_group", "any", "int(int)", "", "vote group_any"),
  group("sub_group", "broadcast", "T(T, uint)", "wlfhc", "broadcast"),
  group("sub_group", "broadcast", "T(T, uint)", "ifh", "broadcast", EXTENDED),
  ...SCANS.flatMap((form) => ["add", "min", "max"].map((kind) => group("sub_group", `${form}_${kind}`, "T(T)", "wlfhc", `${form} ${kind}`, ALONE))),
  ...SCANS.flatMap((form) => ["add", "min", "max"].map((kind) => group("sub_group", `${form}_${kind}`, "T(T)", "ic", `${form} ${kind}`, EXTENDED))),
  // cl_khr_subgroup_non_uniform_vote
  together("non_uniform_vote", "elect", "int()", "", "elect"),
  together("non_uniform_vote", "non_uniform_all", "int(int)", "", "vote group_all"),
  together("non_uniform_vote", "non_uniform_any", "int(int)", "", "vote group_any"),
  together("non_uniform_vote", "non_uniform_all_equal", "int(T)", "ifhc", "all_equal"),
  // cl_khr_subgroup_ballot
  together("ballot", "non_uniform_broadcast", "T(T, uint)", "ifh", "shuffle"),
  together("ballot", "broadcast_first", "T(T)", "ifhc", "first"),
  together("ballot", "ballot", "uint4(int)", "", "ballot"),
  ["sub_group_inverse_ballot", "int(uint4)", "", "library", BALLOT],
  ["sub_group_ballot_bit_extract", "int(uint4, uint)", "", "library-whole", BALLOT],
  ["sub_group_ballot_bit_count sub_group_ballot_inclusive_scan sub_group_ballot_exclusive_scan sub_group_ballot_find_lsb sub_group_ballot_find_msb", "uint(uint4)", "", "library", BALLOT],
  ["get_sub_group_eq_mask get_sub_group_ge_mask get_sub_group_gt_mask get_sub_group_le_mask get_sub_group_lt_mask", "uint4()", "", "library", BALLOT],
  // cl_khr_subgroup_non_uniform_arithmetic, cl_khr_subgroup_clustered_reduce
  ...SCANS.flatMap((form) => [
    ...ARITHMETIC.map((kind) => together("non_uniform_arithmetic", `non_uniform_${form}_${kind}`, "T(T)", "ifhc", `${form} ${kind}`)),
    ...BITWISE.map((kind) => together("non_uniform_arithmetic", `non_uniform_${form}_${kind}`, "T(T)", "ic", `${form} ${kind}`)),
    ...BITWISE.map((kind) => together("non_uniform_arithmetic", `non_uniform_${form}_logical_${kind}`, "int(int)", "", `${form} logical_${kind}`)),
  ]),
  ...ARITHMETIC.map((kind) => together("clustered_reduce", `clustered_reduce_${kind}`, "T(T, uint)", "ifhc", `reduce ${kind}`)),
  ...BITWISE.map((kind) => together("clustered_reduce", `clustered_reduce_${kind}`, "T(T, uint)", "ic", `reduce ${kind}`)),
  ...BITWISE.map((kind) => together("clustered_reduce", `clustered_reduce_logical_${kind}`, "int(int, uint)", "", `reduce logical_${kind}`)),
  // cl_khr_subgroup_shuffle, _shuffle_relative, _rotate
  together("shuffle", "shuffle", "T(T, uint)", "ifhc", "shuffle"),
  together("shuffle", "shuffle_xor", "T(T, uint)", "ifhc", "shuffle xor"),
  together("shuffle_relative", "shuffle_up", "T(T, uint)", "ifhc", "shuffle up"),
  together("shuffle_relative", "shuffle_down", "T(T, uint)", "ifhc", "shuffle down"),
  together("rotate", "rotate", "T(T, int)", "ifhc", "shuffle rotate"),
  together("rotate", "clustered_rotate", "T(T, int, uint)", "ifhc", "shuffle clustered"),
];
