// SPDX-License-Identifier: Apache-2.0
// Runs Vulkan programs that others wrote with our driver and with lavapipe, one after the other, and writes their
// section of docs/real-programs.md with --write. --only NAME,NAME runs some. Programs of Debian that are not installed
// are listed as such.
import { execFileSync } from "node:child_process";
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

import { build, places } from "@muxkit/icd";

import { type Runnable, distanceOf, runProgram, versionOf } from "./run-program.ts";
import { SUITES_HEADING } from "./suites.ts";

const PROGRAMS = fileURLToPath(new URL("../test/programs/", import.meta.url));
const PACKAGE = fileURLToPath(new URL("..", import.meta.url));
const PAGE = fileURLToPath(new URL("../../../docs/real-programs.md", import.meta.url));
const HEADING = "## Programs of Vulkan";
const scratch = mkdtempSync(join(tmpdir(), "vulkan-programs-"));

/** A program. */
interface Row extends Runnable {
  readonly name: string;
  readonly package: string;
  readonly does: string;
  /** Its output is video, of which each byte is at most so far from lavapipe's: one for each time it is rounded. */
  readonly distance?: number;
  /** Makes the program before it runs. */
  readonly make?: () => void;
}

const VKFFT = join(scratch, "vkfft");

/**
 * VkFFT compiles its shaders by the library of glslang. Its header gives the limits of that library by position, in the
 * order of an older version: the newer one has nine more, which are inserted here.
 */
function makeVkfft(): void {
  const header = readFileSync("/usr/include/vkFFT.h", "latin1");
  const last = "/* .maxMeshViewCountNV = */ 4,";
  const patched = header.replaceAll(last, `${last} 256, 512, 32, 1, 1, 32, 1, 1, 4,`);
  writeFileSync(join(scratch, "vkFFT.h"), patched, "latin1");
  const glslang = ["glslang", "MachineIndependent", "GenericCodeGen", "OSDependent", "OGLCompiler", "SPIRV"];
  const libraries = ["vulkan", ...glslang, "SPIRV-Tools-opt", "SPIRV-Tools", "pthread", "dl"];
  execFileSync(
    "c++",
    [
      "-O1",
      "-w",
      `-I${scratch}`,
      "-o",
      VKFFT,
      join(PROGRAMS, "vkfft_vulkan.cpp"),
      ...libraries.map((one) => `-l${one}`),
    ],
    { stdio: ["ignore", "ignore", "pipe"] },
  );
}

const [WIDTH, HEIGHT] = [318, 238];
const FRAME_BYTES = WIDTH * HEIGHT * 1.5;
const FRAMES = 8;
const video = (filter: string): readonly string[] => [
  "ffmpeg",
  "-hide_banner",
  "-loglevel",
  "error",
  "-init_hw_device",
  "vulkan=device",
  "-filter_hw_device",
  "device",
  "-f",
  "lavfi",
  "-i",
  `testsrc2=size=${WIDTH}x${HEIGHT}:rate=${FRAMES}:duration=1`,
  "-vf",
  `format=yuv420p,hwupload,${filter},hwdownload,format=yuv420p`,
  "-f",
  "rawvideo",
  "-",
];

const filterRow = (name: string, does: string, filter: string, distance = 1): Row => ({
  name: `FFmpeg (${name})`,
  package: "ffmpeg",
  does: `${does} ${FRAMES} frames of video`,
  words: video(filter),
  isRight: (said) => said.length === FRAME_BYTES * FRAMES,
  distance,
});

const ROWS: readonly Row[] = [
  {
    name: "vulkaninfo",
    package: "vulkan-tools",
    does: "queries everything about an instance and its devices",
    words: ["vulkaninfo"],
    isRight: (said) => said.includes("maxComputeWorkGroupInvocations"),
  },
  {
    name: "VkFFT",
    package: "libvkfft-dev",
    does: "transforms rows of ten lengths up to 8192, against sums",
    words: [VKFFT],
    isRight: (said) => said.includes("ok ") && !said.includes("not ok"),
    make: makeVkfft,
  },
  filterRow("mirror", "mirrors", "hflip_vulkan"),
  filterRow("two mirrors", "turns", "hflip_vulkan,vflip_vulkan", 2),
  filterRow("Gauss", "blurs rows and columns of", "gblur_vulkan=sigma=1.5:size=9", 2),
  filterRow("aberration", "moves the colours of", "chromaber_vulkan=dist_x=2:dist_y=1"),
  filterRow("transpose", "transposes", "transpose_vulkan=dir=clock"),
  filterRow("scale", "scales", `scale_vulkan=w=${WIDTH}:h=${HEIGHT}`),
];

const { values } = parseArgs({ options: { only: { type: "string" }, write: { type: "boolean" } } });
const only = values.only?.split(",");
const where = places({ XDG_DATA_HOME: scratch });
// As it is installed.
execFileSync(process.execPath, ["../../tools/build/bundle.ts"], { cwd: PACKAGE, stdio: "inherit" });
build(where, join(PACKAGE, "dist", "esm", "main.js"), process.env);
const using = (manifest: string): NodeJS.ProcessEnv => ({ VK_DRIVER_FILES: manifest, VK_ICD_FILENAMES: manifest });
const lavapipe = globSync("/usr/share/vulkan/icd.d/lvp_icd*.json")[0];
const lines: string[] = [];
let isGood = true;
for (const row of ROWS.filter(({ name }) => only?.includes(name) ?? true)) {
  const version = versionOf(row.package);
  if (version === null || lavapipe === undefined) {
    lines.push(`| ${row.name} | not installed here (Debian package ${row.package}) | ${row.does} | not run | | |`);
    continue;
  }
  row.make?.();
  const [own, other] = [using(where.manifest), using(lavapipe)].map((driver) => runProgram(row, scratch, driver));
  if (own === undefined || other === undefined) throw new Error("two sides were run");
  const most = row.distance;
  const distance = most === undefined ? 0 : distanceOf(own.said, other.said, most);
  const isRight = own.isRight && distance <= (most ?? 0);
  isGood &&= isRight;
  const seen = most === undefined ? "" : `; bytes at most ${distance} from lavapipe's`;
  const verdict = !own.isRight ? "**wrong**" : isRight ? `right${seen}` : "**differs from lavapipe**";
  lines.push(
    `| ${row.name} | ${version} | ${row.does} | ${verdict} | ${own.seconds.toFixed(1)} | ` +
      `${other.isRight ? other.seconds.toFixed(1) : "wrong or over the limit"} |`,
  );
  console.log(lines.at(-1));
}
rmSync(scratch, { recursive: true });
const section = `${HEADING}

They run unchanged with our Vulkan driver and with lavapipe, one after the other, from empty caches.
Written by \`npm run vulkan-programs -- --write\`.

| program | version in Debian | what it does | result | Muxkit, s | lavapipe, s |
|---|---|---|---|--:|--:|
${lines.join("\n")}
`;
if (values.write === true && only === undefined) {
  const [before = "", after = ""] = readFileSync(PAGE, "utf8").split(SUITES_HEADING);
  const kept = (before.split(HEADING)[0] ?? "").trimEnd();
  writeFileSync(PAGE, `${kept}\n\n${section}\n${SUITES_HEADING}${after}`);
}
process.exitCode = isGood ? 0 : 1;
