// SPDX-License-Identifier: Apache-2.0
// Accesses by lanes: no byte of a lane that is off is written, and its pointer may lead anywhere.
import { describe, expect, test } from "vitest";

import { compilerOf, INPUT, moduleOf, NATIVE, OUTPUT, TIERS } from "./run.ts";

const LANES = 16;
const TYPES = ["i8", "i16", "i32", "i64", "f32", "f64"] as const;
const bytesOf = (type: string): number => Number(type.slice(1)) / 8;

/** Masks as an i32 a lane that is not zero where the lane is on. */
const MASKS = OUTPUT + 2048;
const POINTERS = MASKS + 256;

function functions(type: string): string {
  const bytes = bytesOf(type);
  const head = `  %w = load %masks {align 4}: <${LANES} x i32>
  %m = ne %w, splat(0): <${LANES} x i32>: <${LANES} x i1>
`;
  const value = `  %v = load %in {align ${bytes}}: <${LANES} x ${type}>\n`;
  const pointers = `  %a = load %pointers {align 4}: <${LANES} x ptr<global>>\n`;
  /** A gather of several elements a lane; where the number is negative all lanes are on. */
  const several = (each: number, parameters: string, before: string, mask: string): string =>
    `func @gather_${each < 0 ? "all_" : ""}${Math.abs(each)}(${parameters}) {
^0:
${before}  %v = gather %a, ${mask} {align ${bytes}}: <${LANES * Math.abs(each)} x ${type}>
  store %v, %out {align ${bytes}}
  ret
}
`;
  const parameters = "%in: ptr<global>, %out: ptr<global>, %masks: ptr<global>, %pointers: ptr<global>";
  return `func @masked_store(${parameters}) {
^0:
${head}${value}  masked_store %v, %out, %m {align ${bytes}}
  ret
}
func @masked_load(${parameters}) {
^0:
${head}  %v = masked_load %in, %m {align ${bytes}}: <${LANES} x ${type}>
  store %v, %out {align ${bytes}}
  ret
}
func @gather(${parameters}) {
^0:
${head}${pointers}  %v = gather %a, %m {align ${bytes}}: <${LANES} x ${type}>
  store %v, %out {align ${bytes}}
  ret
}
${[2, 4].map((each) => several(each, parameters, `${head}${pointers}`, "%m")).join("")}
${[2, 4].map((each) => several(-each, parameters, pointers, `splat(1): <${LANES} x i1>`)).join("")}
func @gather_indexed(${parameters}) {
^0:
${head}  %i = load %pointers {align 4}: <${LANES} x i32>
  %a = address %in, %i {scale ${bytes}, offset ${-bytes}}: <${LANES} x ptr<global>>
  %v = gather %a, %m {align ${bytes}}: <${LANES} x ${type}>
  store %v, %out {align ${bytes}}
  ret
}
func @scatter(${parameters}) {\n^0:\n${head}${pointers}${value}  scatter %v, %a, %m {align ${bytes}}\n  ret\n}
func @scatter_all(${parameters}) {
^0:
${pointers}${value}  scatter %v, %a, splat(1): <${LANES} x i1> {align ${bytes}}
  ret
}
`;
}

/** None, all, the first, the last, every second, a prefix. */
const MASK_SETS = [
  () => 0,
  () => 1,
  (i: number) => Number(i === 0),
  (i: number) => Number(i === LANES - 1),
  (i: number) => i & 1,
  (i: number) => Number(i < 11),
];

