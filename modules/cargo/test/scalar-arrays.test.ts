// SPDX-License-Identifier: Apache-2.0
import { SCALAR_ARRAYS, numberTypeNamed } from "@muxkit/cargo";
import { expect, test } from "vitest";

const SYNONYMS = {
  "signed char": "char",
  "unsigned char": "uchar",
  "unsigned short": "ushort",
  "unsigned int": "uint",
  unsigned: "uint",
  "unsigned long": "ulong",
  atomic_int: "int",
  atomic_uint: "uint",
  atomic_double: "double",
};

test("scalars and vectors of all widths have names", () => {
  for (const scalar of Object.keys(SCALAR_ARRAYS)) {
    expect(numberTypeNamed(scalar)).toEqual({ scalar, lanes: 1 });
    for (const lanes of [2, 3, 4, 8, 16]) expect(numberTypeNamed(`${scalar}${lanes}`)).toEqual({ scalar, lanes });
  }
});

test.each(Object.entries(SYNONYMS))("%s is another name of %s", (name, scalar) => {
  expect(numberTypeNamed(name)).toEqual({ scalar, lanes: 1 });
});

test.each(["", "u", "u2", "unsignedint", "Node2", "int5", "size_t", "void", "struct int4", "toString"])(
  '"%s" is no type of numbers',
  (name) => {
    expect(numberTypeNamed(name)).toBeNull();
  },
);
