// SPDX-License-Identifier: Apache-2.0
// What counts as a difference, how differences are grouped, and how clang's output is read.
import { type ClangVerdict, type Message, type Verdict, causesOf, differencesOf, messagesIn } from "@muxkit/corpus";
import { describe, expect, test } from "vitest";

const error = (code: string, text: string, line: number): Message => ({
  severity: "error",
  code,
  text,
  file: "/a.cl",
  line,
});
const warning = (code: string, line: number): Message => ({ ...error(code, "", line), severity: "warning" });
const accepted = (...messages: readonly Message[]): Verdict => ({ outcome: "accepted", messages, reason: "" });
const refused = (...messages: readonly Message[]): Verdict => ({ outcome: "refused", messages, reason: "" });
const failed: Verdict = { outcome: "failed", messages: [], reason: "no end within 1 s" };
const by = (clang: string, verdict: Verdict): ClangVerdict => ({ clang, verdict });
const isOwn = (file: string): boolean => file === "/a.cl";
const kindsOf = (ours: Verdict, ...clangs: readonly ClangVerdict[]): readonly string[] =>
  differencesOf(ours, clangs, isOwn).map(({ kind, clangs: names }) => [kind, ...names].join(" "));

describe("differences", () => {
  const wrong = refused(error("CL1", "bad", 3));

  test("none where both accept, or refuse in the same line", () => {
    expect(kindsOf(accepted(), by("a", accepted()))).toEqual([]);
    expect(kindsOf(wrong, by("a", refused(error("", "other", 3))))).toEqual([]);
  });

  test("what one clang accepts we should accept", () => {
    expect(kindsOf(wrong, by("a", accepted()), by("b", wrong))).toEqual(["refused here a"]);
  });

  test("only what all clangs refuse should be refused", () => {
    expect(kindsOf(accepted(), by("a", accepted()), by("b", wrong))).toEqual([]);
    expect(kindsOf(accepted(), by("a", wrong), by("b", wrong))).toEqual(["accepted here a b"]);
  });

  test("errors in other lines are told, unless one clang names ours", () => {
    const elsewhere = refused(error("", "later", 9));
    expect(kindsOf(wrong, by("a", elsewhere))).toEqual(["another line a"]);
    expect(kindsOf(wrong, by("a", elsewhere), by("b", wrong))).toEqual([]);
  });

  test("the first error of the text is compared, in whatever order they come", () => {
    expect(kindsOf(refused(error("CL1", "", 7), error("CL2", "", 3)), by("a", refused(error("", "", 3))))).toEqual([]);
  });

  test("warnings by line, of the file itself", () => {
    const include = { ...warning("CL3", 1), file: "/b.h" };
    expect(kindsOf(accepted(warning("CL3", 2), include), by("a", accepted(warning("-Wx", 4))))).toEqual([
      "warned here a",
      "warned there a",
    ]);
    expect(kindsOf(accepted(warning("CL3", 2)), by("a", accepted(warning("-Wx", 2))))).toEqual([]);
  });

  test("a compiler that fails: ours is a difference, a clang has no say", () => {
    expect(kindsOf(failed, by("a", accepted()))).toEqual(["failed here"]);
    expect(kindsOf(accepted(), by("a", failed))).toEqual([]);
    expect(kindsOf(wrong, by("a", failed))).toEqual([]);
  });
});

test("differences with the same messages but for names and numbers have one cause", () => {
  const found = ["x.cl", "y.cl", "z.cl"].map((program, i) => ({
    program,
    difference: {
      kind: i === 2 ? ("accepted here" as const) : ("refused here" as const),
      ours: { text: `CL9 no '${program}' of 4${i}`, line: i },
      theirs: { text: "", line: 0 },
      clangs: [`clang ${i}`],
    },
  }));
  const causes = causesOf(found, ({ kind }) => (kind === "accepted here" ? "because" : null));
  expect(causes.map(({ kind, ours, clangs, meant, found: { length } }) => [kind, ours, clangs, meant, length])).toEqual(
    [
      ["refused here", "CL9 no '…' of #", ["clang 0", "clang 1"], null, 2],
      ["accepted here", "CL9 no '…' of #", ["clang 2"], "because", 1],
    ],
  );
});

test("clang's messages: errors, fatal ones, warnings with their flags; no notes", () => {
  const text = [
    "/a b/x.cl:3:7: error: use of undeclared identifier 'y'",
    "/x.h:1:1: fatal error: 'z.h' file not found",
    "x.cl:4:2: warning: unused [-Wunused-value]",
    "x.cl:4:2: note: here",
    "clang: error: unknown argument: '-q'",
    "2 errors generated.",
  ].join("\n");
  expect(messagesIn(text).map(({ severity, code, file, line }) => [severity, code, file, line])).toEqual([
    ["error", "", "/a b/x.cl", 3],
    ["error", "", "/x.h", 1],
    ["warning", "-Wunused-value", "x.cl", 4],
    ["error", "", "", 0],
  ]);
});
