// SPDX-License-Identifier: Apache-2.0
// The option string: what each option does, where it is allowed, and which error a wrong one has.
import { type CompilerOptions, DEFAULT_OPTIONS, type OptionMode, parseOptions, wordsOfMode } from "@muxkit/compiler";
import { describe, expect, test } from "vitest";

function read(text: string, mode: OptionMode = "build"): CompilerOptions {
  const parsed = parseOptions(text, mode);
  if (!parsed.ok) throw new Error(parsed.error.message);
  return parsed.value;
}

function refusal(text: string, mode: OptionMode = "build"): string {
  const parsed = parseOptions(text, mode);
  return parsed.ok ? "accepted" : `${parsed.error.code}: ${parsed.error.message}`;
}

const MATH = { noSignedZeros: true, unsafeMathOptimizations: true, madEnable: true } as const;

const EFFECTS: readonly (readonly [text: string, effect: Partial<CompilerOptions>])[] = [
  ["", {}],
  ["-D A", { definitions: [{ name: "A", value: "1" }] }],
  [
    "-DA=2 -D B=",
    {
      definitions: [
        { name: "A", value: "2" },
        { name: "B", value: "" },
      ],
    },
  ],
  [
    "-D \"TEXT=a b\" -D 'F(x)=(x)'",
    {
      definitions: [
        { name: "TEXT", value: "a b" },
        { name: "F(x)", value: "(x)" },
      ],
    },
  ],
  [
    "-D A=1 -U A",
    {
      definitions: [
        { name: "A", value: "1" },
        { name: "A", value: null },
      ],
    },
  ],
  ["-I include -I/usr/include", { includeDirectories: ["include", "/usr/include"] }],
  ["-w", { warnIgnore: true }],
  ["-Werror", { warnError: true }],
  ["-Wall", {}],
  ["-Wextra", { extraWarnings: true }],
  ["-cl-llvm-stats", {}],
  ["-g", { debugInfo: true }],
  ["-S kernel.cl", { sourceFile: "kernel.cl" }],
  ["-cl-std=CL1.1", { standard: "1.1" }],
  ["-cl-std=CL3.0", { standard: "3.0" }],
  ["-cl-opt-disable", { optDisable: true }],
  ["-cl-opt-disable -cl-opt-enable", {}],
  ["-O0", { optDisable: true }],
  ["-O0 -O1", {}],
  ["-O2", {}],
  ["-O3 -O0", { optDisable: true }],
  ["-cl-mad-enable", { madEnable: true }],
  ["-cl-no-signed-zeros", { noSignedZeros: true }],
  ["-cl-unsafe-math-optimizations", MATH],
  ["-cl-finite-math-only", { finiteMathOnly: true }],
  ["-cl-fast-relaxed-math", { ...MATH, finiteMathOnly: true, fastRelaxedMath: true }],
  ["-cl-denorms-are-zero", { denormsMayBeZero: true }],
  ["-cl-single-precision-constant", { singlePrecisionConstant: true }],
  ["-cl-fp32-correctly-rounded-divide-sqrt", { correctlyRoundedDivideSqrt: true }],
  ["-cl-kernel-arg-info", { kernelArgInfo: true }],
  ["-cl-strict-aliasing", {}],
  ["-cl-uniform-work-group-size", { uniformWorkGroupSize: true }],
  ["-cl-no-subgroup-ifp", {}],
  ["-cl-wfv=always", { vectorization: "always", vectorizationRemarks: true }],
  ["-cl-wfv=never", { vectorization: "never", vectorizationRemarks: true }],
  [
    "-cl-precache-local-sizes=64,1,1:8,8",
    {
      precacheLocalSizes: [
        [64, 1, 1],
        [8, 8, 1],
      ],
    },
  ],
  ["-cl-wfv=auto", { vectorization: "auto", vectorizationRemarks: true }],
  ["-cl-std=CL1.2", { standard: "1.2" }],
  ["-cl-vec=none -cl-vec=loop -cl-vec=slp -cl-vec=all", {}],
  ["-codeplay-soft-math", {}],
  ["-x clc", {}],
  ["-X tune=3", { deviceOptions: ["tune=3"] }],
  [
    String.raw`-DS=\"x\" -I 'a b' -D "F(a, b)=a b"`,
    {
      definitions: [
        { name: "S", value: '"x"' },
        { name: "F(a, b)", value: "a b" },
      ],
      includeDirectories: ["a b"],
    },
  ],
];

