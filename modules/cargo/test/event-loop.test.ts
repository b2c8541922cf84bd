// SPDX-License-Identifier: Apache-2.0
// The event loop as Node has it, and as pages have it: without setImmediate, and with a main thread that must not wait.
import { afterEach, expect, test, vi } from "vitest";

import { mayBlock, soon, describeBlockingError } from "@muxkit/cargo";

let loaded = 0;

/** The same code once more, without cached results: Node takes another query for another module. */
async function afresh(): Promise<typeof import("../source/event-loop.ts")> {
  const { href } = new URL(`../source/event-loop.ts?${++loaded}`, import.meta.url);
  return import(href) as Promise<typeof import("../source/event-loop.ts")>;
}

afterEach(() => {
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

function order(later: (call: () => void) => void): Promise<readonly string[]> {
  return new Promise((resolve) => {
    const seen: string[] = [];
    void Promise.resolve().then(() => seen.push("microtask"));
    later(() => seen.push("first"));
    later(() => {
      seen.push("second");
      later(() => {
        seen.push("third");
        resolve(seen);
      });
    });
    seen.push("now");
  });
}

test("calls come in order, in later turns", async () => {
  expect(await order(soon)).toEqual(["now", "microtask", "first", "second", "third"]);
});

test("the same where messages are the only turns", async () => {
  vi.stubGlobal("setImmediate", undefined);
  const { soon: later } = await afresh();
  expect(await order(later)).toEqual(["now", "microtask", "first", "second", "third"]);
});

test("Node's threads may wait", () => {
  expect(mayBlock()).toBe(true);
  expect(describeBlockingError("nothing")).toBeNull();
});

test("where waiting throws, the reason names what to do instead", async () => {
  vi.spyOn(Atomics, "wait").mockImplementation(() => {
    throw new TypeError("Atomics.wait cannot be called in this context");
  });
  const page = await afresh();
  expect(page.mayBlock()).toBe(false);
  expect(page.describeBlockingError("await finish()")).toBe("the main thread of a page must not wait: await finish()");
});

test("without shared memory, what has a document is a page's main thread", async () => {
  vi.stubGlobal("SharedArrayBuffer", undefined);
  expect((await afresh()).mayBlock()).toBe(true);
  vi.stubGlobal("document", {});
  expect((await afresh()).mayBlock()).toBe(false);
});
