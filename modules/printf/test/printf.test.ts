// SPDX-License-Identifier: Apache-2.0
// Formats, values and areas; numbers are compared with the C library's own printf.
import { PRINTF_HEADER_BYTES } from "@muxkit/kernel-abi";
import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import {
  array,
  assert,
  bigInt,
  constant,
  constantFrom,
  double,
  integer,
  nat,
  oneof,
  property,
  sample,
  string,
  tuple,
  uniqueArray,
} from "fast-check";
import { describe, expect, test } from "vitest";

import {
  PrintfOrder,
  PrintfReader,
  decodeByteString,
  initializePrintfArea,
  parsePrintfFormat,
  printfLayout,
  printfType,
  renderPrintf,
  takePrintfRecords,
  type PrintfValue,
} from "@muxkit/printf";

function print(format: string, ...values: PrintfValue[]): string {
  const pieces = parsePrintfFormat(format);
  if (!pieces.ok) throw new Error(pieces.error.message);
  return renderPrintf(pieces.value, values);
}

describe("formats", () => {
  test.each([
    ["%n", 0, "%n is not allowed in OpenCL C"],
    ["%*d", 0, "a width or precision of * is not allowed in OpenCL C: write the number"],
    ["%.*f", 0, "a width or precision of * is not allowed in OpenCL C: write the number"],
    ["%v5d", 0, "a vector has 2, 3, 4, 8 or 16 lanes, not 5"],
    ["%v4s", 0, "%s does not print vectors"],
    ["%99999999d", 0, "a width or precision is 65536 at most"],
  ])("%s is refused", (format, offset, message) => {
    expect(parsePrintfFormat(format)).toEqual({ ok: false, error: { offset, message } });
  });

  const CONVERSIONS = "d i o u x X f F e E g G a A c s p, and %% for a percent sign";
  test.each([
    ["%", "%", 0, `a conversion is missing: there are ${CONVERSIONS}`],
    ["100%\n", "100%\n", 3, `a conversion is missing: there are ${CONVERSIONS}`],
    ["at %q", "at %q", 3, `%q is not a conversion: there are ${CONVERSIONS}`],
    ["%Lf", "1.000000", 0, "L is not in OpenCL C, which has no long double"],
    ["%llf", "1.000000", 0, "ll is for integers that are no vectors"],
    ["%hf", "1.000000", 0, "h cannot be combined with %f of a scalar"],
    ["%hhe", "1.000000e+00", 0, "hh cannot be combined with %e of a scalar"],
    ["%hld", "1", 0, "hl is allowed only after the lanes of a vector"],
    ["%jc", "\u0001", 0, "j cannot be combined with %c"],
    ["%v2.1f", "1.0,2.0", 0, "flags, width and precision come before the lanes of a vector"],
    ["%v2 4.1f", " 1.0, 2.0", 0, "flags, width and precision come before the lanes of a vector"],
    ["%v2hhf", "1.000000,2.000000", 0, "there are no floating-point numbers of 8 bits"],
    ["%v2zd", "1,2", 0, "z is for integers that are no vectors"],
  ])("%s is read as C libraries do, and told", (format, printed, offset, message) => {
    const told: unknown[] = [];
    const parsed = parsePrintfFormat(format, (problem) => told.push(problem));
    expect(told).toEqual([{ offset, message }]);
    const values =
      !parsed.ok || parsed.value.every(({ kind }) => kind === "text") ? [] : [format.includes("v2") ? [1, 2] : 1];
    expect(print(format, ...(values as PrintfValue[]))).toBe(printed);
  });

  test("each conversion names the type of its value", () => {
    const parsed = parsePrintfFormat("%d%hhi%hu%lx%c%s%p%f%lf%v4hlf%v2lg%v3hd%v16hhx%v8hf%v2d%zu%td%jd%llx%lc");
    expect(
      parsed.ok ? parsed.value.flatMap((piece) => (piece.kind === "specifier" ? [printfType(piece)] : [])) : [],
    ).toEqual([
      "int",
      "char",
      "ushort",
      "ulong",
      "int",
      "string",
      "pointer",
      "double",
      "double",
      "float4",
      "double2",
      "short3",
      "uchar16",
      "half8",
      "int2",
      "ulong",
      "long",
      "long",
      "ulong",
      "int",
    ]);
  });

  test("any text is read or refused, and what is read is the whole text", () => {
    const formats = sample(
      string({
        unit: constantFrom("%", "%", "%", "d", "f", "v", "x", "h", "l", "0", "5", ".", "-", "+", " ", "#", "*", "s"),
      }),
      { numRuns: 2000, seed: 3 },
    );
    const wrong = formats.filter((format) => {
      const parsed = parsePrintfFormat(format);
      if (!parsed.ok) return format[parsed.error.offset] !== "%";
      return (
        parsed.value
          .map(({ text }) => text)
          .join("")
          .replaceAll("%", "").length !== format.replaceAll("%", "").length
      );
    });
    expect(wrong).toEqual([]);
  });
});

