// SPDX-License-Identifier: Apache-2.0
// What is in a SARIF log; muxkit's tests hold logs against the schema of the standard.
import {
  type DiagnosticRow,
  DiagnosticList,
  createSourceFile,
  note,
  renderSarif,
  replace,
  surround,
} from "@muxkit/report";
import { expect, test } from "vitest";

const ROWS: readonly DiagnosticRow[] = [
  { code: "CL2001", name: "undeclared", severity: "error", template: '"{0}" is not declared', help: "Declare it." },
];

function sample(): DiagnosticList {
  const outer = createSourceFile("my kernel.cl", '#include "size.h"\n');
  const header = createSourceFile("C:\\include\\size#1.h", "int a = b;\nint c = d + e;\n", {
    file: outer,
    start: 9,
    end: 17,
  });
  const at = (start: number, end: number): { file: typeof header; start: number; end: number } => ({
    file: header,
    start,
    end,
  });
  const list = new DiagnosticList();
  list.error("CL2001", '"b" is not declared', at(8, 9), {
    fix: replace(at(8, 9), "c"),
    notes: [
      note("declared here", at(4, 5)),
      note("no location", null),
      note("or so", at(4, 5), surround(at(4, 5), "(", ")")),
    ],
  });
  list.warning("CL2050", "never used", at(15, 16), { ranges: [at(19, 20), at(23, 24)] });
  list.error("", "nothing has a location", null);
  list.note("by the way", null);
  return list;
}

test("rules, fixes of notes, related locations, inclusions and ranges are all there", () => {
  const log = JSON.parse(renderSarif(sample().all, { name: "muxkit", version: "1" }, ROWS)) as {
    readonly runs: readonly [
      { readonly tool: unknown; readonly results: readonly Readonly<Record<string, unknown>>[] },
    ];
  };
  const [{ tool, results }] = log.runs;
  expect(tool).toMatchObject({
    driver: {
      rules: [
        { id: "CL2001", shortDescription: { text: '"{0}" is not declared' }, defaultConfiguration: { level: "error" } },
        { id: "CL2050" },
      ],
    },
  });
  const [error, warning, unplaced] = results;
  expect(error).toMatchObject({ ruleIndex: 0, message: { text: '"b" is not declared\nno location' } });
  expect(error).toMatchObject({
    locations: [{ physicalLocation: { artifactLocation: { uri: "file:///C:/include/size%231.h" } } }],
  });
  expect(error?.["fixes"]).toHaveLength(2);
  expect(error?.["relatedLocations"]).toMatchObject([
    { message: { text: "declared here" } },
    { message: { text: "or so" } },
    { message: { text: "included from here" } },
  ]);
  expect(warning).toMatchObject({
    ruleIndex: 1,
    locations: [
      {
        annotations: [
          { startLine: 2, startColumn: 9 },
          { startLine: 2, startColumn: 13 },
        ],
      },
    ],
  });
  expect(unplaced).toEqual({ level: "error", message: { text: "nothing has a location" } });
});
