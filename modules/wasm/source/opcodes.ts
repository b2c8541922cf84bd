// SPDX-License-Identifier: Apache-2.0
// Numbers of WebAssembly instructions (core specification 2.0, section 5.4; threads proposal for the atomics). A number
// above 0xff is a prefix byte and what follows it.

export const UNREACHABLE = 0x00;
export const BLOCK = 0x02;
export const LOOP = 0x03;
export const IF = 0x04;
export const ELSE = 0x05;
export const END = 0x0b;
export const BR = 0x0c;
export const BR_IF = 0x0d;
export const BR_TABLE = 0x0e;
export const RETURN = 0x0f;
export const CALL = 0x10;
export const DROP = 0x1a;
export const SELECT = 0x1b;
export const LOCAL_GET = 0x20;
export const LOCAL_SET = 0x21;
export const LOCAL_TEE = 0x22;
export const GLOBAL_GET = 0x23;
export const GLOBAL_SET = 0x24;
export const I32_CONST = 0x41;
export const I64_CONST = 0x42;
export const F32_CONST = 0x43;
export const F64_CONST = 0x44;

/** Prefix of saturating conversions and bulk memory. */
export const MISC = 0xfc00;
/** Prefix of vectors. */
export const SIMD = 0xfd00;
/** Prefix of atomics. */
export const ATOMIC = 0xfe00;

/** Value types. */
export const TYPE_I32 = 0x7f;
export const TYPE_I64 = 0x7e;
export const TYPE_F32 = 0x7d;
export const TYPE_F64 = 0x7c;
export const TYPE_V128 = 0x7b;
/** Result type of a block without result. */
export const NO_RESULT = 0x40;
