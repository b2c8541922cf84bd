// SPDX-License-Identifier: Apache-2.0
// Runs programs that others wrote with our driver and with PoCL's, one after the other, and writes
// docs/real-programs.md: what each does, whether it is right, how long it takes. Programs of Debian that are not
// installed are left out, and listed as such on the page. Programs of ours in the manner of benchmark suites follow in
// a section of their own. --only NAME,NAME runs some and writes nothing; --suites runs that section alone, and writes
// it with --write.
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

import { build, places } from "@muxkit/icd";

import { type ProgramResult, distanceOf, runProgram, versionOf } from "./run-program.ts";
import { SUITES, SUITES_HEADING, SUITE_ROUNDS, suiteLine, suitesSection } from "./suites.ts";

const PROGRAMS: string = fileURLToPath(new URL("../test/programs/", import.meta.url));
const PACKAGE: string = fileURLToPath(new URL("..", import.meta.url));
const PAGE: string = fileURLToPath(new URL("../../../docs/real-programs.md", import.meta.url));
const scratch = mkdtempSync(join(tmpdir(), "real-programs-"));

/**
 * A program. `isRight` judges its output; with `isVideo` each byte must be at most one away from what PoCL's driver
 * makes it.
 */
interface Row {
  readonly name: string;
  readonly package: string;
  readonly does: string;
  readonly words: readonly string[];
  readonly isRight: (said: string) => boolean;
  readonly isVideo?: true;
  readonly environment?: NodeJS.ProcessEnv;
  /** Libraries that a program next to the tests is linked with, after OpenCL's. */
  readonly libraries?: readonly string[];
  /** Replaces "right" on the page, computed from its output with both drivers. */
  readonly tells?: (own: string, other: string) => string;
}

const saysNoFailure = (said: string): boolean => said.includes("ok ") && !said.includes("not ok");
const script = (file: string): readonly string[] => ["/usr/bin/python3", "-W", "ignore", join(PROGRAMS, file)];
const compiled = (file: string): readonly string[] => [join(scratch, file)];
const FRAME_BYTES = 640 * 480 * 1.5;
const video = (filter: string): readonly string[] => [
  "ffmpeg",
  "-hide_banner",
  "-loglevel",
  "error",
  "-init_hw_device",
  "opencl=device",
  "-filter_hw_device",
  "device",
  "-f",
  "lavfi",
  "-i",
  "testsrc=size=640x480:rate=10:duration=4",
  "-vf",
  `format=yuv420p,hwupload,${filter},hwdownload,format=yuv420p`,
  "-f",
  "rawvideo",
  "-",
];
const shell = (file: string): readonly string[] => ["bash", join(PROGRAMS, file)];
/** Tests of piglit that contradict the OpenCL specification, and why. */
const NOT_MEANT: Readonly<Record<string, string>> = {
  "cl-api-create-program-with-binary": "makes a kernel of a program that is not built",
  "cl-api-get-command-queue-info": "asks a queue of the host for its size, which only queues of the device have",
  "cl-api-get-device-info": "wants to read OpenCL C 1.1 where the device has 1.2",
  "cl-api-get-kernel-arg-info": "wants no names of arguments without an option for them; we always know them",
  "cl-custom-use-sub-buffer-in-kernel":
    "begins a part of a buffer at byte 100, where CL_DEVICE_MEM_BASE_ADDR_ALIGN does not let it",
  "execute/amdgcn-f32-inline-immediates.cl":
    "wants -cl-denorms-are-zero, which lets a device drop denormals, to make it do so",
};
const passes = (said: string): readonly string[] => said.split("\n").filter((line) => line.startsWith("pass "));
const failures = (said: string): readonly string[] =>
  said.split("\n").flatMap((line) => (/^(?:fail)? /u.test(line) ? [line.replace(/^\w* /u, "")] : []));
const SHA512_OF_HELLO =
  "9b71d224bd62f3785d96d46ad3ea3d73319bfbc2890caadae2dff72519673ca72323c3d99ba5c11d7c7acc6e14b8c5da0c4663475c2e5c3adef46f73bcdec043";
const MD5_OF_HELLO = "5d41402abc4b2a76b9719d911017c592";

