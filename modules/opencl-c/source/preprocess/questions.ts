// SPDX-License-Identifier: Apache-2.0
// Questions that #if asks compilers: __has_attribute(x), __has_builtin(x), __has_extension(x), __has_feature(x). They
// count as defined macros.
import { isKnownAttribute } from "../parse/attribute-names.ts";

function family(names: string, endings: string): readonly string[] {
  return names.split(" ").flatMap((name) => endings.split("|").map((ending) => `__builtin_${name}${ending}`));
}

/** Built-ins of compilers that calls may name; `sema` has their meaning. */
export const COMPILER_BUILTINS: ReadonlySet<string> = new Set([
  ...family(
    "expect unreachable assume constant_p choose_expr prefetch object_size shufflevector memcpy memset " +
      "isnan isinf isfinite isnormal signbit abs labs llabs bswap16 bswap32 bswap64 " +
      "astype convertvector types_compatible_p offsetof",
    "",
  ),
  ...family(
    "nan inf huge_val acos asin atan cbrt ceil cos cosh exp exp2 expm1 fabs floor log log10 log1p log2 " +
      "rint round sin sinh sqrt tan tanh trunc atan2 copysign fdim fmax fmin fmod hypot pow remainder fma",
    "|f",
  ),
  ...family("popcount clz ctz parity ffs", "|l|ll"),
  ...family("rotateleft rotateright", "8|16|32|64"),
]);

/** What is answered about a name, which has lost the underscores around it. */
export const QUESTIONS: ReadonlyMap<string, (name: string) => boolean> = new Map<string, (name: string) => boolean>([
  ["__has_attribute", (name) => isKnownAttribute(name.replace(/^__(.*)__$/u, "$1"))],
  ["__has_builtin", (name) => COMPILER_BUILTINS.has(name)],
  ["__has_extension", () => false],
  ["__has_feature", () => false],
]);
