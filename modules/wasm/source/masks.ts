// Lane masks: vectors of i1 are kept as 32-bit masks; here they get the width of other lanes, and back.
import type { Value } from "@muxkit/ir";

import type { FunctionEmitter } from "./function-emitter.ts";
import { partCount } from "./representation.ts";

const ZERO = new Uint8Array(16);

/** Puts a part of a mask on the stack; zeros behind its end. */
function pushPart(emitter: FunctionEmitter, mask: Value, part: number): void {
  if (part < partCount(mask.type)) emitter.push(mask, part);
  else emitter.code.v128(ZERO);
}

/** Puts the mask for one part of a vector with lanes of `bytes` bytes on the stack. */
export function pushMask(emitter: FunctionEmitter, mask: Value, bytes: number, part: number): void {
  const { code } = emitter;
  switch (bytes) {
    case 8:
      pushPart(emitter, mask, part >> 1);
      code.simd((part & 1) === 0 ? 0xc7 : 0xc8);
      return;
    case 4:
      pushPart(emitter, mask, part);
      return;
    case 2:
      pushPart(emitter, mask, part * 2);
      pushPart(emitter, mask, part * 2 + 1);
      code.simd(0x85);
      return;
    default:
      for (let half = 0; half < 2; half++) {
        pushPart(emitter, mask, part * 4 + half * 2);
        pushPart(emitter, mask, part * 4 + half * 2 + 1);
        code.simd(0x85);
      }
      code.simd(0x65);
  }
}

/** Puts the mask for one part of a vector on the stack of which `bytes` bytes (a power of two) belong to each lane of the mask. */
export function pushMaskOfGroups(emitter: FunctionEmitter, mask: Value, bytes: number, part: number): void {
  if (bytes < 16) {
    pushMask(emitter, mask, bytes, part);
    return;
  }
  const lane = Math.floor((part * 16) / bytes);
  pushMask(emitter, mask, 4, lane >> 2);
  pushMask(emitter, mask, 4, lane >> 2);
  emitter.code.shuffle(Array.from({ length: 16 }, (_, i) => (lane & 3) * 4 + (i & 3)));
}

/** Puts masks of `bytes`-byte lanes, held in locals, on the stack as `count` parts of 32-bit masks. */
export function pushAsLanes(emitter: FunctionEmitter, locals: readonly number[], bytes: number, count: number): void {
  const { code } = emitter;
  const part = (index: number): void => {
    const local = locals[index];
    if (local === undefined) code.v128(ZERO);
    else code.get(local);
  };
  for (let i = 0; i < count; i++) {
    switch (bytes) {
      case 8:
        part(i * 2);
        part(i * 2 + 1);
        code.simd(0x0d);
        for (const byte of [0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27]) code.bytes.u8(byte);
        break;
      case 4:
        part(i);
        break;
      case 2:
        part(i >> 1);
        code.simd((i & 1) === 0 ? 0xa7 : 0xa8);
        break;
      default:
        part(i >> 2);
        code.simd((i & 2) === 0 ? 0x87 : 0x88);
        code.simd((i & 1) === 0 ? 0xa7 : 0xa8);
    }
  }
}
