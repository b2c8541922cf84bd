// SPDX-License-Identifier: Apache-2.0
// What a GPU was measured at, by `run.sh ulp` of what `npm run cuda -- pack` makes: no machine of the tests has one.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** The largest error of a function over all floats. */
export interface GpuFigure {
  readonly name: string;
  /** ULP. */
  readonly ulp: number;
  /** Bits of the operand. */
  readonly at: string;
  /** What OpenCL C 7.4 allows, in ULP. */
  readonly limit: number;
}

/** A GPU and its figures. */
export interface GpuRecords {
  readonly device: string;
  readonly figures: readonly GpuFigure[];
}

const FILE = join(import.meta.dirname, "../gpu.json");
const DEVICE = /^GPU: (?<device>.+)$/mu;
const ROW = /^ {2}(?<name>.+?) +(?<ulp>[\d.]+) ULP at (?<at>0x[\da-f]{8}), (?<limit>[\d.]+) are allowed$/gmu;

/** The records in a log; null: it has none. */
export function readLog(log: string): GpuRecords | null {
  const device = DEVICE.exec(log)?.groups?.["device"];
  const figures = [...log.matchAll(ROW)].map(({ groups = {} }) => ({
    name: groups["name"] ?? "",
    ulp: Number(groups["ulp"]),
    at: groups["at"] ?? "",
    limit: Number(groups["limit"]),
  }));
  return device === undefined || figures.length === 0 ? null : { device, figures };
}

/** Reads the records; null: there are none. */
export function readGpuRecords(): GpuRecords | null {
  return existsSync(FILE) ? (JSON.parse(readFileSync(FILE, "utf8")) as GpuRecords) : null;
}

/** Writes the records, a line each. */
export function writeGpuRecords({ device, figures }: GpuRecords): void {
  const lines = figures.map((one) => `    ${JSON.stringify(one)}`);
  writeFileSync(FILE, `{\n  "device": ${JSON.stringify(device)},\n  "figures": [\n${lines.join(",\n")}\n  ]\n}\n`);
}

/** The chapter of the page. */
export function gpuChapter({ device, figures }: GpuRecords): string {
  const rows = figures.map(({ name, ulp, at, limit }) => `| ${name} | ${limit} | ${ulp.toFixed(3)} | \`${at}\` |`);
  return `## float, on an ${device}

All floats, compiled for the GPU without options, which has instructions of its own for \`exp\`, \`exp2\`, \`exp10\`,
\`rsqrt\`, \`sqrt\` and divisions; the reference is the variant for doubles, on the same GPU. The second operand of
\`pow\` is made of the first one's bits. Programs that ask for correct rounding get the first table's errors.

| function | limit | error | worst input |
|---|--:|--:|---|
${rows.join("\n")}
`;
}
