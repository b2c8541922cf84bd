// SPDX-License-Identifier: Apache-2.0
import {
  type Diagnostic,
  DiagnosticList,
  type SourceFile,
  type Span,
  createSourceFile,
  formatTemplate,
  lineAndColumn,
  lineText,
  note,
  renderJson,
  renderSarif,
  renderText,
  replace,
} from "@muxkit/report";
import * as fc from "fast-check";
import { expect, test } from "vitest";

const TEXT = [
  "kernel void f(global int *out) {",
  "\tout[0] = wrong(1,\t2);",
  '  int text = "multi',
  'line";',
  `${"x".repeat(300)}bad${"y".repeat(300)}`,
  "",
  "control\u001B[31m here",
  "no semicolon",
].join("\n");
const FILE = createSourceFile("kernels/my file.cl", TEXT);

function find(words: string, file: SourceFile = FILE): Span {
  const start = file.text.indexOf(words);
  if (start < 0) throw new Error(`"${words}" is not in the text`);
  return { file, start, end: start + words.length };
}

function sample(): DiagnosticList {
  const list = new DiagnosticList();
  const semicolon = { file: FILE, start: TEXT.length, end: TEXT.length };
  list.error("CL2001", '"wrong" is not declared', find("wrong(1,\t2)"), {
    notes: [note("the kernel begins here", find("kernel void f")), note("this has no location", null)],
  });
  list.warning("CL3001", "this string goes over two lines", find('"multi\nline"'));
  list.error("CL1004", "a very long line", find("bad"));
  list.error("CL1201", "`;` is expected after this line", semicolon, { fix: replace(semicolon, ";") });
  list.error("CL1202", "a word too much", find("no "), { fix: replace(find("no "), "") });
  list.error("CL1203", "another word", find("semicolon"), { fix: replace(find("semicolon"), "colon") });
  list.warning("CL1300", "a control character", find("here"));
  list.error("", "nothing has a location", null);
  list.note("that is all", null);
  return list;
}

test("diagnostics as text", async () => {
  await expect(renderText(sample().all)).toMatchFileSnapshot("golden/text.diag");
});

test("colours are added and nothing else changes", async () => {
  const colored = renderText(sample().all, { color: true });
  await expect(colored.replaceAll("\u001B", "ESC")).toMatchFileSnapshot("golden/color.diag");
  // oxlint-disable-next-line no-control-regex
  expect(colored.replaceAll(/\u001B\[[\d;]*m/gu, "")).toBe(renderText(sample().all));
});

test("diagnostics as JSON", async () => {
  await expect(renderJson(sample().all)).toMatchFileSnapshot("golden/diagnostics.json");
});

test("diagnostics as SARIF", async () => {
  await expect(renderSarif(sample().all, { name: "muxkit", version: "0.1.0" })).toMatchFileSnapshot(
    "golden/diagnostics.sarif",
  );
});

function uri(name: string): string | undefined {
  const file = createSourceFile(name, "x");
  const text = renderSarif([note("n", { file, start: 0, end: 1 })], { name: "t", version: "1" });
  return /"uri": (.*)/u.exec(text)?.[1];
}

test("SARIF names files by URI", () => {
  expect([uri("a b#c.cl"), uri("C:\\x\\y.cl"), uri("/tmp/ü.cl")]).toEqual([
    '"a%20b%23c.cl"',
    '"file:///C:/x/y.cl"',
    '"/tmp/%C3%BC.cl"',
  ]);
});

test("no diagnostics are an empty text, an empty array, a run without results", () => {
  expect(renderText([])).toBe("");
  expect(renderJson([])).toBe("[]");
  expect(renderSarif([], { name: "t", version: "1" })).toContain('"results": []');
});

test("lines and columns agree with counting", () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom("a", "\n", "\r\n", "é", "😀", "\t") }), fc.nat(60), (text, at) => {
      const file = createSourceFile("f", text);
      const offset = Math.min(at, text.length);
      const before = text.slice(0, offset).split("\n");
      expect(lineAndColumn(file, offset)).toEqual({ line: before.length, column: (before.at(-1) ?? "").length + 1 });
      expect(Array.from(file.lineStarts, (_, i) => lineText(file, i + 1))).toEqual(
        text.split("\n").map((line) => line.replace(/\r$/u, "")),
      );
    }),
  );
  expect(lineText(createSourceFile("f", "a"), 7)).toBe("");
});

test("any span of any text is rendered: a caret stands below the text of its line", () => {
  fc.assert(
    fc.property(
      fc.string({ unit: fc.constantFrom("a", "\n", "\r\n", "\t", "\u0007"), maxLength: 400 }),
      fc.nat(400),
      fc.nat(400),
      (text, a, b) => {
        const file = createSourceFile("f", text);
        const [start, end] = [Math.min(a, b, text.length), Math.min(Math.max(a, b), text.length)];
        const lines = renderText([note("n", { file, start, end })]).split("\n");
        expect(lines[0]).toMatch(/^f:\d+:\d+: note: n$/u);
        expect(lines.at(-1)).toBe("");
        const drawn = lines.slice(1, -1);
        // One caret, on the first line that is shown; tails only on the others; the lines in between may be left out.
        expect(drawn[1]).toMatch(/^ {6}\| *\^~*$/u);
        expect(drawn.filter((line) => line.includes("^"))).toHaveLength(1);
        for (const line of drawn.slice(2)) expect(line).toMatch(/^(?: {2}\.\.\. \|| {6}\| *~+| *\d+ \|.*)$/u);
        expect(Math.max(...drawn.map((line) => line.length))).toBeLessThan(175);
      },
    ),
  );
});

test("a list keeps errors up to its cap and counts the others", () => {
  const list = new DiagnosticList(2);
  for (let i = 0; i < 5; i++) list.error("E", `error ${i}`, null);
  list.warning("W", "warnings are kept", null);
  expect(list.all.map((d) => d.message)).toEqual(["error 0", "error 1", "warnings are kept"]);
  expect([list.errorCount, list.hasErrors, list.isFull, list.cap]).toEqual([5, true, true, 2]);
});

test("a repetition counts once; another location or severity is no repetition", () => {
  const list = new DiagnosticList();
  const span = find("kernel");
  list.error("E", "same", span);
  list.error("E", "same", { ...span });
  expect([list.all.length, list.errorCount]).toEqual([1, 1]);
  list.error("E", "same", find("void"));
  list.warning("E", "same", find("void"));
  list.error("E", "same", span);
  expect([list.all.length, list.errorCount]).toEqual([3, 2]);
});

test("an empty list has no errors, warnings are none", () => {
  const list = new DiagnosticList();
  list.warning("W", "w", null);
  expect([list.errorCount, list.hasErrors, list.isFull]).toEqual([0, false, false]);
});

test("templates take their values", () => {
  expect(formatTemplate("{0} takes {1} arguments, {0}!", ["f", 2])).toBe("f takes 2 arguments, f!");
  expect(formatTemplate("{0}", ["{1}"])).toBe("{1}");
  expect(formatTemplate("{} {x}", [])).toBe("{} {x}");
  expect(() => formatTemplate("{1} is missing", ["a"])).toThrow('the diagnostic "{1} is missing" has no value for {1}');
});

test("notes within notes are shown in order", () => {
  const inner: Diagnostic = { ...note("outer", null), notes: [note("inner", null)] };
  expect(renderText([inner])).toBe("note: outer\nnote: inner\n");
});

test("a message cannot command the terminal", () => {
  expect(renderText([note("a\u001B[2Jb\nc", null)])).toBe("note: a\uFFFD[2Jb\nc\n");
});
