// SPDX-License-Identifier: Apache-2.0
// `run.sh ulp`: how exact the functions are on the GPU, on all floats, against the form for doubles of the library on
// the same GPU. Fails where OpenCL C 7.4 allows less. `npm run ulp -- --gpu LOG` puts what it printed into docs/ulp.md.
import { MATH_FUNCTIONS } from "@muxkit/abacus";
import type { HalWay } from "@muxkit/kernel-suite";

/** A function of one float, its form for doubles, and what is allowed, in ULP. */
interface Subject {
  readonly name: string;
  readonly float: string;
  readonly double: string;
  readonly limit: number;
}

/** What a program may write for a function; of two numbers, the second is one of the first one's bits. */
const FORMS: Readonly<Record<string, Pick<Subject, "float" | "double">>> = {
  rsqrt: { float: "rsqrt(x)", double: "1.0 / sqrt(d)" },
};

/** Functions of one float; those of the library are the same on every device, but for the order of rounding. */
const FUNCTIONS = MATH_FUNCTIONS.flatMap(({ name, parameters, limits }): readonly Subject[] => {
  const { float } = limits;
  if (parameters !== "x" || float === null || float === 0) return [];
  return [{ name, limit: float, ...(FORMS[name] ?? { float: `${name}(x)`, double: `${name}(d)` }) }];
});

const SUBJECTS: readonly Subject[] = [
  ...FUNCTIONS,
  { name: "pow", float: "pow(x, y)", double: "pow(d, (double)y)", limit: 16 },
  { name: "1 / x", float: "1.0f / x", double: "1.0 / d", limit: 2.5 },
  { name: "pi / x", float: "3.14159274f / x", double: "(double)3.14159274f / d", limit: 2.5 },
];

const ITEMS = 2 ** 18;
const EACH = 2 ** 32 / ITEMS;
/** Errors are counted in parts of an ULP. */
const PARTS = 1000;

/** Subnormal results may be flushed to zero by no function here: all are measured. */
function sourceOf({ float, double }: Subject): string {
  return `
  #pragma OPENCL EXTENSION cl_khr_fp64 : enable
  kernel void worst(global uint *error, global uint *at) {
    uint most = 0u, where = 0u;
    for (uint i = 0; i < ${EACH}u; i++) {
      uint bits = (uint)get_global_id(0) + i * ${ITEMS}u;
      float x = as_float(bits);
      double d = (double)x;
      float y = ldexp((float)(int)(bits * 2654435761u), (int)(bits % 9u) - 32);
      float got = ${float};
      double wanted = ${double};
      float nearest = (float)wanted;
      uint own = 0u;
      if (isnan(nearest)) own = isnan(got) ? 0u : 1000000u;
      else if (isinf(nearest) || isinf(got)) own = got == nearest || fabs(wanted) > 3.4028234e38 ? 0u : 1000000u;
      else {
        int power = max((as_int(nearest) >> 23 & 255) - 127, -126) - 23;
        own = (uint)min(1000000.0, fabs((double)got - wanted) / as_double((ulong)(power + 1023) << 52) * ${PARTS}.0);
      }
      if (own > most) { most = own; where = bits; }
    }
    error[get_global_id(0)] = most;
    at[get_global_id(0)] = where;
  }`;
}

/** Prints the largest error of each function; throws for one beyond its limit. */
export function measureUlp(way: HalWay, name: string): void {
  const subject = SUBJECTS.find((one) => one.name === name);
  if (subject === undefined) throw new Error(`no function is called ${name}`);
  const [error, at] = [new Uint8Array(4 * ITEMS), new Uint8Array(4 * ITEMS)];
  const source = sourceOf(subject);
  const { buffers } = way.run(way.build(source, "-cl-std=CL3.0"), {
    source,
    kernel: "worst",
    arguments: [{ contents: error }, { contents: at }],
    global: [ITEMS],
    local: [256],
  });
  const [errors, places] = buffers.map((one) => new Uint32Array(one.buffer, one.byteOffset, ITEMS));
  let most = 0;
  errors?.forEach((one, i) => {
    if (one > (errors[most] ?? 0)) most = i;
  });
  const ulp = (errors?.[most] ?? 0) / PARTS;
  const bits = (places?.[most] ?? 0).toString(16).padStart(8, "0");
  console.log(`  ${name.padEnd(9)} ${ulp.toFixed(3)} ULP at 0x${bits}, ${subject.limit} are allowed`);
  if (ulp > subject.limit) throw new Error(`${ulp} ULP at 0x${bits}`);
}

/** Names of the functions. */
export const ULP_SUBJECTS: readonly string[] = SUBJECTS.map(({ name }) => name);
