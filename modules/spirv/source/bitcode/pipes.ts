// SPDX-License-Identifier: Apache-2.0
// Functions of pipes in bitcode: what clang calls for them, and the instructions of SPIR-V, whose operands are the same
// in the same order. Functions of groups get their scope first.
import { enumerant } from "../grammar/tables.ts";
import type { OpName } from "../generated/names.ts";
import type { FunctionWriter } from "./function-writer.ts";

/** By the names without the underscores before them. */
const FUNCTIONS: Readonly<Record<string, OpName>> = {
  read_pipe_2: "OpReadPipe",
  write_pipe_2: "OpWritePipe",
  read_pipe_4: "OpReservedReadPipe",
  write_pipe_4: "OpReservedWritePipe",
  reserve_read_pipe: "OpReserveReadPipePackets",
  reserve_write_pipe: "OpReserveWritePipePackets",
  commit_read_pipe: "OpCommitReadPipe",
  commit_write_pipe: "OpCommitWritePipe",
  get_pipe_num_packets_ro: "OpGetNumPipePackets",
  get_pipe_num_packets_wo: "OpGetNumPipePackets",
  get_pipe_max_packets_ro: "OpGetMaxPipePackets",
  get_pipe_max_packets_wo: "OpGetMaxPipePackets",
};
const OF_GROUPS: Readonly<Record<string, OpName>> = {
  reserve_read_pipe: "OpGroupReserveReadPipePackets",
  reserve_write_pipe: "OpGroupReserveWritePipePackets",
  commit_read_pipe: "OpGroupCommitReadPipe",
  commit_write_pipe: "OpGroupCommitWritePipe",
};
const SCOPES: Readonly<Record<string, number>> = {
  work: enumerant("Scope", "Workgroup"),
  sub: enumerant("Scope", "Subgroup"),
};
const NAME = /^__(?:(work|sub)_group_)?((?:read|write|reserve|commit|get)_(?:read_|write_)?pipe\w*)$/u;
const IS_VALID = "_Z19is_valid_reserve_id13ocl_reserveid";

/** Writes the call of a function of pipes; false: the name is that of another one. */
export function callPipeFunction(w: FunctionWriter, name: string, result: number, ids: readonly number[]): boolean {
  if (name === IS_VALID) {
    w.define(result, "OpIsValidReserveId", ...ids);
    return true;
  }
  const [, group, own = ""] = NAME.exec(name) ?? [];
  const instruction = (group === undefined ? FUNCTIONS : OF_GROUPS)[own];
  if (instruction === undefined) return false;
  const operands = group === undefined ? ids : [w.constant32(BigInt(SCOPES[group] ?? 0)), ...ids];
  if (w.kind(result).kind === "void") w.emitter.put("functions", instruction, ...operands);
  else w.define(result, instruction, ...operands);
  return true;
}
