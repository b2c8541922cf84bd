// SPDX-License-Identifier: Apache-2.0
// The traffic of each call to the server matches the schema: nothing, a frame, or a wait.
import { spawnSync } from "node:child_process";

import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { readSchema } from "../../../source/cl/tools/schema.ts";
import { compileRows } from "./calls/run.ts";
import { FUNCTIONS } from "./calls/schema-rows.ts";
import type { Row } from "./calls/values.ts";
import { type Driver, HAS_LOADER, makeDriver, removeDriver } from "./rig.ts";

const LIMIT = 300_000;
/** Repetitions of each call: caching shows from the second one on. */
const TIMES = 3;

/** Answered by loaders, without a call of the driver. */
const BY_LOADER: ReadonlySet<string> = new Set([
  "clGetPlatformIDs",
  "clGetExtensionFunctionAddress",
  "clUnloadCompiler",
]);
/** Tokens that are errors for every object of ours: of queues on the device, and of built-in kernels. */
const NO_ANSWER: ReadonlySet<string> = new Set(["CL_QUEUE_SIZE", "CL_KERNEL_GLOBAL_WORK_SIZE"]);
const CALLS = FUNCTIONS.filter(({ name }) => !BY_LOADER.has(name));
const { info } = readSchema();

const row = (call: string, what: string, change: Row["change"] = {}, native: Row["native"] = {}): Row => ({
  call,
  what,
  error: "CL_SUCCESS",
  change,
  native,
});

/** Calls as they are mostly made; those that a parameter makes wait do not. */
const plain = CALLS.map(({ name, waits = "", arguments: names }) =>
  row(name, "plain", waits.startsWith("blocking") && names.split(" ").includes("blocking") ? { blocking: false } : {}),
);
const waiting = CALLS.flatMap(({ name, waits }) => {
  if (waits === undefined) return [];
  return [
    row(
      name,
      "waits",
      waits === "size"
        ? { size: 2 ** 22 }
        : waits === "properties"
          ? { properties: { CL_QUEUE_PRIORITY_KHR: "CL_QUEUE_PRIORITY_MED_KHR" } }
          : { blocking: true },
    ),
  ];
});
const tokens = info.flatMap(({ query, token }) =>
  CALLS.some(({ name }) => name === query)
    ? token
        .filter(
          ({ name, absent, extension }) => absent === undefined && extension === undefined && !NO_ANSWER.has(name),
        )
        .map(({ name }) =>
          row(
            query,
            name,
            { token: name },
            name === "CL_PROGRAM_BINARIES" ? { param_value: "NULL", param_value_size: "0" } : {},
          ),
        )
    : [],
);
const ROWS: readonly Row[] = [...plain, ...waiting, ...tokens].flatMap((one) =>
  Array.from({ length: TIMES }, () => one),
);

/** What a call sent and how often it waited. */
interface Cost {
  readonly frames: number;
  readonly waits: number;
  readonly said: string;
}

/** The costs of each time of each row, as the library tells them. */
function observed(driver: Driver, rows: readonly Row[], environment: NodeJS.ProcessEnv): ReadonlyMap<Row, Cost[]> {
  const costs = new Map<Row, Cost[]>();
  const { stderr, status } = spawnSync(compileRows(driver.folder, rows), [], {
    env: { ...driver.environment, ...environment, MUXKIT_ICD_TRACE: "1" },
    encoding: "utf8",
    timeout: LIMIT,
    maxBuffer: 2 ** 26,
  });
  if (status !== 0) throw new Error(`the program ended with ${status}`);
  for (const part of stderr.split(/^row /mu).slice(1)) {
    const made = rows[Number(/^\d+/u.exec(part)?.[0])] ?? row("", "");
    // Objects passed to the call are created before it.
    const last = [
      ...part.matchAll(/^muxkit: trace: (?<call>\w+) \((?<said>\w+)\): frames (?<frames>\d+), waits (?<waits>\d+)$/gmu),
    ].findLast(({ groups }) => groups?.["call"] === made.call)?.groups;
    if (last !== undefined)
      costs.set(made, [
        ...(costs.get(made) ?? []),
        { frames: Number(last["frames"]), waits: Number(last["waits"]), said: last["said"] ?? "" },
      ]);
  }
  return costs;
}

