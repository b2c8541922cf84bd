// SPDX-License-Identifier: Apache-2.0
// docs/ulp.md: the table of errors.
import { type GpuRecords, gpuChapter } from "./gpu-records.ts";
import type { Figure, Records, UlpRecord } from "./records.ts";
import { ALL_FLOATS } from "./sweep.ts";
import type { Subject } from "./subject.ts";

/** Where a record over every number of the type is one. */
const EVERY_HALF = 65_536;

function ulpText(figure: Figure): string {
  return Number.isFinite(figure.ulp) ? figure.ulp.toFixed(3) : "a special value";
}

function inputsText({ inputs }: Figure): string {
  if (inputs === ALL_FLOATS || inputs === EVERY_HALF) return "all";
  return inputs >= 1e6 ? `${(inputs / 1e6).toFixed(1)} M` : `${Math.round(inputs / 1000)} k`;
}

function row({ name, limit }: Subject, { ours, pocl }: UlpRecord): string {
  const theirs = pocl === undefined ? "" : pocl === null ? "none" : ulpText(pocl);
  const allowed = limit === null ? "any" : limit === 0 ? "rounded" : limit.toString();
  return (
    `| ${name} | ${allowed} | ${ulpText(ours)} | ` +
    `${ours.at.map((text) => `\`${text}\``).join(" ")} | ${inputsText(ours)} | ${theirs} ` +
    `| ${pocl?.at.map((text) => `\`${text}\``).join(" ") ?? ""} |`
  );
}

const PARTS: readonly { readonly title: string; readonly text: string; readonly has: (subject: Subject) => boolean }[] =
  [
    { title: "float", text: "", has: ({ key, base, name }) => key.endsWith(" float") && base === name },
    { title: "double", text: "", has: ({ key }) => key.endsWith(" double") },
    { title: "half", text: "Limits are those that `cl_khr_fp16` sets.", has: ({ key }) => key.endsWith(" half") },
    {
      title: "float, `half_` and `native_`",
      text:
        "`native_` functions are measured over normal operands and results; angles go to " +
        "1000, those of `half_` functions to 2^16.",
      has: ({ base, name }) => base !== name,
    },
    {
      title: "float, `-cl-fast-relaxed-math`",
      text: "The limits of relaxed mathematics are wider; these are the ones without it, which hold too.",
      has: ({ options }) => options !== "",
    },
  ];

/** The page. */
export function pageOf(subjects: readonly Subject[], records: Records, gpu: GpuRecords | null): string {
  const parts = PARTS.map(({ title, text, has }) => {
    const rows = subjects
      .filter(has)
      .flatMap((subject) =>
        records[subject.key] === undefined ? [] : [row(subject, records[subject.key] as UlpRecord)],
      );
    return (
      `## ${title}\n\n${text === "" ? "" : `${text}\n\n`}| function | limit | error | ` +
      `worst input | inputs | PoCL | its worst input |\n|---|--:|--:|---|--:|--:|---|\n` +
      `${rows.join("\n")}\n`
    );
  });
  return `# How exact the math functions are

Written by \`npm run ulp\` (\`tools/ulp\`). Errors are in units in the last place, as section 7.4 of the OpenCL C
specification defines them. Inputs are special numbers, every exponent, and random numbers where functions are hard;
"all" means each number of the type. Inputs are shown as the bits of the operands. A limit "rounded" means a correctly
rounded result, 0.5. Wrong zeros, infinities and NaN would count as infinite errors. Denormals are never flushed, with
or without \`-cl-denorms-are-zero\`. The kernels are those that users get: compiled and vectorised by Muxkit, run by its
host device. The reference is MPFR at 160 bits; sweeps over millions of floats compare with the double variant of the
function, whose own errors are in the second table.

${[...parts, ...(gpu === null ? [] : [gpuChapter(gpu)])].join("\n")}`;
}
