// SPDX-License-Identifier: Apache-2.0
// Words that name types or begin a declaration, and since when: tables, and what of them the options leave.
import { type LanguageOptions, type Requirement, whatIsMissing } from "../language.ts";

const SCALARS = ["char", "uchar", "short", "ushort", "int", "uint", "long", "ulong", "half", "float", "double"];

const ALWAYS: Requirement = {};
const V1_1: Requirement = { since: 110 };
const V2_0: Requirement = { since: 200 };
const ENQUEUE: Requirement = { needs: ["__opencl_c_device_enqueue"] };
const IMAGES = { needs: ["__opencl_c_images"] } as const;
const PIPES: Requirement = { needs: ["__opencl_c_pipes"] };
/** C11 atomics of 64 bits need both extensions (6.15.12.6). */
const LONG_ATOMICS: Requirement = { since: 200, needs: ["cl_khr_int64_base_atomics", "cl_khr_int64_extended_atomics"] };

type WordRow = readonly [words: string, requirement: Requirement];

/** Names of types. */
const TYPE_ROWS: readonly WordRow[] = [
  [SCALARS.join(" "), ALWAYS],
  [SCALARS.flatMap((name) => [2, 4, 8, 16].map((lanes) => `${name}${lanes}`)).join(" "), ALWAYS],
  [SCALARS.map((name) => `${name}3`).join(" "), V1_1],
  ["event_t", ALWAYS],
  ["image2d_t image3d_t sampler_t", IMAGES],
  ["image1d_t image1d_array_t image1d_buffer_t image2d_array_t", { ...IMAGES, since: 120 }],
  ["image2d_depth_t image2d_array_depth_t", { needs: [...IMAGES.needs, "cl_khr_depth_images"] }],
  ["void bool _Bool size_t ptrdiff_t intptr_t uintptr_t cl_mem_fence_flags signed unsigned", ALWAYS],
  [
    "atomic_int atomic_uint atomic_float atomic_flag atomic_intptr_t atomic_uintptr_t " +
      "atomic_size_t atomic_ptrdiff_t memory_order memory_scope",
    V2_0,
  ],
  ["atomic_long atomic_ulong", LONG_ATOMICS],
  ["atomic_double", { ...LONG_ATOMICS, needs: [...(LONG_ATOMICS.needs ?? []), "cl_khr_fp64"] }],
  ["queue_t clk_event_t ndrange_t clk_profiling_info kernel_enqueue_flags_t", ENQUEUE],
  ["pipe reserve_id_t", PIPES],
];

/** Words that, several in any order, make an integer or float type. */
export const ARITHMETIC_WORDS: ReadonlySet<string> = new Set([
  "char",
  "short",
  "int",
  "long",
  "half",
  "float",
  "double",
  "signed",
  "unsigned",
  "__signed__",
]);

/** Words for the type of an expression, as compilers have them. */
export const TYPEOF_WORDS: ReadonlySet<string> = new Set(["__typeof__", "__typeof"]);

/** What a qualifier sets: a field, and to what (empty for those that are true or false). */
type QualifierRow = readonly [
  field: "isConst" | "isVolatile" | "isRestrict" | "addressSpace" | "access",
  value: string,
  requirement: Requirement,
];

const GENERIC: Requirement = { needs: ["__opencl_c_generic_address_space"] };
const READ_WRITE: Requirement = { needs: ["__opencl_c_read_write_images"] };

const QUALIFIER_ROWS: readonly (readonly [words: string, ...row: QualifierRow])[] = [
  ["const __const", "isConst", "", ALWAYS],
  ["volatile __volatile__", "isVolatile", "", ALWAYS],
  ["restrict __restrict __restrict__", "isRestrict", "", ALWAYS],
  ["private __private", "addressSpace", "private", ALWAYS],
  ["global __global", "addressSpace", "global", ALWAYS],
  ["constant __constant", "addressSpace", "constant", ALWAYS],
  ["local __local", "addressSpace", "local", ALWAYS],
  ["generic __generic", "addressSpace", "generic", GENERIC],
  ["read_only __read_only", "access", "read_only", ALWAYS],
  ["write_only __write_only", "access", "write_only", ALWAYS],
  ["read_write __read_write", "access", "read_write", READ_WRITE],
];

