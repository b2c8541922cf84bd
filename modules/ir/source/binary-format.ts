// SPDX-License-Identifier: Apache-2.0
// Constants of the binary form, shared by writer and reader. The format is internal: a reader accepts only its own
// version.
import type { AtomicKind, MemoryOrder, Scope } from "./instruction.ts";
import type { InlineHint, Linkage } from "./function.ts";
import type { ArgumentDescription } from "./kernel.ts";
import type { TypeKind } from "./type.ts";

/** The first four bytes: "MXIR". */
export const MAGIC = 0x5249_584d;
/** Incremented with every change of the format or of the op table's order. */
export const VERSION = 4;

/** Numbers of words: a position in its list. Lists grow at the end only. */
export const TYPE_KINDS: readonly TypeKind[] = [
  "void",
  "int",
  "float",
  "vector",
  "pointer",
  "array",
  "struct",
  "opaque",
];
export const ORDERS: readonly MemoryOrder[] = ["none", "relaxed", "acquire", "release", "acq_rel", "seq_cst"];
export const SCOPES: readonly Scope[] = ["none", "work_item", "sub_group", "work_group", "device", "system"];
export const ATOMIC_KINDS: readonly AtomicKind[] = [
  "exchange",
  "add",
  "sub",
  "and",
  "or",
  "xor",
  "smin",
  "smax",
  "umin",
  "umax",
  "fadd",
  "fmin",
  "fmax",
  "mul",
  "fmul",
];
export const INLINE_HINTS: readonly InlineHint[] = ["none", "always", "never"];
export const ARGUMENT_SPACES: readonly ArgumentDescription["addressSpace"][] = [
  "private",
  "global",
  "constant",
  "local",
];
export const ACCESSES: readonly ArgumentDescription["access"][] = ["none", "read_only", "write_only", "read_write"];

export const LINKAGES: readonly Linkage[] = ["external", "internal", "declaration"];

/** Bits of a function's flags. */
export const IS_KERNEL = 1;
export const IS_INTERNAL = 2;
export const IS_OUTSIDE = 4;
/** The function's convention is `work_item`; the position of its first work-item parameter follows. */
export const IS_WORK_ITEM = 8;
/** The function's convention is `kernel_entry`. */
export const IS_KERNEL_ENTRY = 16;

/**
 * Bits of an instruction's mask: which fields follow. The common ones come first, so that the mask is mostly one byte.
 */
export const HAS_TYPE = 1;
export const HAS_LOCATION = 2;
export const HAS_ALIGNMENT = 4;
export const HAS_OFFSET = 8;
export const HAS_SCALE = 16;
export const HAS_SYMBOL = 32;
export const HAS_SUCCESSORS = 64;
export const HAS_NAME = 128;
export const HAS_FLAGS = 256;
export const HAS_ELEMENT_TYPE = 512;
export const HAS_LANES = 1024;
export const HAS_ORDER = 2048;
export const HAS_SEMANTICS = 4096;
export const HAS_ATOMIC_KIND = 8192;
export const HAS_ALIAS_GROUP = 16384;

/** Bits of the layout's flags. */
export const LITTLE_ENDIAN = 1;
export const NATIVE_F16 = 2;
export const NATIVE_F64 = 4;
export const NATIVE_I64 = 8;

/** Initial bytes of a global. */
export const NO_BYTES = 0;
export const ZERO_BYTES = 1;
export const SOME_BYTES = 2;

/** Kinds of symbols. */
export const FUNCTION_SYMBOL = 0;
export const GLOBAL_SYMBOL = 1;
export const BUILTIN_SYMBOL = 2;
export const VARIABLE_SYMBOL = 3;
