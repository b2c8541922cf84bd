// SPDX-License-Identifier: Apache-2.0
/**
 * Records of printf. All work-items of a launch write into one area, which the host empties when the launch has ended:
 * a record's place is reserved by a loop of compare and exchange on the area's tail, which never passes its end. What
 * finds no room is counted in the reserved word of the header.
 */
import { PRINTF_AREA, PRINTF_AREA_HEADER_BYTES } from "@muxkit/kernel-abi";

import type { Code } from "./code.ts";

/** Reserves so many bytes: the address of the record, or 0. */
export function reserveRecord(code: Code, area: string, bytes: string): string {
  const [again, full, done] = [code.newLabel("reserve"), code.newLabel("full"), code.newLabel("reserved")];
  const record = code.registers.take("b64");
  const old = code.registers.take("b32");
  code.emit("mov.b64", record, "0");
  code.emit(`@${code.into("pred", "setp.eq.u64", area, "0")} bra`, done);
  const ringBytes = code.into("b32", "ld.global.u32", `[${area}+${PRINTF_AREA.ringBytes}]`);
  code.emit("ld.relaxed.gpu.global.u32", old, `[${area}+${PRINTF_AREA.tail}]`);
  code.label(again);
  const end = code.into("b32", "add.s32", old, bytes);
  // The end itself would be the beginning of the ring.
  code.emit(`@${code.into("pred", "setp.ge.u32", end, ringBytes)} bra`, full);
  const seen = code.into("b32", "atom.relaxed.gpu.global.cas.b32", `[${area}+${PRINTF_AREA.tail}]`, old, end);
  const isOther = code.into("pred", "setp.ne.u32", seen, old);
  code.emit(`@${isOther} mov.b32`, old, seen);
  code.emit(`@${isOther} bra`, again);
  const at = code.into("b64", "cvt.u64.u32", old);
  code.emit("add.s64", record, code.into("b64", "add.s64", area, at), String(PRINTF_AREA_HEADER_BYTES));
  code.emit("bra", done);
  code.label(full);
  code.emit("red.relaxed.gpu.global.add.u32", `[${area}+${PRINTF_AREA.reserved}]`, "1");
  code.label(done);
  return record;
}
