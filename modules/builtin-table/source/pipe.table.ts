// SPDX-License-Identifier: Apache-2.0
// Functions of pipes (OpenCL C 6.13.16): rows of the table of built-in functions. `pipe` denotes a pipe of T,
// whatever type T is: the front end looks at the arguments itself.
import type { BuiltinRow, ShortRow } from "./row.ts";

const PIPES: Partial<BuiltinRow> = { isPure: false, needs: ["__opencl_c_pipes"] };
const TOGETHER: Partial<BuiltinRow> = { ...PIPES, isConvergent: true };
const WORK_GROUP: Partial<BuiltinRow> = { ...TOGETHER, uniformity: "uniform" };
const SUB_GROUP: Partial<BuiltinRow> = { ...TOGETHER, needs: ["__opencl_c_pipes", "__opencl_c_subgroups"], uniformity: "varying" };

/** Rows of the functions of pipes. */
export const PIPE_ROWS: readonly ShortRow[] = [
  ["read_pipe write_pipe", "int(pipe, *T); int(pipe, reserve_id_t, uint, *T)", "", "pipe", { ...PIPES, uniformity: "varying" }],
  ["reserve_read_pipe reserve_write_pipe", "reserve_id_t(pipe, uint)", "", "pipe", { ...PIPES, uniformity: "varying" }],
  ["commit_read_pipe commit_write_pipe", "void(pipe, reserve_id_t)", "", "pipe", PIPES],
  ["work_group_reserve_read_pipe work_group_reserve_write_pipe", "reserve_id_t(pipe, uint)", "", "pipe", WORK_GROUP],
  ["work_group_commit_read_pipe work_group_commit_write_pipe", "void(pipe, reserve_id_t)", "", "pipe", WORK_GROUP],
  ["sub_group_reserve_read_pipe sub_group_reserve_write_pipe", "reserve_id_t(pipe, uint)", "", "pipe", SUB_GROUP],
  ["sub_group_commit_read_pipe sub_group_commit_write_pipe", "void(pipe, reserve_id_t)", "", "pipe", SUB_GROUP],
  ["get_pipe_num_packets get_pipe_max_packets", "uint(pipe)", "", "pipe", PIPES],
  ["is_valid_reserve_id", "int(reserve_id_t)", "", "pipe", PIPES],
  ["__muxkit_null_reserve_id", "reserve_id_t()", "", "pipe", PIPES],
];
