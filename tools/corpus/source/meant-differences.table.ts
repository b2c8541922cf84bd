// SPDX-License-Identifier: Apache-2.0
// Where we differ from clang on purpose: the construct, by what is said about it and by the cases that show it, and the
// section that decides. docs/clang.md lists them.
import type { Difference, Kind } from "./compare.ts";

/** What two compilers say of a construct. */
export interface MeantCause {
  readonly kind: Kind;
  /** Code of our message; null where we say nothing. */
  readonly ours: string | null;
  /** What our message has in it; null: any message of the code. */
  readonly says: RegExp | null;
  /** What clang's message has in it; null: any message, or none. */
  readonly theirs: RegExp | null;
}

/** A difference that is meant. */
export interface MeantDifference {
  readonly construct: string;
  /** Why: the section that decides. */
  readonly reason: string;
  readonly causes: readonly MeantCause[];
  /** Names of the cases that show it. */
  readonly cases: readonly string[];
}

function refused(ours: string, theirs: RegExp | null = null): MeantCause {
  return { kind: "refused here", ours, says: null, theirs };
}

/** A refusal that its code alone does not tell from others. */
function refusedAs(ours: string, says: RegExp): MeantCause {
  return { kind: "refused here", ours, says, theirs: null };
}

function accepted(theirs: RegExp): MeantCause {
  return { kind: "accepted here", ours: null, says: null, theirs };
}