describe("effects", () => {
  for (const [text, effect] of EFFECTS) {
    test(`options: ${text}`, () => {
      expect(read(text)).toEqual({ ...DEFAULT_OPTIONS, ...effect });
      expect(read(text, "compile")).toEqual({ ...DEFAULT_OPTIONS, ...effect });
    });
  }
});

test("options add up over calls", () => {
  const first = read("-D A -cl-mad-enable");
  const second = parseOptions("-D B", "build", first);
  expect(second.ok && second.value.definitions.map(({ name }) => name)).toEqual(["A", "B"]);
  expect(second.ok && second.value.madEnable).toBe(true);
});

test("the error is that of the mode, and names the word", () => {
  expect(refusal("-cl-be-quick")).toBe('invalid_build_options: unknown build option "-cl-be-quick"');
  expect(refusal("-cl-be-quick", "compile")).toBe('invalid_compiler_options: unknown compile option "-cl-be-quick"');
  expect(refusal("-cl-be-quick", "link")).toBe('invalid_linker_options: unknown link option "-cl-be-quick"');
  expect(refusal("-D")).toBe("invalid_build_options: -D needs a value behind it");
  expect(refusal("-D 1x")).toBe('invalid_build_options: -D: "1x" is no macro name');
  expect(refusal("-cl-std")).toBe("invalid_build_options: -cl-std needs a value: -cl-std=…");
  expect(refusal("-cl-std=CL9.9")).toBe(
    'invalid_build_options: -cl-std: "CL9.9" is not one of CL1.0, CL1.1, CL1.2, CL2.0, CL3.0',
  );
  expect(refusal("-cl-std=toString")).toMatch(/"toString" is not one of/u);
  expect(refusal("-cl-precache-local-sizes=0,1")).toMatch(/"0,1" is no local size/u);
  expect(refusal('-D "A=unclosed')).toMatch(/^invalid_build_options: /u);
  expect(refusal("-cl-fast-relaxd-math")).toBe(
    'invalid_build_options: unknown build option "-cl-fast-relaxd-math"; did you mean "-cl-fast-relaxed-math"?',
  );
  expect(refusal("-cl-sdt=CL3.0")).toBe(
    'invalid_build_options: unknown build option "-cl-sdt=CL3.0"; did you mean "-cl-std=CL3.0"?',
  );
  expect(refusal("kernel.cl")).toBe('invalid_build_options: unknown build option "kernel.cl"');
});

test("the words of a command that compiles and links are split between the two; unknown ones go to compilation", () => {
  const words = [
    "-D",
    "N=1",
    "-Iinclude",
    "-cl-wfv=never",
    "-create-library",
    "-cl-fast-relaxed-math",
    "-what",
    "-X",
    "tune=3",
    "-cl-std",
  ];
  expect(wordsOfMode(words, "compile")).toEqual([
    "-D",
    "N=1",
    "-Iinclude",
    "-cl-wfv=never",
    "-cl-fast-relaxed-math",
    "-what",
    "-X",
    "tune=3",
    "-cl-std",
  ]);
  expect(wordsOfMode(words, "link")).toEqual([
    "-cl-wfv=never",
    "-create-library",
    "-cl-fast-relaxed-math",
    "-X",
    "tune=3",
  ]);
});

