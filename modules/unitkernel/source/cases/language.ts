// SPDX-License-Identifier: Apache-2.0
// The language: control flow, functions, structs, arrays, pointers, constants, printf.
import { type KernelCase, fills, ints } from "../case.ts";

function collatz(start: number): number {
  let steps = 0;
  for (let n = start; n > 1; steps++) n = n % 2 === 0 ? n / 2 : 3 * n + 1;
  return steps;
}

/** See the file's head. */
export const LANGUAGE: readonly KernelCase[] = [
  {
    name: "loops with a trip count for each work-item",
    source: `
      kernel void k(global int* out) {
        int n = get_global_id(0) + 1, steps = 0;
        while (n > 1) {
          n = n % 2 ? 3 * n + 1 : n / 2;
          steps++;
        }
        out[get_global_id(0)] = steps;
      }`,
    arguments: [fills(ints(30, (i) => collatz(i + 1)))],
    global: [30],
  },
  {
    name: "switches that fall through, breaks and continues",
    source: `
      kernel void k(global int* out) {
        int i = get_global_id(0), sum = 0;
        for (int j = 0; j < 10; j++) {
          if (j == 7) break;
          switch ((i + j) % 5) {
            case 0:
              sum += 1;
            case 1:
              sum += 10;
              break;
            case 3:
              continue;
            default:
              sum += 100;
          }
          sum += 1000;
        }
        out[i] = sum;
      }`,
    arguments: [
      fills(
        ints(10, (i) => {
          let sum = 0;
          for (let j = 0; j < 7; j++) {
            const rest = (i + j) % 5;
            if (rest === 3) continue;
            sum += (rest === 0 ? 11 : rest === 1 ? 10 : 100) + 1000;
          }
          return sum;
        }),
      ),
    ],
    global: [10],
  },
  {
    name: "short circuits evaluate only what they need",
    source: `
      int note(global int* c, int v) {
        *c += 1;
        return v;
      }

      kernel void k(global int* out) {
        int i = get_global_id(0);
        global int* c = out + 8 + i;
        int r = (note(c, i & 1) && note(c, i & 2)) || note(c, i & 4);
        out[i] = r;
      }`,
    arguments: [
      fills(
        ints(16, (i) =>
          i < 8 ? Number((i & 3) === 3 || (i & 4) !== 0) : ((j) => ((j & 1) === 0 ? 2 : (j & 2) === 0 ? 3 : 2))(i - 8),
        ),
      ),
    ],
    global: [8],
  },
  {
    name: "functions, pointers to private memory, arrays",
    source: `
      void sort(int* v, int n) {
        for (int i = 1; i < n; i++) {
          for (int j = i; j > 0 && v[j - 1] > v[j]; j--) {
            int t = v[j];
            v[j] = v[j - 1];
            v[j - 1] = t;
          }
        }
      }

      kernel void k(global const int* in, global int* out) {
        int v[8];
        int base = 8 * get_global_id(0);
        for (int i = 0; i < 8; i++) v[i] = in[base + i];
        sort(v, 8);
        for (int i = 0; i < 8; i++) out[base + i] = v[i];
      }`,
    arguments: [
      { buffer: ints(16, (i) => (i * 7) % 16) },
      fills(
        Int32Array.from([...ints(8, (i) => (i * 7) % 16).toSorted(), ...ints(8, (i) => ((i + 8) * 7) % 16).toSorted()]),
      ),
    ],
    global: [2],
  },
  {
    name: "structs and unions as arguments, in memory, by value",
    source: `
      typedef struct {
        char tag;
        int2 pair;
        union {
          float f;
          int bits;
        } u;
      } thing;

      thing turn(thing t) {
        t.pair = t.pair.yx;
        t.u.bits ^= 1;
        return t;
      }

      kernel void k(thing given, global thing* list, global int* out) {
        thing t = turn(given);
        list[1] = t;
        out[0] = list[1].pair.x;
        out[1] = list[1].pair.y;
        out[2] = list[1].u.bits;
        out[3] = sizeof(thing);
        out[4] = list[1].tag;
      }`,
    arguments: [
      { value: Int32Array.of(65, 0, 3, 4, 8, 0) },
      { buffer: new Int32Array(12) },
      fills(Int32Array.of(4, 3, 9, 24, 65)),
    ],
    global: [1],
  },
  {
    name: "constant tables and variables of the program live on from launch to launch",
    source: `
      constant int table[4] = {3, 1, 4, 1};
      global int counter = 100;
      constant int* constant entries[2] = {table + 2, table};

      kernel void k(global int* out) {
        counter += table[0];
        out[0] = counter;
        out[1] = *entries[0] + entries[1][1];
      }`,
    options: "-cl-std=CL3.0",
    arguments: [fills(Int32Array.of(109, 5))],
    global: [1],
    times: 3,
  },
  {
    name: "the generic address space",
    needs: ({ supportsGenericAddressSpace }) => supportsGenericAddressSpace,
    options: "-cl-std=CL3.0",
    source: `
      int both(const int* a, const int* b) {
        return *a * 10 + *b;
      }

      kernel void k(global int* out) {
        local int shared;
        int own = 7;
        shared = 4;
        out[1] = 3;
        out[0] = both(&own, &shared) + both(out + 1, &own);
      }`,
    arguments: [fills(Int32Array.of(74 + 37, 3))],
    global: [1],
  },
  {
    name: "printf leaves the rest of the kernel alone",
    source: `
      kernel void k(global int* out) {
        if (get_global_id(0) > 1000) printf("%d %s %v2f\\n", 1, "text", (float2)(1.0f));
        out[get_global_id(0)] = 5;
      }`,
    arguments: [fills(Int32Array.of(5, 5))],
    global: [2],
  },
  {
    name: "macros, options, vectors of three",
    options: "-D SCALE=3 -D NAME=out",
    source: `
      #define ADD(a, ...) ((a) + (__VA_ARGS__))
      kernel void k(global int* NAME) {
        int3 v = (int3)(1, 2, 3) * SCALE;
        vstore3(v + ADD(1, 2), 1, NAME);
        out[0] = sizeof(int3);
        out[1] = __LINE__;
      }`,
    arguments: [fills(Int32Array.of(16, 7, 0, 6, 9, 12))],
    global: [1],
  },
  {
    name: "vectors of sixteen, shuffles, vec_step",
    source: `
      kernel void k(global const int* in, global int* out) {
        int16 v = vload16(0, in);
        int16 w = (int16)(v.hi, v.lo);
        uint4 m = (uint4)(3, 2, 1, 0);
        vstore16(w, 0, out);
        vstore4(shuffle(v.s048c, m), 4, out);
        out[20] = vec_step(int16) + any(v.lo > 100) + all(v >= 0);
      }`,
    arguments: [
      { buffer: ints(16, (i) => i) },
      fills(Int32Array.of(8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7, 12, 8, 4, 0, 17)),
    ],
    global: [1],
  },
];