const ROWS: readonly Row[] = [
  {
    name: "clinfo",
    package: "clinfo",
    does: "queries everything about a platform and its devices",
    words: ["clinfo"],
    isRight: (said) => said.includes("Number of platforms") && !/error -\d/u.test(said),
  },
  {
    name: "clpeak",
    package: "clpeak",
    does: "measures bandwidth of global memory, and how long a launch takes",
    words: ["clpeak", "--global-bandwidth", "--kernel-latency"],
    isRight: (said) => /Kernel launch latency : [\d.]+ us/u.test(said),
  },
  {
    name: "PyOpenCL",
    package: "python3-pyopencl",
    does:
      "its libraries: elementwise kernels, reductions, scans, radix sort, Philox and " +
      "Threefry, images, parts of buffers, against numpy",
    words: script("arrays.py"),
    isRight: saysNoFailure,
    environment: { PYOPENCL_NO_CACHE: "1" },
  },
  {
    name: "OpenCV",
    package: "python3-opencv",
    does:
      "its kernels for colours, blur, median, resizing, edges, erosion, products of " +
      "matrices, Fourier transform, against its own code for processors",
    words: script("opencv.py"),
    isRight: saysNoFailure,
    environment: { OPENCV_OPENCL_DEVICE: ":CPU:", OPENCV_OPENCL_CACHE_ENABLE: "false" },
  },
  {
    name: "FFmpeg (blur)",
    package: "ffmpeg",
    does: "blurs 40 frames of video on images",
    words: video("avgblur_opencl=sizeX=3"),
    isRight: (said) => said.length === 40 * FRAME_BYTES,
    isVideo: true,
  },
  {
    name: "FFmpeg (edges)",
    package: "ffmpeg",
    does: "finds edges in 40 frames of video (Sobel)",
    words: video("sobel_opencl"),
    isRight: (said) => said.length === 40 * FRAME_BYTES,
    isVideo: true,
  },
  {
    name: "FFmpeg (sixteen filters)",
    package: "ffmpeg",
    does:
      "blurs, sharpens, erodes, widens, convolves, denoises, turns, frames, keys, lays " +
      "over and fades ten frames each",
    words: shell("filters.sh"),
    isRight: (said) => said.length > 160 * FRAME_BYTES,
    isVideo: true,
  },
  {
    name: "piglit",
    package: "piglit",
    does: "tests the interface, and runs kernels that are written for their corners",
    words: shell("piglit.sh"),
    isRight: (said) => passes(said).length > 120 && failures(said).every((name) => name in NOT_MEANT),
    tells: (own, other) =>
      `${passes(own).length} of ${passes(own).length + failures(own).length} pass (PoCL: ${passes(other).length})`,
  },
  {
    name: "hashcat (SHA-512)",
    package: "hashcat",
    does: "finds the five letters of a SHA-512 sum",
    words: [
      "hashcat",
      "-D",
      "1",
      "-m",
      "1700",
      "-a",
      "3",
      "--potfile-disable",
      "--force",
      SHA512_OF_HELLO,
      "?l?l?l?l?l",
    ],
    isRight: (said) => said.includes(`${SHA512_OF_HELLO}:hello`),
  },
  {
    name: "clFFT",
    package: "python3-gpyfft",
    does: "transforms rows, planes and boxes of many lengths there and back, against numpy",
    words: script("fft.py"),
    isRight: saysNoFailure,
    environment: { PYOPENCL_NO_CACHE: "1" },
  },
  {
    name: "VkFFT",
    package: "libvkfft-dev",
    does: "transforms rows of eleven lengths up to 8192, against sums",
    words: compiled("vkfft.cpp"),
    isRight: saysNoFailure,
  },
  {
    name: "CLBlast (BLAS)",
    package: "libclblast-dev",
    does: "multiplies, solves, transposes and sums matrices and vectors by nine routines, against loops",
    words: compiled("blas.cpp"),
    isRight: saysNoFailure,
    libraries: ["-lclblast"],
  },
  {
    name: "hashcat (MD5)",
    package: "hashcat",
    does: "finds the five letters of an MD5 sum",
    words: ["hashcat", "-D", "1", "-m", "0", "-a", "3", "--potfile-disable", "--force", MD5_OF_HELLO, "?l?l?l?l?l"],
    isRight: (said) => said.includes(`${MD5_OF_HELLO}:hello`),
  },
  {
    name: "CLBlast (tuner)",
    package: "clblast-utils",
    does: "tunes its kernel for scalar products and compares each form with the reference",
    words: ["clblast_tuner_xdot", "-n", "65536", "-runs", "2"],
    isRight: (said) => said.includes("results match") && !/FAIL|error/iu.test(said),
  },
  {
    name: "Boost.Compute",
    package: "libboost-dev",
    does: "sorts, sums, scans and transforms vectors, against the standard library",
    words: compiled("boost_compute.cpp"),
    isRight: saysNoFailure,
    environment: { BOOST_COMPUTE_USE_OFFLINE_CACHE: "0" },
  },
  {
    name: "ViennaCL",
    package: "libviennacl-dev",
    does: "solves a sparse system by conjugate gradients, multiplies matrices",
    words: compiled("viennacl.cpp"),
    isRight: saysNoFailure,
  },
];