function floatOf(bits: bigint): number {
  return new Float64Array(BigUint64Array.of(bits).buffer)[0] ?? 0;
}

/** The same calls by the C library: one line of hexadecimal a call. */
function byLibrary(calls: readonly (readonly [format: string, argument: string])[]): string[] {
  const folder = mkdtempSync(join(tmpdir(), "muxkit-printf-"));
  const lines = calls.map(
    ([format, argument]) => `  show(snprintf(line, sizeof line, ${JSON.stringify(format)}, ${argument}));`,
  );
  writeFileSync(
    join(folder, "calls.c"),
    `#include <stdio.h>
#include <string.h>
static char line[70000];
static double d(unsigned long long b) {
  double v;
  memcpy(&v, &b, 8);
  return v;
}
static void show(int n) {
  for (int i = 0; i < n; i++) printf("%02x", (unsigned char)line[i]);
  puts("");
}
int main(void) {
${lines.join("\n")}
  return 0;
}
`,
  );
  execFileSync("cc", ["-w", "-O0", "-o", join(folder, "calls"), join(folder, "calls.c")]);
  return execFileSync(join(folder, "calls"), { encoding: "utf8", maxBuffer: 1 << 28 })
    .trimEnd()
    .split("\n")
    .map((hex) => Buffer.from(hex, "hex").toString("latin1"));
}

const hasCompiler = spawnSync("cc", ["--version"]).status === 0;
if (!hasCompiler) console.warn("!! no C compiler: printf is not compared with the C library's");

const flags = uniqueArray(constantFrom("-", "+", " ", "0", "#"), { maxLength: 3 }).map((list) => list.join(""));
const field = tuple(
  flags,
  constantFrom("", "1", "5", "12", "30"),
  constantFrom("", ".", ".0", ".1", ".3", ".10", ".25"),
).map((parts) => parts.join(""));
const pattern = oneof(
  bigInt({ min: 0n, max: (1n << 64n) - 1n }),
  double().map((value) => new BigUint64Array(Float64Array.of(value).buffer)[0] ?? 0n),
  tuple(integer({ min: -9999, max: 9999 }), constantFrom(1, 2, 4, 8, 10, 100, 1000)).map(
    ([n, by]) => new BigUint64Array(Float64Array.of(n / by).buffer)[0] ?? 0n,
  ),
);

test.skipIf(!hasCompiler)("3000 numbers look as the C library prints them", () => {
  const floats = sample(tuple(field, constantFrom("f", "F", "e", "E", "g", "G", "a", "A"), pattern), {
    numRuns: 1800,
    seed: 11,
  });
  const integers = sample(
    tuple(field, constantFrom("d", "i", "o", "u", "x", "X", "ld", "lu", "lx", "lo", "hd", "hhu", "hx"), pattern),
    { numRuns: 1200, seed: 12 },
  );
  // The sign of a NaN is lost in JavaScript; NaNs are compared without their bits.
  const calls = [
    ...floats.map(([spec, letter, bits]) => ({
      format: `%${spec}${letter}`,
      c: Number.isNaN(floatOf(bits)) ? '__builtin_nan("")' : `d(${bits}ull)`,
      value: floatOf(bits) as PrintfValue,
    })),
    ...integers.map(([spec, letter, bits]) => ({
      format: `%${spec}${letter}`,
      c: letter.startsWith("l") ? `${bits}ull` : `(unsigned)${bits & 0xffff_ffffn}u`,
      value: bits as PrintfValue,
    })),
  ];
  const expected = byLibrary(calls.map(({ format, c }) => [format, c] as const));
  const wrong = calls.flatMap(({ format, value }, i) => {
    const ours = print(format, value);
    return ours === expected[i]
      ? []
      : [`${format} of ${String(value)}: ${JSON.stringify(ours)}, the library ${JSON.stringify(expected[i])}`];
  });
  expect(wrong).toEqual([]);
});

test("strings and characters", () => {
  expect(print("%s|%5s|%-5s|%.1s|%c|%3c", "ab", "ab", "ab", "ab", 65n, 66n)).toBe("ab|   ab|ab   |a|A|  B");
  expect(print("%v3d|%4v2d", [1n, 2n, 3n], [5n, -6n])).toBe("1,2,3|   5,  -6");
  expect(decodeByteString("\u00c2\u00b5")).toBe("µ");
});

const AREA = 256;