/** The list. */
export const MEANT_DIFFERENCES: readonly MeantDifference[] = [
  {
    construct: "`__VA_ARGS__` as the name of a parameter",
    reason: "C99 6.10.3 5 forbids it; clang warns",
    causes: [],
    cases: ["C99 6.10.3: __VA_ARGS__ is no parameter"],
  },
  {
    construct: "an integer that does not fit into 64 bits",
    reason: "C99 6.4.4 2 wants a value that its type can hold; clang warns and cuts it off",
    causes: [refused("CL1005", /too large/u)],
    cases: ["C99 6.4.4.1: a literal that does not fit into 64 bits"],
  },
  {
    construct: "`long double`",
    reason: "OpenCL C 6.1.4 reserves it; clang takes it for a double",
    causes: [refused("CL1206"), refused("CL1005")],
    cases: ["OpenCL C 6.9: long double literals", "OpenCL C 6.9: long double is reserved"],
  },
  {
    construct: "wide strings, `L\"abc\"`",
    reason: "OpenCL C 6.1 has no wchar_t; clang makes an array of int",
    causes: [refused("CL1201"), refused("CL2001")],
    cases: ["old C: wide strings"],
  },
  {
    construct: "`as_type` of a pointer",
    reason: "OpenCL C 6.2.4.2 lists scalars and vectors; clang takes a pointer too",
    causes: [],
    cases: ["OpenCL C 6.2.4.2: as of a pointer"],
  },
  {
    construct: "writing to a vector literal",
    reason: "OpenCL C 6.1.6 calls it a value; clang lets it be written to, without effect",
    causes: [refused("CL2007")],
    cases: ["OpenCL C 6.1.6: a vector literal is no lvalue"],
  },
  {
    construct: "writing to components of const or constant memory",
    reason: "C99 6.5.16 forbids it; clang forgets const for components of more than one lane",
    causes: [refused("CL2008")],
    cases: ["OpenCL C 6.1.7: a swizzle through a pointer to const"],
  },
  {
    construct: "a constant index beyond a vector",
    reason: "OpenCL C 6.1.7: there is no such component; clang reads something",
    causes: [refused("CL2122")],
    cases: ["OpenCL C 6.1.7: a constant index beyond the vector"],
  },
  {
    construct: "an unsigned scalar with a vector of signed numbers of the same width",
    reason: "OpenCL C 6.2.6 refuses a scalar of greater rank, and C99 6.3.1.1 assigns both the same; we warn",
    causes: [accepted(/greater rank/u)],
    cases: ["OpenCL C 6.2.6: a uint meets a vector of ints"],
  },
  {
    construct: "an array without a size as the last member",
    reason: "OpenCL C 6.9 d forbids it; clang takes it",
    causes: [refused("CL2114")],
    cases: ["OpenCL C 6.9 d: a flexible array member", "GNU: an array without a size at the end of a struct"],
  },
  {
    construct: "too many values in an initialiser",
    reason: "C99 6.7.8 2 forbids it: values would be lost; clang warns",
    causes: [refused("CL2027", /excess elements|too long|^$/u)],
    cases: [
      "C99 6.7.8: too many values for an array",
      "C99 6.7.8: too many values for a struct",
      "C99 6.7.8: too many values for a scalar",
      "C99 6.7.8: a string that is too long for its array",
    ],
  },
  {
    construct: "the address of a compound literal",
    reason: "C99 6.5.2.5 6 makes it an object of the block, which is private; clang refuses every use of it",
    causes: [],
    cases: ["C99 6.5.2.5: the address of a compound literal is private"],
  },
  {
    construct: "recursion",
    reason: "OpenCL C 6.9 i forbids it; clang leaves that to later stages",
    causes: [refused("CL2025")],
    cases: ["OpenCL C 6.9 i: recursion", "old C: recursion"],
  },
  {
    construct: "a call of a function in brackets, `(f)(1)`",
    reason: "C99 6.5.1 5 makes it the same call; clang takes it for the address of a function",
    causes: [accepted(/taking address of function/u)],
    cases: ["OpenCL C 6.9 a: a function in brackets is called", "old C: a function is called through brackets"],
  },
  {
    construct: "the line of a case that overlaps another",
    reason: "both refuse it; we name the second one, clang the first",
    causes: [],
    cases: ["C99 6.8.4.2: default twice", "clang: ranges of cases that overlap"],
  },
  {
    construct: "a number where a pointer is wanted, and a pointer where a number is",
    reason: "C99 6.5.16.1 forbids it; clang 22 refuses it, clang 14 warns",
    causes: [refused("CL2005", /-Wint-conversion/u), refused("CL2012", /-Wint-conversion/u), refused("CL2021", /-Wint-conversion/u)],
    cases: [
      "C99 6.3.2.3: an int to a pointer without cast",
      "C99 6.3.2.3: a pointer to an int without cast",
      "OpenCL C 6.12.13: printf of a number as the format",
      "old C: a pointer becomes a number",
      "old C: a number becomes a pointer",
    ],
  },
  {
    construct: "a pointer to another type as an argument of a built-in",
    reason: "OpenCL C 6.15: the type that a pointer points to selects the overload; clang 22 refuses it, clang 14 warns",
    causes: [refused("CL2012", /-Wincompatible-pointer-types/u)],
    cases: [
      "OpenCL C 6.12.2: a result through a pointer of another type",
      "OpenCL C 6.12.7: vstore of another element type",
      "OpenCL C 6.12.7: vstore of a vector of another element type",
      "OpenCL C 6.12.11: atomics of chars",
      "OpenCL C 3.0 6.15.12: an int is no atomic_int",
    ],
  },
  {
    construct: "declarations without a type",
    reason: "C99 6.7.2 2 wants one; clang 22 refuses it, clang 14 takes int",
    causes: [refused("CL1208", /-Wimplicit-int/u)],
    cases: [
      "C99 6.7.2: the type is missing",
      "C99 6.7.2: an implicit int in front of a function",
      "old C: a function without a type",
    ],
  },
  {
    construct: "`?:` of pointers into spaces that do not overlap, one to void",
    reason: "OpenCL C 6.5: no space holds both; clang 14 makes something of it, clang 22 crashes",
    causes: [refused("CL2006")],
    cases: [],
  },
  {
    construct: "samplers without a value, or with one that is not constant or makes no sense",
    reason: "OpenCL C 6.12.14.1 wants a constant that is given where the sampler is declared",
    causes: [refused("CL2073"), refused("CL2125")],
    cases: [
      "OpenCL C 6.12.14.1: a sampler of the program has a value",
      "OpenCL C 6.12.14.1: the value of a sampler is constant",
    ],
  },
  {
    construct: "a definition of printf",
    reason: "OpenCL C 6.9 e allows a variable number of arguments to the built-in only",
    causes: [],
    cases: ["OpenCL C 6.9 e: a program may not define printf"],
  },
  {
    construct: "`*`, `%n`, and `%s`, `%c` and `%p` of vectors, in formats of printf",
    reason: "OpenCL C 6.15.14.2 has none of them, and nothing right could be printed; clang warns at most",
    causes: [refused("CL2090")],
    cases: [],
  },
  {
    construct: "arguments of printf that are missing, or of another shape than the conversion",
    reason: "OpenCL C 6.15.14.2 leaves that undefined, and nothing right could be printed; clang warns",
    causes: [refused("CL2091"), refused("CL2092"), refused("CL2129")],
    cases: [],
  },
  {
    construct: "`atom_xchg` of a float",
    reason: "OpenCL 1.0 9.5.1 has it; clang's header leaves it out",
    causes: [],
    cases: ["OpenCL C 6.12.11: atom_xchg of a float"],
  },
  {
    construct: "vloadn and vstoren of pointers to volatile",
    reason: "OpenCL C 6.12.7 reads and writes what the pointer points to; clang finds no best overload",
    causes: [accepted(/call to 'v(?:load|store)\w*' is ambiguous/u)],
    cases: ["OpenCL C 6.12.7: vload of a pointer to volatile"],
  },
  {
    construct: "built-ins that write through a pointer to const",
    reason: "C99 6.7.3 5: const must not be written; clang warns",
    causes: [refused("CL2012", /discards qualifiers/u)],
    cases: [
      "OpenCL C 6.12.7: vstore to a pointer to const",
      "OpenCL C 6.12.10: a copy to a pointer to const",
      "OpenCL C 6.12.11: atomics of a pointer to const",
      "clang: arithmetic that tells of an overflow writes its result",
    ],
  },
  {
    construct: "atomic functions on a flag",
    reason: "OpenCL C 6.15.12.7 has separate functions for flags; clang takes them for ints",
    causes: [refusedAs("CL2012", /\batomic_flag\b/u)],
    cases: ["OpenCL C 3.0 6.15.12: a flag is no atomic_int"],
  },
  {
    construct: "arithmetic of atomic floats",
    reason: "cl_ext_float_atomics, which our devices do not have; clang's does",
    causes: [refusedAs("CL2037", /cl_ext_float_atomics|\batomic_(?:float|double)\b/u)],
    cases: ["OpenCL C 3.0 6.15.12: atomic_fetch_add of a float"],
  },
  {
    construct: "memory orders that an atomic function does not take",
    reason: "OpenCL C 6.15.12.7 forbids them; clang compiles them without a defined meaning",
    causes: [refused("CL2038")],
    cases: [
      "OpenCL C 3.0 6.15.12: a release in a load",
      "OpenCL C 3.0 6.15.12: an acquire in a store",
      "OpenCL C 3.0 6.15.12: a failure that is stronger than the success",
    ],
  },
  {
    construct: "queues, blocks and what else enqueues kernels on the device",
    reason: "OpenCL C 3.0 6.15.17: an optional feature that our devices do not have; clang's has it",
    causes: [
      refusedAs("CL2037", /__opencl_c_device_enqueue/u),
      refusedAs("CL1209", /"(?:queue_t|clk_event_t|ndrange_t)"/u),
    ],
    cases: [],
  },
  {
    construct: "inline assembly with an instruction",
    reason: "OpenCL C has none, and devices run WebAssembly; an empty one is taken",
    causes: [refused("CL1207")],
    cases: ["GNU: asm with an instruction"],
  },
  {
    construct: "`__auto_type`",
    reason: "GNU C only; `__typeof__` is taken",
    causes: [refusedAs("CL1209", /"__auto_type"/u)],
    cases: ["GNU: __auto_type"],
  },
  {
    construct: "sub-group sizes that are no powers of two",
    reason: "cl_intel_required_subgroup_size wants a size that the device has",
    causes: [refusedAs("CL2033", /sub_group_size takes a power of two/u)],
    cases: [],
  },
  {
    construct: "vectors of other widths by `ext_vector_type`, or on what is no typedef",
    reason: "OpenCL C 6.3.2 has vectors of 2, 3, 4, 8 and 16 components",
    causes: [refusedAs("CL2033", /^CL2033 ext_vector_type /u)],
    cases: [],
  },
  {
    construct: "events and pointers within structs as arguments of kernels",
    reason: "OpenCL C 6.9 a, p: they do not cross from the host",
    causes: [refusedAs("CL2023", /do(?:es)? not cross from the host/u)],
    cases: [],
  },
  {
    construct: "headers of the host's C library",
    reason: "OpenCL C 6.10 has no standard headers; clang finds those of its host",
    causes: [refused("CL1106")],
    cases: ["old C: standard headers"],
  },
  {
    construct: "calls of built-ins in constant expressions, NAN among them",
    reason: "C99 6.6 3 leaves calls out, 7.12 wants NAN to be constant; we fold them and warn of all but NAN",
    causes: [accepted(/compile-time constant|integer constant expression/u)],
    cases: ["library style: a constant by a function of the language"],
  },
  {
    construct: "`__sync_` and `__atomic_` functions of GNU C",
    reason: "OpenCL C 6.15.12 has atomic functions with scopes, which these lack; `atomic_` functions are taken",
    causes: [],
    cases: ["clang: atomics of GNU C on OpenCL's pointers", "clang: atomics of C11's model on OpenCL's pointers"],
  },
  {
    construct: "`__builtin_alloca`",
    reason: "OpenCL C 6.9 d has no arrays of variable size; a kernel's private memory is laid out when it is compiled",
    causes: [],
    cases: ["clang: memory of a size that is not constant"],
  },
  {
    construct: "a variable of an enum with a vector of ints",
    reason: "C99 6.7.2.2 4 makes the enum a type of integers, here int, which has the rank of the component; clang gives it a greater one",
    causes: [],
    cases: ["clang: an enum meets a vector"],
  },
  {
    construct: "built-ins of extensions that clang's header does not have",
    reason: "the specifications of the extensions",
    causes: [accepted(/implicit declaration of function '(?:dot_|sub_group_|work_group_)/u)],
    cases: [],
  },
];

/** Why a difference is meant; null: it is not. */
export function reasonOf({ kind, ours, theirs }: Difference): string | null {
  const entry = MEANT_DIFFERENCES.find(({ causes }) =>
    causes.some(
      (one) =>
        one.kind === kind &&
        (one.ours === null ? ours.text === "" : ours.text.startsWith(`${one.ours} `)) &&
        (one.says === null || one.says.test(ours.text)) &&
        (one.theirs === null || one.theirs.test(theirs.text)),
    ),
  );
  return entry?.reason ?? null;
}
