// SPDX-License-Identifier: Apache-2.0
// Settings: where a value comes from, which values each kind accepts, and what the errors say.
import { SETTING_KINDS, type Setting, type SettingKind, namesKind, settingValue } from "@muxkit/cargo";
import { expect, test } from "vitest";

const THREADS: Setting<number> = {
  kind: SETTING_KINDS.count,
  variable: "KIT_THREADS",
  option: "openDevice({ threads })",
  fallback: ({ CORES }) => Number(CORES ?? 1),
};

test("an option precedes the environment variable, which precedes the default", () => {
  const environment = { KIT_THREADS: "3", CORES: "8" };
  expect(settingValue("threads", THREADS, environment, 2)).toEqual({ ok: true, value: { value: 2, source: "option" } });
  expect(settingValue("threads", THREADS, environment)).toEqual({
    ok: true,
    value: { value: 3, source: "environment" },
  });
  for (const unset of [{ CORES: "8" }, { CORES: "8", KIT_THREADS: "" }])
    expect(settingValue("threads", THREADS, unset)).toEqual({ ok: true, value: { value: 8, source: "default" } });
  expect(settingValue("threads", { ...THREADS, variable: null }, environment)).toEqual({
    ok: true,
    value: { value: 8, source: "default" },
  });
});

test("an unfit value is an error that names where it was set and what is needed", () => {
  const need = "a whole number of at least 1 is needed";
  expect(settingValue("threads", THREADS, {}, 0)).toEqual({
    ok: false,
    error: `openDevice({ threads }): ${need}, not 0`,
  });
  expect(settingValue("threads", { ...THREADS, option: null }, {}, "many")).toEqual({
    ok: false,
    error: `threads: ${need}, not "many"`,
  });
  expect(settingValue("threads", THREADS, { KIT_THREADS: "1.5" })).toEqual({
    ok: false,
    error: `the environment variable KIT_THREADS: ${need}, not "1.5"`,
  });
});

test.each<[keyof typeof SETTING_KINDS, readonly unknown[], readonly unknown[]]>([
  ["count", [1, 7], [0, -1, 1.5, Number.NaN, "1", null]],
  ["amount", [0, 7], [-1, 0.5, Number.POSITIVE_INFINITY]],
  ["milliseconds", [0, 0.5], [-1, Number.NaN, Number.POSITIVE_INFINITY]],
  ["flag", [true, false], [0, "true", null]],
  ["text", ["", "a", null], [1, {}]],
  ["callback", [() => undefined, null], [{}, "f"]],
  ["object", [{}, null], [() => undefined, 1]],
])("values of the kind %s", (name, fit, unfit) => {
  const kind: SettingKind<unknown> = SETTING_KINDS[name];
  expect(fit.filter((value) => !kind.isFit(value))).toEqual([]);
  expect(unfit.filter((value) => kind.isFit(value))).toEqual([]);
});

test("lists of names", () => {
  const kind = namesKind(["one", "two"]);
  expect(kind.parse("two, one")).toEqual(["two", "one"]);
  expect(kind.parse("two,three")).toBeNull();
  for (const fit of [[], ["one"], ["two", "one"]]) expect(kind.isFit(fit)).toBe(true);
  for (const unfit of [["three"], "one", null, [1]]) expect(kind.isFit(unfit)).toBe(false);
});

test("texts of environment variables", () => {
  const { count, milliseconds, flag, text, callback, object } = SETTING_KINDS;
  expect(["2", " 2 ", "0", "", "x"].map((value) => count.parse(value))).toEqual([2, 2, null, null, null]);
  expect(["0.5", "-1", " "].map((value) => milliseconds.parse(value))).toEqual([0.5, null, null]);
  expect(["1", "Yes", "on", "TRUE"].map((value) => flag.parse(value))).toEqual([true, true, true, true]);
  expect(["0", "no", "Off", "false", "2"].map((value) => flag.parse(value))).toEqual([
    false,
    false,
    false,
    false,
    null,
  ]);
  expect([text.parse("a"), callback.parse("a"), object.parse("{}")]).toEqual(["a", null, null]);
});
