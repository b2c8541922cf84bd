// Words that name types or begin a declaration.

const SCALARS = ["char", "uchar", "short", "ushort", "int", "uint", "long", "ulong", "half", "float", "double"];

const OPAQUE = [
  "image1d_t", "image1d_array_t", "image1d_buffer_t", "image2d_t", "image2d_array_t", "image3d_t", "sampler_t", "event_t",
];

const NAMED = new Set<string>([
  ...SCALARS,
  ...SCALARS.flatMap((name) => [2, 3, 4, 8, 16].map((lanes) => `${name}${lanes}`)),
  ...OPAQUE,
  "void", "bool", "_Bool", "size_t", "ptrdiff_t", "intptr_t", "uintptr_t", "cl_mem_fence_flags",
]);

/** Words that, several in any order, make an integer or float type. */
export const ARITHMETIC_WORDS: ReadonlySet<string> = new Set(["char", "short", "int", "long", "float", "double", "signed", "unsigned", "__signed__"]);

/** What a qualifier sets: a field, and to what (empty for those that are true or false). */
type QualifierRow = readonly [field: "isConst" | "isVolatile" | "isRestrict" | "addressSpace" | "access", value: string];

const QUALIFIER_ROWS: readonly (readonly [words: string, ...row: QualifierRow])[] = [
  ["const __const", "isConst", ""],
  ["volatile __volatile__", "isVolatile", ""],
  ["restrict __restrict __restrict__", "isRestrict", ""],
  ["private __private", "addressSpace", "private"],
  ["global __global", "addressSpace", "global"],
  ["constant __constant", "addressSpace", "constant"],
  ["local __local", "addressSpace", "local"],
  ["generic __generic", "addressSpace", "generic"],
  ["read_only __read_only", "access", "read_only"],
  ["write_only __write_only", "access", "write_only"],
  ["read_write __read_write", "access", "read_write"],
];

/** Qualifiers by every spelling. */
export const QUALIFIER_WORDS: ReadonlyMap<string, QualifierRow> = new Map(QUALIFIER_ROWS.flatMap(([words, field, value]) => words.split(" ").map((word): [string, QualifierRow] => [word, [field, value]])));

const STORAGE = new Set(["typedef", "static", "extern", "inline", "__inline", "__inline__", "kernel", "__kernel", "auto", "register", "__attribute__", "__attribute", "struct", "union", "enum", "signed", "unsigned", "__signed__"]);

/** True for the words of built-in types. */
export function isTypeWord(word: string): boolean {
  return NAMED.has(word) || word === "signed" || word === "unsigned";
}

/** True for words that only a declaration can begin with. */
export function isDeclarationWord(word: string): boolean {
  return STORAGE.has(word) || QUALIFIER_WORDS.has(word);
}

const KEYWORDS = new Set(["if", "else", "for", "while", "do", "switch", "case", "default", "break", "continue", "return", "goto", "sizeof"]);

/** True for words that cannot be names. */
export function isKeyword(word: string): boolean {
  return KEYWORDS.has(word) || STORAGE.has(word) || QUALIFIER_WORDS.has(word);
}
