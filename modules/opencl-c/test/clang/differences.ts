// SPDX-License-Identifier: Apache-2.0
// Where we differ from clang on purpose, by the name of the case, and why. Each listed case must differ, so that no
// entry outlives its reason.

/** Reasons by case. */
export const DIFFERENCES: Readonly<Record<string, string>> = {
  "C99 6.10.3: __VA_ARGS__ is no parameter": "C99 6.10.3 5 forbids it; clang only warns",
  "C99 6.4.4.1: a literal that does not fit into 64 bits":
    "C99 6.4.4 2 wants a value that its type can hold; clang warns and cuts it off",
  "OpenCL C 6.9: long double literals": "6.1.4 reserves long double; clang takes it for a double",
  "OpenCL C 6.9: long double is reserved": "6.1.4 reserves long double; clang takes it for a double",
  "OpenCL C 6.2.4.2: as of a pointer": "6.2.4.2 lists scalars and vectors; clang takes a pointer too",
  "OpenCL C 6.1.6: a vector literal is no lvalue":
    "6.1.6 calls it a value; clang lets it be written to, without effect",
  "OpenCL C 6.1.7: a swizzle through a pointer to const":
    "const must not be written; clang forgets it for components of more than one lane",
  "OpenCL C 6.1.7: a constant index beyond the vector": "there is no such component; clang reads something",
  "OpenCL C 6.2.6: a uint meets a vector of ints":
    "6.2.6 refuses a scalar of greater rank, and C99 6.3.1.1 assigns int and uint the same; clang refuses it",
  "OpenCL C 6.9 d: a flexible array member": "6.9 d forbids it; clang takes it",
  "C99 6.7.8: too many values for an array": "C99 6.7.8 2 forbids it: the value would be lost; clang warns",
  "C99 6.7.8: too many values for a struct": "C99 6.7.8 2 forbids it: the value would be lost; clang warns",
  "C99 6.7.8: too many values for a scalar": "C99 6.7.8 2 forbids it: the value would be lost; clang warns",
  "C99 6.7.8: a string that is too long for its array":
    "C99 6.7.8 2 forbids it: the characters would be lost; clang warns",
  "C99 6.5.2.5: the address of a compound literal is private":
    "C99 6.5.2.5 6 makes it an object of the block, which is private; clang leaves its " +
    "address space out and then refuses every use",
  "OpenCL C 6.9 i: recursion": "6.9 i forbids it; clang leaves that to later stages",
  "OpenCL C 6.9 a: a function in brackets is called":
    "C99 6.5.1 5 makes (f)(1) the same call as f(1), and so macros are kept away; clang " +
    "takes it for the address of a function",
  "C99 6.8.4.2: default twice": "both refuse it; we name the second one, clang the first",
  "clang: ranges of cases that overlap": "both refuse it; we name the second one, clang the first",
  "C99 6.5.16: pointers to other types":
    "C99 6.5.16.1 forbids it, but drivers that are in use only warn, and programs rely on that; so do we",
  "OpenCL C 6.12.14.1: a sampler of the program has a value":
    "6.12.14.1 makes it a constant that is given where it is declared; clang lets it be nothing",
  "OpenCL C 6.12.14.1: the value of a sampler is constant":
    "6.12.14.1 wants a constant; clang takes a variable and makes something of it",
  "OpenCL C 6.9 e: a program may not define printf":
    "6.9 e allows no variable number of arguments but to the built-in; clang lets the program define it",
  "OpenCL C 6.12.11: atom_xchg of a float":
    "9.5.1 of OpenCL 1.0 has atom_xchg of a float; clang's header leaves it out",
  "OpenCL C 6.12.7: vload of a pointer to volatile":
    "6.12.7 reads what the pointer points to; clang finds no overload that is better than the others",
  "OpenCL C 6.12.7: vstore to a pointer to const": "const must not be written; clang warns",
  "OpenCL C 6.12.10: a copy to a pointer to const": "const must not be written; clang warns",
  "OpenCL C 6.12.11: atomics of a pointer to const": "const must not be written; clang warns",
  "OpenCL C 3.0 6.15.12: a flag is no atomic_int":
    "6.15.12.7 has separate functions for flags; clang takes them for ints",
  "OpenCL C 3.0 6.15.12: atomic_fetch_add of a float":
    "that is cl_ext_float_atomics, which our device does not announce; clang's has it",
  "OpenCL C 3.0 6.15.12: a release in a load":
    "6.15.12.7.2 forbids the order; clang compiles it without a defined meaning",
  "OpenCL C 3.0 6.15.12: an acquire in a store":
    "6.15.12.7.1 forbids the order; clang compiles it without a defined meaning",
  "OpenCL C 3.0 6.15.12: a failure that is stronger than the success":
    "6.15.12.7.4 forbids it; clang compiles it without a defined meaning",
};