/** Calls that move bytes between the program and an object. */
const MOVES: readonly string[] = [
  "clEnqueueReadBuffer",
  "clEnqueueWriteBuffer",
  "clEnqueueReadBufferRect",
  "clEnqueueWriteBufferRect",
  "clEnqueueReadImage",
  "clEnqueueWriteImage",
];

describe.skipIf(!HAS_LOADER)("calls", () => {
  let driver: Driver;
  let costs: ReadonlyMap<Row, Cost[]>;
  beforeAll(() => {
    driver = makeDriver();
    // The words of the schema are about what is sent; bytes in mapped memory need not be.
    costs = observed(driver, ROWS, { MUXKIT_ICD_ADDON: "off" });
  }, LIMIT);
  afterAll(() => {
    removeDriver(driver);
  });

  const costsOf = (one: Row): readonly Cost[] => costs.get(one) ?? [];
  const fewest = (one: Row): number =>
    Math.min(
      ...costsOf(one)
        .slice(1)
        .map(({ waits }) => waits),
    );

  /** The observed traffic of a call. */
  function seen(one: Row): string {
    const all = costsOf(one);
    if (all.length !== TIMES) return "nothing was seen";
    if (all.every(({ frames }) => frames === 0)) return "local";
    if (fewest(one) > 0) return "waiting";
    // Now and then a small buffer is waited for, so that a program that exhausts the memory receives the error.
    return (all[0]?.waits ?? 0) > 0 && !one.call.startsWith("clCreateBuffer") ? "cached" : "pipelined";
  }

  test("are local, cached, pipelined or waiting, as in the schema", () => {
    const wrong = plain.flatMap((one) => {
      const { reply = "" } = CALLS.find(({ name }) => name === one.call) ?? {};
      const did = seen(one);
      // Cached values may be available from the start: the objects of the program were made by the same calls.
      return did === reply || (reply === "cached" && /^(?:local|pipelined)$/u.test(did))
        ? []
        : [`${one.call} is ${did}, not ${reply}`];
    });
    expect(wrong).toEqual([]);
    expect(
      plain.flatMap((one) =>
        costsOf(one).filter(({ said }) => said !== CALLS.find(({ name }) => name === one.call)?.reply),
      ),
    ).toEqual([]);
  });

  test("wait if the parameter named by the schema requests it", () => {
    expect(waiting.filter((one) => fewest(one) === 0).map(({ call }) => call)).toEqual([]);
    expect(waiting.length).toBeGreaterThan(8);
  });

  test("answer queries from the cache, and query the server for the tokens that change", () => {
    const wrong = tokens.flatMap((one) => {
      const { reply, asks = "" } = CALLS.find(({ name }) => name === one.call) ?? {};
      const isAsked = reply === "waiting" || asks.split(" ").includes(one.what);
      return fewest(one) > 0 === isAsked
        ? []
        : [`${one.call} ${isAsked ? "does not ask" : "asks"} for ${one.what} again`];
    });
    expect(wrong).toEqual([]);
    expect(tokens.length).toBeGreaterThan(150);
  });

  test("answer what is known since an object was made without asking once", () => {
    // The status of an event is known when it is complete, and a wait for it has been.
    const local = tokens.filter(
      ({ call, what }) =>
        CALLS.find(({ name }) => name === call)?.reply === "local" && what !== "CL_EVENT_COMMAND_EXECUTION_STATUS",
    );
    const asking = local.filter((one) => costsOf(one).some(({ frames }) => frames > 0));
    expect(asking.map(({ what }) => what)).toEqual([]);
    expect(local.length).toBeGreaterThan(35);
  });

  test(
    "move bytes of mapped device memory without a frame, when all before them is known to be complete",
    () => {
      const rows = MOVES.flatMap((name) => {
        const one = row(name, "moves", { blocking: true });
        return [one, one, one];
      });
      const moved = observed(driver, rows, {});
      expect(new Set(rows.map((one) => one.call)).size).toBe(MOVES.length);
      expect([...moved].map(([{ call }, [, ...later]]) => [call, ...later.map(({ frames }) => frames)])).toEqual(
        MOVES.map((name) => [name, 0, 0]),
      );
    },
    LIMIT,
  );
});
