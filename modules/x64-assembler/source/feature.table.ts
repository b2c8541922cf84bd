// SPDX-License-Identifier: Apache-2.0
// Features of processors that instructions need, each one bit, and where CPUID tells of them.

/** Where CPUID has a feature: leaf, subleaf, register (0 eax, 1 ebx, 2 ecx, 3 edx), bit. @public */
export type FeatureRow = readonly [name: string, leaf: number, subleaf: number, register: number, bit: number];

/**
 * The features, in the order of their bits. `system` is none of CPUID: it marks instructions that only what calls
 * generated code may have.
 *
 * @public
 */
export const FEATURES: readonly FeatureRow[] = [
  ["system", 0, 0, 0, -1],
  ["popcnt", 1, 0, 2, 23],
  ["avx", 1, 0, 2, 28],
  ["f16c", 1, 0, 2, 29],
  ["fma", 1, 0, 2, 12],
  ["bmi1", 7, 0, 1, 3],
  ["avx2", 7, 0, 1, 5],
  ["bmi2", 7, 0, 1, 8],
  ["lzcnt", 0x8000_0001, 0, 2, 5],
  ["avx512f", 7, 0, 1, 16],
  ["avx512dq", 7, 0, 1, 17],
  ["avx512cd", 7, 0, 1, 28],
  ["avx512bw", 7, 0, 1, 30],
  ["avx512vl", 7, 0, 1, 31],
  ["avx512_vbmi", 7, 0, 2, 1],
  ["avx512_bitalg", 7, 0, 2, 12],
  ["avx512_vpopcntdq", 7, 0, 2, 14],
  ["sse3", 1, 0, 2, 0],
  ["ssse3", 1, 0, 2, 9],
  ["sse4_1", 1, 0, 2, 19],
  ["sse4_2", 1, 0, 2, 20],
];

const BITS: ReadonlyMap<string, number> = new Map(FEATURES.map(([name], bit) => [name, 1 << bit]));

/** The bit of a feature; 0 for the empty name, `undefined` for an unknown one. @public */
export function featureBit(name: string): number | undefined {
  return name === "" ? 0 : BITS.get(name);
}

/** The names of the features of a set of bits. @public */
export function featureNames(bits: number): readonly string[] {
  return FEATURES.filter((_, bit) => (bits & (1 << bit)) !== 0).map(([name]) => name);
}