function compile({ words: [program = ""], libraries = [] }: Row): void {
  if (program.endsWith(".cpp") && !existsSync(program))
    execFileSync(
      "c++",
      ["-O1", "-w", "-o", program, join(PROGRAMS, program.slice(scratch.length + 1)), "-lOpenCL", ...libraries],
      { stdio: ["ignore", "ignore", "pipe"] },
    );
}

const run = (row: Pick<Row, "words" | "isRight" | "environment">, vendors: string): ProgramResult =>
  runProgram(row, scratch, { OCL_ICD_VENDORS: vendors });

const { values } = parseArgs({
  options: { only: { type: "string" }, suites: { type: "boolean" }, write: { type: "boolean" } },
});
const only = values.only?.split(",");
const isWanted = (name: string): boolean => only?.includes(name) ?? true;
const where = places({ XDG_DATA_HOME: scratch });
// As it is installed.
execFileSync(process.execPath, ["../../tools/build/bundle.ts"], { cwd: PACKAGE, stdio: "inherit" });
build(where, join(PACKAGE, "dist", "esm", "main.js"), process.env);
const pocl = join(scratch, "pocl");
mkdirSync(pocl);
writeFileSync(join(pocl, "pocl.icd"), "libpocl.so.2\n");
const lines: string[] = [];
let isGood = true;
for (const row of values.suites === true ? [] : ROWS.filter(({ name }) => isWanted(name))) {
  const version = versionOf(row.package);
  if (version === null) {
    lines.push(`| ${row.name} | not installed here (Debian package ${row.package}) | ${row.does} | not run | | |`);
    continue;
  }
  compile(row);
  const [own, other] = [run(row, where.vendors), run(row, pocl)];
  const distance = row.isVideo === true ? distanceOf(own.said, other.said) : 0;
  const agree = distance <= 1;
  isGood &&= own.isRight && agree;
  const verdict = own.isRight
    ? row.tells !== undefined
      ? row.tells(own.said, other.said)
      : row.isVideo !== true
        ? "right"
        : agree
          ? `right; ${distance === 0 ? "every frame as PoCL's" : "no byte more than one from PoCL's"}`
          : "**differs from PoCL**"
    : "**wrong**";
  lines.push(
    `| ${row.name} | ${version} | ${row.does} | ${verdict} | ${own.seconds.toFixed(1)} | ` +
      `${other.isRight ? other.seconds.toFixed(1) : "wrong or over the limit"} |`,
  );
  console.log(lines.at(-1));
}
const suiteLines: string[] = [];
for (const row of SUITES.filter(({ name }) => isWanted(name))) {
  const program = join(scratch, row.file);
  if (!existsSync(program))
    execFileSync("cc", ["-O1", "-w", "-o", program, join(PROGRAMS, `${row.file}.c`), "-lOpenCL", "-lm"]);
  const native = { words: [program, row.name], isRight: saysNoFailure };
  const [own, other]: [ProgramResult[], ProgramResult[]] = [[], []];
  for (let round = 0; round < SUITE_ROUNDS; round++) {
    own.push(run(native, where.vendors));
    other.push(run(native, pocl));
  }
  isGood &&= own.every(({ isRight }) => isRight);
  suiteLines.push(suiteLine(row, own, other));
  console.log(suiteLines.at(-1));
}
rmSync(scratch, { recursive: true });
const text = `# Programs that others wrote

Each runs unchanged with our driver (\`tools/icd\`) and with PoCL's, one after the other on the same machine,
from an empty cache: compiling its kernels is part of the time. Libraries are called by a few lines of ours
(\`tools/icd/test/programs\`).
Written by \`npm run real-programs\`.

| program | version in Debian | what it does | result | Muxkit, s | PoCL, s |
|---|---|---|---|--:|--:|
${lines.join("\n")}

Tests of piglit that do not pass ask for something else than OpenCL does:

${Object.entries(NOT_MEANT)
  .map(([name, why]) => `- \`${name}\` ${why}.`)
  .join("\n")}
`;
if (only === undefined && (values.suites !== true || values.write === true)) {
  const before = values.suites === true ? (readFileSync(PAGE, "utf8").split(SUITES_HEADING)[0] ?? "") : text;
  writeFileSync(PAGE, `${before.trimEnd()}\n\n${suitesSection(suiteLines)}`);
}
process.exitCode = isGood ? 0 : 1;
