// SPDX-License-Identifier: Apache-2.0
// Functions of the program that the driver calls, and functions of the driver that a program gets by name.
import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { functionsOf, readSchema } from "../../../source/cl/tools/schema.ts";
import { type Driver, HAS_LOADER, compile, makeDriver, removeDriver, run } from "./rig.ts";

const LIMIT = 200_000;
const INVALID_OPERATION = -59;

describe.skipIf(!HAS_LOADER)("a driver", () => {
  let driver: Driver;
  beforeAll(() => {
    driver = makeDriver();
  }, LIMIT);
  afterAll(() => {
    removeDriver(driver);
  });

  test(
    "calls the program's functions when OpenCL requires it, with its arguments, and they may call everything",
    () => {
      const { status, output, errors } = run(driver, compile(driver, "callbacks.c"));
      expect(output.split("\n").filter((line) => line !== "" && !line.startsWith("ok "))).toEqual([]);
      expect({ status, errors }).toEqual({ status: 0, errors: "" });
      expect(output.split("\n").filter((line) => line.startsWith("ok ")).length).toBe(29);
    },
    LIMIT,
  );

  test(
    "returns the functions of exactly those extensions that it lists",
    () => {
      const functions = functionsOf(readSchema()).flatMap(({ name, extension, dispatch }) =>
        extension === undefined || dispatch !== undefined ? [] : [{ name, extension }],
      );
      const { status, output, errors } = run(driver, compile(driver, "extensions.c"), [
        ...functions.map(({ name }) => name),
        "clIcdGetPlatformIDsKHR",
        "clNothingMUXKIT",
      ]);
      expect({ status, errors }).toEqual({ status: 0, errors: "" });
      const listOf = (what: string): readonly string[] =>
        new RegExp(`^${what} (?<list>.*)$`, "mu").exec(output)?.groups?.["list"]?.split(" ") ?? [];
      const listed = new Set([...listOf("platform"), ...listOf("device")]);
      const given = new Set(
        listOf("has").concat([...output.matchAll(/^has (?<name>\w+)$/gmu)].map(({ groups }) => groups?.["name"] ?? "")),
      );
      const wrong = functions
        .filter(({ name, extension }) => given.has(name) !== listed.has(extension))
        .map(({ name, extension }) => `${name} of ${extension}`);
      expect(wrong).toEqual([]);
      expect(listed.has("cl_khr_icd")).toBe(true);
      expect([given.has("clIcdGetPlatformIDsKHR"), given.has("clNothingMUXKIT")]).toEqual([true, false]);
      expect(listOf("versions").toSorted()).toEqual(listOf("device").toSorted());
      expect(functions.length).toBeGreaterThan(30);
      expect(output).toContain("by name works");
      expect([...output.matchAll(/^shared (?<what>.*)$/gmu)].map(({ groups }) => groups?.["what"])).toEqual(
        Array.from({ length: 6 }, () => `none ${INVALID_OPERATION}`),
      );
    },
    LIMIT,
  );
});