/** An area at byte 64 of a small memory, and a thread that writes records of so many bytes into it. */
function openArea(bytes: number = AREA): {
  readonly memory: { readonly words: Int32Array; readonly view: DataView };
  write(item: number, size: number): boolean;
  read(): number[] | null;
} {
  const buffer = new ArrayBuffer(64 + bytes);
  const memory = { words: new Int32Array(buffer), view: new DataView(buffer) };
  initializePrintfArea(memory, 64, bytes);
  return {
    memory,
    // As printf.cl reserves and commits.
    write: (item, size) => {
      const [head = 0, tail = 0, ring = 0] = memory.words.subarray(16, 19);
      let at = tail;
      if (tail < head) {
        if (size >= head - tail) return false;
      } else if (!(size < ring - tail || (size === ring - tail && head !== 0))) {
        if (size >= head) return false;
        memory.view.setUint32(80 + tail, 0, true);
        at = 0;
      }
      [size, 3, 7, item, 1, 2, 3, 0].forEach((word, i) => memory.view.setUint32(80 + at + i * 4, word, true));
      memory.words[17] = at + size === ring ? 0 : at + size;
      return true;
    },
    read: () => {
      const items: number[] = [];
      const whole = takePrintfRecords(memory, 64, bytes, ({ item, call, launch, group }) => {
        expect([call, launch, ...group]).toEqual([3, 7, 1, 2, 3]);
        items.push(item);
      });
      return whole ? items : null;
    },
  };
}

describe("areas", () => {
  test("every record is read once, in order, also after the ring wraps", () => {
    assert(
      property(
        array(
          oneof(
            constantFrom(32, 40, 48, 64, 96).map((size) => ({ size })),
            constant(null),
          ),
          { maxLength: 60 },
        ),
        (steps) => {
          const area = openArea();
          const written: number[] = [];
          const read: number[] = [];
          for (const [i, step] of [...steps, null].entries()) {
            if (step === null) read.push(...(area.read() ?? [NaN]));
            else if (area.write(i, step.size)) written.push(i);
          }
          expect(read).toEqual(written);
        },
      ),
      { numRuns: 2000, seed: 5 },
    );
  });

  test("a full area refuses, and has room again when it was read", () => {
    const area = openArea();
    let count = 0;
    while (area.write(count, 32)) count++;
    expect(count).toBe(7);
    expect(area.read()).toEqual([0, 1, 2, 3, 4, 5, 6]);
    expect(area.write(8, 32)).toBe(true);
  });

  test("a damaged area is found out and empty afterwards, never walked out of", () => {
    assert(
      property(
        array(tuple(nat((AREA + 16) / 4 - 1), oneof(integer(), constantFrom(0, 8, 32, 240, 248))), {
          minLength: 1,
          maxLength: 6,
        }),
        (damage) => {
          const area = openArea();
          for (let i = 0; i < 5; i++) area.write(i, 40);
          for (const [word, value] of damage) area.memory.words[16 + word] = value;
          let records = 0;
          const whole = takePrintfRecords(area.memory, 64, AREA, ({ start, size }) => {
            records++;
            expect(start >= 80 && size >= PRINTF_HEADER_BYTES && start + size <= 64 + AREA).toBe(true);
          });
          expect(records).toBeLessThanOrEqual(8);
          expect(whole ? [] : area.read()).toEqual([]);
        },
      ),
      { numRuns: 3000, seed: 9 },
    );
  });
});

test("printf records: each value at its offset, read by its type", () => {
  const types = ["char", "long", "float3", "string", "double", "ushort2", "pointer"];
  const { offsets, size } = printfLayout(types);
  expect({ offsets, size }).toEqual({ offsets: [32, 40, 48, 60, 64, 72, 80], size: 88 });
  const view = new DataView(new ArrayBuffer(size));
  view.setInt8(32, -5);
  view.setBigInt64(40, -6n, true);
  [1.5, 2, 3].forEach((lane, i) => view.setFloat32(48 + 4 * i, lane, true));
  view.setUint32(60, 1, true);
  view.setFloat64(64, 0.1, true);
  [65535, 9].forEach((lane, i) => view.setUint16(72 + 2 * i, lane, true));
  view.setBigUint64(80, 255n, true);
  const reader = new PrintfReader({ format: "%hhd %ld %v3hlf %s %.17g %v2hu %p", types, strings: ["no", "yes"] });
  expect(reader.size).toBe(88);
  expect(reader.read(view, 0)).toBe("-5 -6 1.500000,2.000000,3.000000 yes 0.10000000000000001 65535,9 0xff");
});

test("texts are ordered by group, item and time", () => {
  const order = new PrintfOrder();
  order.add([1, 0, 0], 0, "c");
  order.add([0, 0, 1], 0, "e");
  order.add([0, 1, 0], 0, "d");
  order.add([0, 0, 0], 2, "b");
  order.add([0, 0, 0], 1, "a1");
  order.add([0, 0, 0], 1, "a2");
  expect(order.take()).toBe("a1a2bcde");
  expect(order.take()).toBe("");
});