describe.skipIf(NATIVE === null).each(TIERS)("%s", (tier) => {
  const compile = compilerOf(tier);

  test.each(TYPES)("lanes of %s", (type) => {
    const size = bytesOf(type);
    const { call, bytes, words } = compile(moduleOf(functions(type)));
    const places = [INPUT, OUTPUT, MASKS, POINTERS];
    const prepare = (isOn: (lane: number) => number, pointer: (lane: number) => number): void => {
      bytes.fill(0, INPUT, POINTERS + 256);
      for (let i = 0; i < LANES * size; i++) bytes[INPUT + i] = i + 1;
      for (let i = 0; i < LANES; i++) {
        words[MASKS / 4 + i] = isOn(i);
        words[POINTERS / 4 + i] = isOn(i) !== 0 ? pointer(i) : -5 - i;
      }
    };
    const element = (at: number, lane: number): string => bytes.slice(at + lane * size, at + (lane + 1) * size).join();
    const none = Array.from({ length: size }, () => 0).join();
    for (const isOn of MASK_SETS) {
      for (const name of ["masked_store", "masked_load"]) {
        prepare(isOn, () => 0);
        call(name, ...places);
        for (let i = 0; i < LANES; i++)
          expect(element(OUTPUT, i), `${name}, lane ${i}`).toBe(isOn(i) !== 0 ? element(INPUT, i) : none);
      }
      prepare(isOn, (lane) => INPUT + ((lane * 5 + 3) % LANES) * size);
      call("gather", ...places);
      for (let i = 0; i < LANES; i++)
        expect(element(OUTPUT, i), `gather, lane ${i}`).toBe(
          isOn(i) !== 0 ? element(INPUT, (i * 5 + 3) % LANES) : none,
        );
      prepare(isOn, (lane) => 1 + ((lane * 5 + 3) % LANES));
      call("gather_indexed", ...places);
      for (let i = 0; i < LANES; i++)
        expect(element(OUTPUT, i), `indexed gather, lane ${i}`).toBe(
          isOn(i) !== 0 ? element(INPUT, (i * 5 + 3) % LANES) : none,
        );
      for (const each of [2, 4]) {
        prepare(isOn, (lane) => INPUT + ((lane * 5 + 3) % LANES) * size);
        call(`gather_${each}`, ...places);
        for (let i = 0; i < LANES * each; i++) {
          const lane = Math.floor(i / each);
          const wanted = element(INPUT, ((lane * 5 + 3) % LANES) + (i % each));
          expect(element(OUTPUT, i), `gather of ${each}, element ${i}`).toBe(isOn(lane) !== 0 ? wanted : none);
        }
      }
      // Two lanes store to each address: the later one stays.
      prepare(isOn, (lane) => OUTPUT + (lane % 8) * size);
      call("scatter", ...places);
      for (let i = 0; i < LANES; i++) {
        const last = [i + 8, i].find((lane) => i < 8 && isOn(lane) !== 0);
        expect(element(OUTPUT, i), `scatter, place ${i}`).toBe(last === undefined ? none : element(INPUT, last));
      }
    }
    for (const each of [2, 4]) {
      prepare(
        () => 1,
        (lane) => INPUT + ((lane * 3 + 1) % LANES) * size,
      );
      call(`gather_all_${each}`, ...places);
      for (let i = 0; i < LANES * each; i++)
        expect(element(OUTPUT, i), `gather of ${each} in all lanes, element ${i}`).toBe(
          element(INPUT, ((Math.floor(i / each) * 3 + 1) % LANES) + (i % each)),
        );
    }
    prepare(
      () => 1,
      (lane) => OUTPUT + (LANES - 1 - lane) * size,
    );
    call("scatter_all", ...places);
    for (let i = 0; i < LANES; i++) expect(element(OUTPUT, i)).toBe(element(INPUT, LANES - 1 - i));
  });

  test("a masked load with no lane on may have any pointer, one near the end of memory as well", () => {
    const { call } = compile(moduleOf(functions("f64")));
    const nothing = MASKS;
    expect(() => call("masked_load", -64, OUTPUT, nothing, POINTERS)).not.toThrow();
    expect(() => call("masked_load", 0x7fff_fff0, OUTPUT, nothing, POINTERS)).not.toThrow();
  });

  test("offsets that must stay in the address: the sum before them is below address 0", () => {
    const { call, words } = compile(
      moduleOf(`func @f(%p: ptr<global>, %i: i32, %out: ptr<global>) {
^0:
  %q = address %p, %i {scale 4, offset 400000}: ptr<global>
  %v = load %q {align 4}: i32
  store %v, %out {align 4}
  ret
}`),
    );
    words[INPUT / 4 + 7] = 1234;
    call("f", INPUT, 7 - 100_000, OUTPUT);
    expect(words[OUTPUT / 4]).toBe(1234);
  });
});
