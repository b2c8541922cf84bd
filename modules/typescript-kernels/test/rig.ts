// SPDX-License-Identifier: Apache-2.0
// Files in memory for tests of the translator.
import { type Translation, translate } from "@muxkit/typescript-kernels";

/** Names that tests use without writing the import each time. */
export const IMPORT: string =
  "import { atomicRef, double, float, float2, float4, half, half4, int, int2, int3, int4, kernel, localArray, long, " +
  "privateArray, record, short, short2, specConstant, uchar, uint, uint4, sqrt, clamp, dot, max, min, popcount, " +
  "isnan, select, pow, work_group_reduce_add, type Accessor, type Item, type LocalArray, type NdItem, " +
  "type Pointer, type PrivateArray, type RecordOf, type Reducer, type ImageAccessor, type SampledImageAccessor } " +
  'from "muxkit/sycl";\n';

/** Translates a text as the file /app/main.ts among others. */
export function translateText(text: string, others: Readonly<Record<string, string>> = {}): Translation {
  return translate({ path: "/app/main.ts", name: "main.ts", text, readFile: (path) => others[path] ?? null });
}

/** A kernel with some body, over floats. */
export function inKernel(body: string): string {
  return (
    `${IMPORT}const test = kernel((item: NdItem<2>, x: Accessor<float>, n: Accessor<int>, r: Accessor<float, "read">, ` +
    `m: Accessor<float, "read_write", 2>, a: float, i: int, u: uint, v: float4) => {\n${body}\n});\n`
  );
}
