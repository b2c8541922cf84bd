// SPDX-License-Identifier: Apache-2.0
import {
  type Expected,
  InternalError,
  Optional,
  type Result,
  all,
  andThen,
  assert,
  at,
  err,
  map,
  mapError,
  ok,
  orElse,
  unreachable,
  valueOr,
} from "@muxkit/cargo";
import { expect, test } from "vitest";

const three: Result<number, string> = ok(3);
const bad: Expected<number, string> = err("bad");
const half = (n: number): Result<number, string> => (n % 2 === 0 ? ok(n / 2) : err("odd"));

test("functions apply to values and pass errors through", () => {
  expect(andThen(ok(4), half)).toEqual(ok(2));
  expect(andThen(three, half)).toEqual(err("odd"));
  expect(andThen(bad, half)).toBe(bad);
  expect(map(three, (n) => n + 1)).toEqual({ ok: true, value: 4 });
  expect(map(bad, (n: number) => n + 1)).toBe(bad);
  expect(mapError(bad, (e) => e.length)).toEqual({ ok: false, error: 3 });
  expect(mapError(three, String)).toBe(three);
  expect(orElse(bad, (e) => ok(e))).toEqual(ok("bad"));
  expect(orElse(three, () => err(1))).toBe(three);
  expect(valueOr(three, 7)).toBe(3);
  expect(valueOr(bad, 7)).toBe(7);
  expect(ok()).toEqual({ ok: true, value: undefined });
});

test("all returns every value or the first error", () => {
  expect(all([three, ok(4)])).toEqual(ok([3, 4]));
  expect(all([three, bad, err("worse")])).toEqual(err("bad"));
  expect(all([])).toEqual(ok([]));
});

test("an optional", () => {
  const some = Optional.of(3);
  const none = Optional.none<number>();
  expect([some.hasValue, none.hasValue]).toEqual([true, false]);
  expect(some.map((n) => n + 1).valueOr(0)).toBe(4);
  expect(none.map((n) => n + 1).valueOr(0)).toBe(0);
  expect(some.andThen((n) => Optional.of(String(n))).valueOr("")).toBe("3");
  expect(some.andThen(() => none).hasValue).toBe(false);
  expect(none.andThen(() => some).hasValue).toBe(false);
  expect(none.orElse(() => Optional.of(9)).valueOr(0)).toBe(9);
  expect(some.orElse(() => Optional.of(9)).valueOr(0)).toBe(3);
  expect([some.mapOr("-", String), none.mapOr("-", String)]).toEqual(["3", "-"]);
  expect([some.and(Optional.of(4)).valueOr(0), none.and(some).hasValue, some.and(none).hasValue]).toEqual([
    4,
    false,
    false,
  ]);
  expect([some.or(Optional.of(4)).valueOr(0), none.or(some).valueOr(0)]).toEqual([3, 3]);
  expect([some.toResult("none"), none.toResult("none")]).toEqual([ok(3), err("none")]);
  expect([Optional.from(null).hasValue, Optional.from(undefined).hasValue, Optional.from(0).hasValue]).toEqual([
    false,
    false,
    true,
  ]);
});

test("an optional can hold undefined and null", () => {
  expect(Optional.of(undefined).hasValue).toBe(true);
  expect(Optional.of(null).mapOr(1, () => 2)).toBe(2);
});

test("take moves the value out once", () => {
  const box = Optional.of("x");
  expect(box.take().valueOr("")).toBe("x");
  expect([box.hasValue, box.take().hasValue]).toEqual([false, false]);
});

test("broken invariants throw InternalError with a trail", () => {
  let calls = 0;
  const message = (): string => `call ${++calls}`;
  assert(true, message);
  expect(calls).toBe(0);
  expect(() => assert(false, message)).toThrow(new InternalError("call 1"));
  expect(() => unreachable("x" as never, "kind")).toThrow("kind: x");
  expect(at([5], 0)).toBe(5);
  expect(() => at([5], 1)).toThrow("no element 1 of 1");
  const cause = new Error("first");
  const error = new InternalError("lost", ["mem2reg", "%3"], cause);
  expect(error).toMatchObject({
    name: "InternalError",
    message: "lost (in mem2reg, %3)",
    trail: ["mem2reg", "%3"],
    cause,
  });
});
