// The SARIF log against what the OASIS schema (sarif-schema-2.1.0.json) asks for: required properties, their types, and no property that it does not name.
import { type DiagnosticRow, DiagnosticList, createSourceFile, note, renderSarif, replace, surround } from "@muxkit/report";
import { expect, test } from "vitest";

type Check = (value: unknown, path: string) => void;

const isText: Check = (value, path) => {
  expect(typeof value, path).toBe("string");
};
const isPositive: Check = (value, path) => {
  expect(Number.isInteger(value) && (value as number) >= 1, path).toBe(true);
};
const isIndex: Check = (value, path) => {
  expect(Number.isInteger(value) && (value as number) >= -1, path).toBe(true);
};
const oneOf = (...words: readonly string[]): Check => (value, path) => {
  expect(words, path).toContain(value);
};
const listOf = (check: Check, least = 0): Check => (value, path) => {
  expect(Array.isArray(value) && value.length >= least, path).toBe(true);
  (value as readonly unknown[]).forEach((item, i) => {
    check(item, `${path}[${i}]`);
  });
};
const objectOf = (required: Readonly<Record<string, Check>>, optional: Readonly<Record<string, Check>> = {}): Check => (value, path) => {
  expect(value !== null && typeof value === "object", path).toBe(true);
  const given = value as Readonly<Record<string, unknown>>;
  for (const name of Object.keys(required)) expect(given, path).toHaveProperty(name);
  for (const [name, part] of Object.entries(given)) {
    const check = required[name] ?? optional[name];
    expect(check, `${path}.${name} is not in the schema`).toBeDefined();
    check?.(part, `${path}.${name}`);
  }
};

const isUri: Check = (value, path) => {
  isText(value, path);
  expect(() => new URL(value as string, "file:///base/"), path).not.toThrow();
};
const MESSAGE = objectOf({ text: isText });
const REGION = objectOf({ startLine: isPositive, startColumn: isPositive, endLine: isPositive, endColumn: isPositive });
const ARTIFACT = objectOf({ uri: isUri });
const LOCATION = objectOf({ physicalLocation: objectOf({ artifactLocation: ARTIFACT, region: REGION }) }, { message: MESSAGE, annotations: listOf(REGION, 1) });
const REPLACEMENT = objectOf({ deletedRegion: REGION }, { insertedContent: objectOf({ text: isText }) });
const FIX = objectOf({ artifactChanges: listOf(objectOf({ artifactLocation: ARTIFACT, replacements: listOf(REPLACEMENT, 1) }), 1) }, { description: MESSAGE });
const LEVEL = oneOf("none", "note", "warning", "error");
const RULE = objectOf({ id: isText }, { name: isText, shortDescription: MESSAGE, defaultConfiguration: objectOf({ level: LEVEL }), help: MESSAGE });
const RESULT = objectOf({ message: MESSAGE }, { ruleId: isText, ruleIndex: isIndex, level: LEVEL, locations: listOf(LOCATION), relatedLocations: listOf(LOCATION), fixes: listOf(FIX) });
const LOG = objectOf({
  version: oneOf("2.1.0"),
  runs: listOf(objectOf({ tool: objectOf({ driver: objectOf({ name: isText }, { version: isText, rules: listOf(RULE) }) }) }, { columnKind: oneOf("utf16CodeUnits", "unicodeCodePoints"), results: listOf(RESULT) })),
}, { $schema: isUri });

const ROWS: readonly DiagnosticRow[] = [{ code: "CL2001", name: "undeclared", severity: "error", template: "\"{0}\" is not declared", help: "Declare it." }];

function sample(): DiagnosticList {
  const outer = createSourceFile("my kernel.cl", "#include \"size.h\"\n");
  const header = createSourceFile("C:\\include\\size#1.h", "int a = b;\nint c = d + e;\n", { file: outer, start: 9, end: 17 });
  const at = (start: number, end: number): { file: typeof header; start: number; end: number } => ({ file: header, start, end });
  const list = new DiagnosticList();
  list.error("CL2001", "\"b\" is not declared", at(8, 9), { fix: replace(at(8, 9), "c"), notes: [note("declared here", at(4, 5)), note("no place", null), note("or so", at(4, 5), surround(at(4, 5), "(", ")"))] });
  list.warning("CL2050", "never used", at(15, 16), { ranges: [at(19, 20), at(23, 24)] });
  list.error("", "nothing has a place", null);
  list.note("by the way", null);
  return list;
}

test("a log has what the schema requires and nothing that it does not name", () => {
  LOG(JSON.parse(renderSarif(sample().all, { name: "muxkit", version: "1" }, ROWS)), "log");
  LOG(JSON.parse(renderSarif([], { name: "muxkit", version: "1" })), "log");
  expect(() => {
    LOG({ version: "2.1.0", runs: [{ tool: { driver: {} } }] }, "log");
  }).toThrow(/name/u);
});

test("rules, fixes of notes, related locations, inclusions and ranges are all there", () => {
  const log = JSON.parse(renderSarif(sample().all, { name: "muxkit", version: "1" }, ROWS)) as { readonly runs: readonly [{ readonly tool: unknown; readonly results: readonly Readonly<Record<string, unknown>>[] }] };
  const [{ tool, results }] = log.runs;
  expect(tool).toMatchObject({ driver: { rules: [{ id: "CL2001", shortDescription: { text: "\"{0}\" is not declared" }, defaultConfiguration: { level: "error" } }, { id: "CL2050" }] } });
  const [error, warning, unplaced] = results;
  expect(error).toMatchObject({ ruleIndex: 0, message: { text: "\"b\" is not declared\nno place" } });
  expect(error?.["fixes"]).toHaveLength(2);
  expect(error?.["relatedLocations"]).toMatchObject([{ message: { text: "declared here" } }, { message: { text: "or so" } }, { message: { text: "included from here" } }]);
  expect(warning).toMatchObject({ ruleIndex: 1, locations: [{ annotations: [{ startLine: 2, startColumn: 9 }, { startLine: 2, startColumn: 13 }] }] });
  expect(unplaced).toEqual({ level: "error", message: { text: "nothing has a place" } });
});
