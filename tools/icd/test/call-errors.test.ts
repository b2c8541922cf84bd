// SPDX-License-Identifier: Apache-2.0
// Every wrong call of the table: the driver, called by a program of C, and TypeScript return the error that the
// specification wants, and where PoCL answers another one is written down.
import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { DIFFERENCES } from "./calls/pocl.table.ts";
import { answers, compileRows } from "./calls/run.ts";
import { FUNCTIONS, SCHEMA_ROWS } from "./calls/schema-rows.ts";
import { answerOf } from "./calls/scripted.ts";
import { type Row, nameOf } from "./calls/values.ts";
import { NOT_SHARED, VALID } from "./calls/valid.table.ts";
import { HAND_ROWS } from "./calls/wrong.table.ts";
import { type Driver, HAS_LOADER, HAS_POCL, POCL_VENDORS, makeDriver, removeDriver } from "./rig.ts";

const LIMIT = 600_000;

/** Calls as they should be: so a row is wrong for its change alone. */
const VALID_ROWS: readonly Row[] = FUNCTIONS.map(({ name, refused }) => ({
  call: name,
  what: "as it should be",
  error: refused ?? "CL_SUCCESS",
  change: {},
}));
const WRONG_ROWS: readonly Row[] = [...SCHEMA_ROWS, ...HAND_ROWS];
const ROWS: readonly Row[] = [...VALID_ROWS, ...WRONG_ROWS];

/** What a call without shared memory may be refused for before its values are looked at. */
const VALUES: ReadonlySet<string> = new Set([
  "CL_SUCCESS",
  "CL_INVALID_VALUE",
  "CL_INVALID_MEM_OBJECT",
  "CL_INVALID_CONTEXT",
  "CL_INVALID_ARG_INDEX",
  "CL_INVALID_EVENT_WAIT_LIST",
]);

function isRight({ call, error }: Row, answer: string | undefined): boolean {
  if (answer === error) return true;
  // Loaders find the owner of a function by its name's suffix, and no function of ours has one.
  if (call === "clGetExtensionFunctionAddress") return answer === "null";
  if (!NOT_SHARED.has(call) || !VALUES.has(error)) return false;
  return answer === (call === "clSVMAlloc" ? "null" : "CL_INVALID_OPERATION");
}

/** Errors that no row causes, and why. */
const NOT_CAUSED: Readonly<Record<string, string>> = {
  CL_MEM_OBJECT_ALLOCATION_FAILURE:
    "how much memory is left is no matter of one call (out-of-memory.test.ts of the OpenCL package has it)",
  CL_COMPILER_NOT_AVAILABLE: "the server has a compiler",
  CL_LINKER_NOT_AVAILABLE: "the server has a linker",
  CL_INVALID_KERNEL_DEFINITION: "kernels of all devices of a context come from one executable",
  CL_INVALID_PROGRAM_EXECUTABLE: "a program with kernels is not built anew, so a kernel has its executable",
  "clCreateProgramWithIL CL_INVALID_OPERATION": "the server has a compiler",
  CL_INVALID_BINARY: "what is no binary is refused when a program is made of it",
};
/** Of calls that the driver refuses, these come only where memory is shared. */
const ONLY_SHARED: ReadonlySet<string> = new Set([
  "CL_INVALID_VALUE",
  "CL_MEM_COPY_OVERLAP",
  "CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST",
  "CL_INVALID_ARG_VALUE",
  "CL_INVALID_OPERATION",
]);

test("every error of every entry point that a caller can cause is caused by a row, and rows expect no others", () => {
  const caused = new Set(ROWS.map(({ call, error }) => `${call} ${error}`));
  const missing = FUNCTIONS.flatMap(({ name, error }) =>
    error
      .filter((row) => row.never === undefined && !caused.has(`${name} ${row.name}`))
      .map((row) => [name, row.name] as const),
  ).filter(
    ([name, error]) =>
      (NOT_CAUSED[error] ?? NOT_CAUSED[`${name} ${error}`]) === undefined &&
      !(NOT_SHARED.has(name) && ONLY_SHARED.has(error)),
  );
  const listed = new Set(FUNCTIONS.flatMap(({ name, error }) => error.map((row) => `${name} ${row.name}`)));
  expect(missing).toEqual([]);
  expect(WRONG_ROWS.filter(({ call, error }) => !listed.has(`${call} ${error}`)).map(nameOf)).toEqual([]);
  expect(Object.keys(VALID).toSorted()).toEqual(FUNCTIONS.map(({ name }) => name).toSorted());
  expect(new Set(ROWS.map(nameOf)).size).toBe(ROWS.length);
  expect(WRONG_ROWS.length).toBeGreaterThan(1200);
});

test(
  "TypeScript returns the error of every row that it can express",
  () => {
    const rows = ROWS.filter(({ native }) => native === undefined);
    expect(
      rows
        .filter((row) => answerOf(row) !== row.error)
        .map((row) => `${nameOf(row)}: ${answerOf(row)}, not ${row.error}`),
    ).toEqual([]);
    expect(rows.length).toBeGreaterThan(900);
  },
  LIMIT,
);

describe.skipIf(!HAS_LOADER)("programs of C", () => {
  let driver: Driver;
  let program: string;
  beforeAll(() => {
    driver = makeDriver();
    program = compileRows(driver.folder, ROWS);
  }, LIMIT);
  afterAll(() => {
    removeDriver(driver);
  });

  test(
    "the driver answers every row",
    () => {
      const found = answers(program, ROWS, driver.environment);
      expect(
        ROWS.flatMap((row, index) =>
          isRight(row, found.get(index)) ? [] : [`${nameOf(row)}: ${found.get(index)}, not ${row.error}`],
        ),
      ).toEqual([]);
    },
    LIMIT,
  );

  test.skipIf(!HAS_POCL)(
    "PoCL returns the errors in the table of differences",
    () => {
      const expected = new Map(DIFFERENCES.flatMap(({ answer, rows }) => rows.map((name) => [name, answer] as const)));
      // What crashes or hangs is not tried again, and what was freed or is another object is not read.
      const leftOut = ROWS.flatMap((row, index) =>
        row.isStale === true || /^(?:crash|hang|undefined)$/u.test(expected.get(nameOf(row)) ?? "") ? [index] : [],
      );
      const found = answers(
        program,
        ROWS,
        { ...driver.environment, OCL_ICD_VENDORS: POCL_VENDORS, OPENCL_VENDOR_PATH: POCL_VENDORS },
        leftOut,
      );
      const wanted = (row: Row): string => expected.get(nameOf(row)) ?? row.error;
      expect(
        ROWS.flatMap((row, index) =>
          leftOut.includes(index) || found.get(index) === wanted(row)
            ? []
            : [`${nameOf(row)}: ${found.get(index)}, not ${wanted(row)}`],
        ),
      ).toEqual([]);
      const names = new Set(ROWS.map(nameOf));
      expect([...expected.keys()].filter((name) => !names.has(name))).toEqual([]);
    },
    LIMIT,
  );
});