/** Each option as it is written, and the modes that allow it. */
const EVERYWHERE = [
  "-cl-no-signed-zeros",
  "-cl-unsafe-math-optimizations",
  "-cl-finite-math-only",
  "-cl-fast-relaxed-math",
  "-cl-denorms-are-zero",
  "-cl-no-subgroup-ifp",
  "-cl-wfv=never",
  "-X tune",
];
const COMPILING = [
  "-D x",
  "-U x",
  "-I dir",
  "-w",
  "-Werror",
  "-Wall",
  "-Wextra",
  "-g",
  "-cl-llvm-stats",
  "-S file.cl",
  "-x cl",
  "-cl-std=CL3.0",
  "-cl-opt-disable",
  "-cl-opt-enable",
  "-cl-mad-enable",
  "-cl-single-precision-constant",
  "-cl-fp32-correctly-rounded-divide-sqrt",
  "-cl-kernel-arg-info",
  "-cl-strict-aliasing",
  "-cl-uniform-work-group-size",
  "-codeplay-soft-math",
  "-cl-vec=all",
  "-cl-precache-local-sizes=1,1,1",
];
const LINKING = ["-create-library", "-create-library -enable-link-options"];
const CODES = {
  build: "invalid_build_options",
  compile: "invalid_compiler_options",
  link: "invalid_linker_options",
} as const;
const MODES = ["build", "compile", "link"] as const;

test.each([
  ...EVERYWHERE.map((option) => [option, MODES] as const),
  ...COMPILING.map((option) => [option, ["build", "compile"]] as const),
  ...LINKING.map((option) => [option, ["link"]] as const),
])("%s is for %j", (option, modes: readonly OptionMode[]) => {
  const [name = ""] = option.split(/[ =]/u);
  for (const mode of MODES)
    expect(refusal(option, mode)).toBe(
      modes.includes(mode) ? "accepted" : `${CODES[mode]}: ${name} is no ${mode} option`,
    );
});

/** Values that are wrong in every mode that accepts the option. */
const WRONG: readonly (readonly [text: string, message: string])[] = [
  ["-D", "-D needs a value behind it"],
  ["-D=1", '-D: "" is no macro name'],
  ["-U 1", '-U: "1" is no macro name'],
  ["-I", "-I needs a value behind it"],
  ["-S", "-S needs a value behind it"],
  ["-x spirv", '-x: "spirv" is no language; say clc or spir'],
  ["-cl-vec", "-cl-vec needs a value: -cl-vec=…"],
  ["-cl-vec=some", '-cl-vec: "some" is not one of none, loop, slp, all'],
  ["-cl-wfv=", '-cl-wfv: "" is not one of never, always, auto'],
  ["-cl-precache-local-sizes=1,2,3,4", '-cl-precache-local-sizes: "1,2,3,4" is no local size x,y,z'],
  ["-cl-precache-local-sizes=1,1,1:x", '-cl-precache-local-sizes: "x" is no local size x,y,z'],
  ["-cl-precache-local-sizes=1.5", '-cl-precache-local-sizes: "1.5" is no local size x,y,z'],
  ["-cl-opt-disable=1", 'unknown %s option "-cl-opt-disable=1"'],
  ["-W", 'unknown %s option "-W"'],
  ["-gg", 'unknown %s option "-gg"'],
  ["'-w", "the option string has a ' that is not closed"],
];

test.each(WRONG)("%s: %s", (text, message) => {
  for (const mode of ["build", "compile"] as const)
    expect(refusal(text, mode)).toBe(`${CODES[mode]}: ${message.replace("%s", mode)}`);
});

test("link options add up", () => {
  expect(read("-create-library", "link").createLibrary).toBe(true);
  expect(read("-create-library -enable-link-options -cl-fast-relaxed-math", "link")).toMatchObject({
    createLibrary: true,
    enableLinkOptions: true,
    fastRelaxedMath: true,
  });
  // OpenCL 5.8.7.2: a linker may apply them to a program too.
  expect(read("-cl-fast-relaxed-math", "link")).toMatchObject({ ...MATH, createLibrary: false });
  expect(refusal("-enable-link-options", "link")).toBe(
    "invalid_linker_options: -enable-link-options needs -create-library",
  );
});