/** Constants and macros that came later, for a message better than "not declared". */
const LATER_NAMES: readonly WordRow[] = [
  // Acquire and release are in atomic_work_item_fence on every device, in other functions by a feature.
  [
    "memory_order_relaxed memory_order_acquire memory_order_release memory_order_acq_rel " +
      "memory_scope_work_item memory_scope_work_group ATOMIC_FLAG_INIT ATOMIC_VAR_INIT",
    V2_0,
  ],
  ["memory_order_seq_cst", { since: 200, needs: ["__opencl_c_atomic_order_seq_cst"] }],
  ["memory_scope_device", { since: 200, needs: ["__opencl_c_atomic_scope_device"] }],
  ["memory_scope_all_svm_devices", { since: 200, needs: ["__opencl_c_atomic_scope_all_devices"] }],
  ["memory_scope_all_devices", { since: 300, needs: ["__opencl_c_atomic_scope_all_devices"] }],
  ["memory_scope_sub_group", { since: 200, needs: ["__opencl_c_subgroups"] }],
  [
    "CLK_ENQUEUE_FLAGS_NO_WAIT CLK_ENQUEUE_FLAGS_WAIT_KERNEL " +
      "CLK_ENQUEUE_FLAGS_WAIT_WORK_GROUP CLK_NULL_EVENT CLK_NULL_QUEUE " +
      "CLK_PROFILING_COMMAND_EXEC_TIME",
    ENQUEUE,
  ],
  ["CLK_NULL_RESERVE_ID", PIPES],
];

/** Storage classes that came later (6.8). */
const STORAGE_ROWS: readonly WordRow[] = [["static extern", { since: 120 }]];

const STORAGE = new Set([
  "_Atomic",
  "typedef",
  "static",
  "extern",
  "inline",
  "_Noreturn",
  "__inline",
  "__inline__",
  "kernel",
  "__kernel",
  "auto",
  "register",
  "__attribute__",
  "__attribute",
  "struct",
  "union",
  "enum",
  "signed",
  "unsigned",
  "__signed__",
]);

/** Words that begin a statement, or a part of one. */
export const STATEMENT_WORDS: ReadonlySet<string> = new Set([
  "if",
  "else",
  "for",
  "while",
  "do",
  "switch",
  "case",
  "default",
  "break",
  "continue",
  "return",
  "goto",
]);

const KEYWORDS = new Set([...STATEMENT_WORDS, "sizeof"]);

function byWord<T>(rows: readonly (readonly [words: string, row: T])[]): ReadonlyMap<string, T> {
  return new Map(rows.flatMap(([words, row]) => words.split(" ").map((word): [string, T] => [word, row])));
}

const TYPES = byWord(TYPE_ROWS);
const QUALIFIERS = byWord(QUALIFIER_ROWS.map(([words, ...row]): [string, QualifierRow] => [words, row]));
const LATER = byWord([...LATER_NAMES, ...STORAGE_ROWS]);

/** Every word that types, qualifiers, storage classes and statements are written with, in any version. */
export const LANGUAGE_WORDS: readonly string[] = [
  ...TYPES.keys(),
  ...QUALIFIERS.keys(),
  ...STORAGE,
  ...KEYWORDS,
  ...ARITHMETIC_WORDS,
  ...TYPEOF_WORDS,
];

/** The words that a program may use under its options. */
export class Words {
  private readonly options: LanguageOptions;
  private readonly known = new Map<string, string | null>();

  constructor(options: LanguageOptions) {
    this.options = options;
  }

  /** Why a word of the language cannot be used here: what it needs. Null: it can, or it is no word of the language. */
  missing(word: string): string | null {
    let missing = this.known.get(word);
    if (missing === undefined) {
      const requirement = TYPES.get(word) ?? QUALIFIERS.get(word)?.[2] ?? LATER.get(word);
      missing = requirement === undefined || requirement === ALWAYS ? null : whatIsMissing(this.options, requirement);
      this.known.set(word, missing);
    }
    return missing;
  }

  /** True for the words of built-in types. */
  isType(word: string): boolean {
    return TYPES.has(word) && this.missing(word) === null;
  }

  /** Every built-in type that may be used. */
  types(): string[] {
    return [...TYPES.keys()].filter((word) => this.isType(word));
  }

  /** True for a type of another version or device. */
  isMissingType(word: string): boolean {
    return TYPES.has(word) && this.missing(word) !== null;
  }

  /**
   * What a qualifier sets; undefined: the word is none. One that this version does not have is still one when it cannot
   * be a name.
   */
  qualifier(word: string): QualifierRow | undefined {
    const row = QUALIFIERS.get(word);
    return row === undefined || (word === "generic" && this.missing(word) !== null) ? undefined : row;
  }

  /** True for words that only a declaration can begin with. */
  isDeclaration(word: string): boolean {
    return STORAGE.has(word) || this.qualifier(word) !== undefined;
  }

  /** True for words that cannot be names. */
  isKeyword(word: string): boolean {
    return KEYWORDS.has(word) || STORAGE.has(word) || this.qualifier(word) !== undefined;
  }
}
