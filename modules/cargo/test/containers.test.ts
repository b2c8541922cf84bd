// SPDX-License-Identifier: Apache-2.0
import {
  Arena,
  ArrayView,
  BitSet,
  type CargoError,
  DynamicArray,
  type ElementType,
  FixedVector,
  type Result,
  RingBuffer,
  SmallVector,
  type Vector,
  elements,
  failingAllocator,
  heapAllocator,
  nullAllocator,
  references,
} from "@muxkit/cargo";
import * as fc from "fast-check";
import { expect, test } from "vitest";

function valueOf<T>(result: Result<T, CargoError>): T {
  if (!result.ok) throw new Error(result.error.message);
  return result.value;
}

function codeOf(result: Result<unknown, CargoError>): string {
  return result.ok ? "ok" : result.error.code;
}

/** An operation on a vector and on a plain array as its model; returns the actual and the expected code. */
type Step<T> = (vector: Vector<T>, model: T[]) => readonly [actual: string, expected: string];

function steps<T>(value: fc.Arbitrary<T>): fc.Arbitrary<Step<T>> {
  const index = fc.integer({ min: -1, max: 12 });
  return fc.oneof(
    value.map((v): Step<T> => (vector, model) => [codeOf(vector.push(v)), String(model.push(v) && "ok")]),
    fc.constant<Step<T>>((vector, model) => [
      String(vector.pop().valueOr("none")),
      String(model.length === 0 ? "none" : model.pop()),
    ]),
    fc.tuple(index, value).map(([i, v]): Step<T> => (vector, model) => {
      const due = i >= 0 && i <= model.length ? "ok" : "out_of_bounds";
      if (due === "ok") model.splice(i, 0, v);
      return [codeOf(vector.insert(i, v)), due];
    }),
    fc.tuple(index, fc.nat(3)).map(([i, n]): Step<T> => (vector, model) => {
      const due = i >= 0 && i + n <= model.length ? "ok" : "out_of_bounds";
      if (due === "ok") model.splice(i, n);
      return [codeOf(vector.erase(i, n)), due];
    }),
    fc.tuple(index, value).map(([i, v]): Step<T> => (vector, model) => {
      const due = i >= 0 && i < model.length ? "ok" : "out_of_bounds";
      if (due === "ok") model[i] = v;
      return [codeOf(vector.set(i, v)), due];
    }),
    fc.tuple(fc.nat(20), value).map(([n, v]): Step<T> => (vector, model) => {
      while (model.length < n) model.push(v);
      model.length = n;
      return [codeOf(vector.resize(n, v)), "ok"];
    }),
    fc.array(value, { maxLength: 9 }).map((values): Step<T> => (vector, model) => {
      model.splice(0, model.length, ...values);
      return [codeOf(vector.assign(values)), "ok"];
    }),
    fc.constant<Step<T>>((vector, model) => {
      vector.clear();
      model.length = 0;
      return ["", ""];
    }),
  );
}

function behavesLikeArray<T>(type: ElementType<T>, value: fc.Arbitrary<T>): () => void {
  return () =>
    fc.assert(
      fc.property(fc.array(steps(value), { maxLength: 40 }), fc.nat(4), (list, inline) => {
        const vector = new SmallVector(type, inline);
        const model: T[] = [];
        for (const step of list) {
          const [actual, expected] = step(vector, model);
          expect(actual).toBe(expected);
          expect(vector.toArray()).toEqual(model);
          expect(vector.capacity).toBeGreaterThanOrEqual(vector.length);
        }
        expect(valueOf(vector.clone()).toArray()).toEqual(model);
        expect(model.map((_, i) => valueOf(vector.get(i)))).toEqual(model);
      }),
      { numRuns: 150 },
    );
}

test("a vector of references behaves like an array", () => {
  expect(behavesLikeArray(references<string>(), fc.string({ maxLength: 3 }))).not.toThrow();
});
test("a vector of numbers behaves like an array", () => {
  expect(behavesLikeArray(elements.int32, fc.integer())).not.toThrow();
});
test("a vector of 64-bit integers behaves like an array", () => {
  expect(behavesLikeArray(elements.uint64, fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }))).not.toThrow();
});

test("constructors allocate nothing, and the allocator is called only beyond the inline capacity", () => {
  const vector = new SmallVector(elements.uint8, 2, nullAllocator);
  expect(vector.capacity).toBe(2);
  expect([codeOf(vector.push(1)), codeOf(vector.push(2)), codeOf(vector.push(3))]).toEqual(["ok", "ok", "bad_alloc"]);
  expect([...vector]).toEqual([1, 2]);
  expect(codeOf(new DynamicArray(elements.uint8, nullAllocator).allocate(1, 0))).toBe("bad_alloc");
});

test("a failed growth changes nothing, whichever call needs it", () => {
  const calls: readonly ((vector: SmallVector<string>) => Result<unknown, CargoError>)[] = [
    (v) => v.push("c"),
    (v) => v.insert(0, "c"),
    (v) => v.resize(9, "c"),
    (v) => v.assign(["c", "c", "c", "c", "c"]),
    (v) => v.reserve(9),
  ];
  for (const call of calls) {
    const vector = new SmallVector(references<string>(), 0, failingAllocator(1));
    expect([codeOf(vector.push("a")), vector.capacity]).toEqual(["ok", 1]);
    expect(codeOf(call(vector))).toBe("bad_alloc");
    expect([...vector]).toEqual(["a"]);
  }
});

test("a clone that finds no memory is an error", () => {
  const vector = new SmallVector(elements.float64, 0, failingAllocator(1));
  expect(codeOf(vector.push(0.5))).toBe("ok");
  expect(codeOf(vector.clone())).toBe("bad_alloc");
});

test("a fixed vector overflows", () => {
  const vector = new FixedVector(elements.float32, 2);
  expect([codeOf(vector.push(1)), codeOf(vector.push(2)), codeOf(vector.push(3)), codeOf(vector.resize(3, 0))]).toEqual(
    ["ok", "ok", "overflow", "overflow"],
  );
  expect([...valueOf(vector.clone())]).toEqual([1, 2]);
  expect(codeOf(vector.insert(0, 9))).toBe("overflow");
  expect([...vector]).toEqual([1, 2]);
});

test("invalid sizes are refused", () => {
  const vector = new SmallVector(elements.uint32, 1);
  for (const size of [-1, 0.5, Number.NaN, 2 ** 53]) expect(codeOf(vector.reserve(size))).toBe("bad_argument");
  expect(codeOf(vector.reserve(2 ** 52))).toBe("bad_alloc");
  expect(codeOf(new SmallVector(references(), 0).reserve(2 ** 33))).toBe("bad_alloc");
  expect(codeOf(heapAllocator.allocateBytes(-1))).toBe("bad_alloc");
  expect(codeOf(new DynamicArray(elements.uint8).allocate(-1, 0))).toBe("bad_argument");
});

test("freed slots release their objects", () => {
  const type = references<object>();
  const allocated: object[][] = [];
  const vector = new SmallVector(type, 0, {
    allocateBytes: (count) => heapAllocator.allocateBytes(count),
    allocateSlots: <T>(count: number) => {
      const slots = heapAllocator.allocateSlots<T>(count);
      if (slots.ok) allocated.push(slots.value as object[]);
      return slots;
    },
  });
  expect(codeOf(vector.resize(4, {}))).toBe("ok");
  vector.pop();
  expect(codeOf(vector.erase(0, 2))).toBe("ok");
  expect(allocated.at(-1)?.map((slot) => slot === undefined)).toEqual([false, true, true, true]);
});

test("a dynamic array has the length of its allocation", () => {
  const array = new DynamicArray(elements.int16);
  expect([array.length, codeOf(array.get(0)), codeOf(array.set(0, 1))]).toEqual([0, "out_of_bounds", "out_of_bounds"]);
  expect(codeOf(array.allocate(3, -7))).toBe("ok");
  expect([codeOf(array.set(1, 5)), codeOf(array.set(3, 5)), codeOf(array.get(-1))]).toEqual([
    "ok",
    "out_of_bounds",
    "out_of_bounds",
  ]);
  const copy = valueOf(array.clone());
  expect(codeOf(array.set(0, 0))).toBe("ok");
  expect([[...array], [...copy]]).toEqual([
    [0, 5, -7],
    [-7, 5, -7],
  ]);
  array.clear();
  expect([array.length, [...valueOf(array.clone())]]).toEqual([0, []]);
});

test("a view shows a part and refuses indices outside of it", () => {
  const owner = Float32Array.of(1, 2, 3, 4);
  const view = valueOf(new ArrayView<number>(owner).slice(1, 2));
  owner[1] = 9;
  expect(view.toArray()).toEqual([9, 3]);
  expect([
    valueOf(view.get(1)),
    codeOf(view.get(2)),
    codeOf(view.get(0.5)),
    codeOf(view.slice(1, 2)),
    codeOf(view.slice(-1)),
    view.length,
  ]).toEqual([3, "out_of_bounds", "out_of_bounds", "out_of_bounds", "out_of_bounds", 2]);
  expect(valueOf(view.slice(2)).toArray()).toEqual([]);
  expect(() => new ArrayView(owner, 3, 2)).toThrow("a view of 2 elements at 3 of 4");
});

test("a ring buffer is a queue", () => {
  fc.assert(
    fc.property(fc.array(fc.option(fc.integer()), { maxLength: 60 }), fc.constantFrom(1, 2, 8), (list, capacity) => {
      const ring = valueOf(RingBuffer.create(references<number>(), capacity));
      const model: number[] = [];
      for (const item of list) {
        const room = model.length < capacity;
        if (item !== null && room) model.push(item);
        const due = item === null ? (model.shift() ?? null) : room;
        expect(item === null ? ring.dequeue().valueOr(null) : codeOf(ring.enqueue(item)) !== "overflow").toBe(due);
        expect(ring.length).toBe(model.length);
      }
    }),
  );
  for (const capacity of [0, 3, -4, 1.5])
    expect(codeOf(RingBuffer.create(elements.uint8, capacity))).toBe("bad_argument");
  expect(codeOf(RingBuffer.create(elements.uint8, 4, nullAllocator))).toBe("bad_alloc");
  expect(valueOf(RingBuffer.create(elements.uint8, 4)).capacity).toBe(4);
});

function sorted(set: ReadonlySet<number>): readonly number[] {
  return [...set].toSorted((x, y) => x - y);
}

test("a bit set is a set", () => {
  const member = fc.nat(99);
  fc.assert(
    fc.property(fc.array(member), fc.array(member), fc.array(member), (first, second, taken) => {
      const a = valueOf(BitSet.create(100));
      const b = valueOf(BitSet.create(100));
      const modelA = new Set<number>();
      for (const i of first) {
        expect(a.add(i)).toBe(!modelA.has(i));
        modelA.add(i);
      }
      for (const i of second) b.add(i);
      for (const i of taken) expect(a.delete(i)).toBe(modelA.delete(i));
      const modelB = new Set(second);
      expect([[...a], a.size]).toEqual([sorted(modelA), modelA.size]);
      for (const i of taken) expect(a.has(i)).toBe(false);
      for (const [name, result] of [
        ["unite", new Set([...modelA, ...modelB])],
        ["intersect", new Set([...modelA].filter((i) => modelB.has(i)))],
        ["subtract", new Set([...modelA].filter((i) => !modelB.has(i)))],
      ] as const) {
        const c = valueOf(BitSet.create(100));
        c.unite(a);
        expect(c[name](b)).toBe(result.size !== modelA.size);
        expect([...c]).toEqual(sorted(result));
        expect(c.equals(a)).toBe(result.size === modelA.size);
      }
    }),
  );
});

test.each([0, 1, 31, 32, 33, 64])("a full set of %i integers holds just those", (length) => {
  const set = valueOf(BitSet.create(length));
  set.fill();
  expect([...set]).toEqual(Array.from({ length }, (_, i) => i));
  expect(set.size).toBe(length);
  set.clear();
  expect([set.next(0), set.size]).toEqual([-1, 0]);
  expect(() => set.add(length)).toThrow(`${length} is not in a set of integers below ${length}`);
});

test("invalid sets are refused", () => {
  expect(codeOf(BitSet.create(-1))).toBe("bad_argument");
  expect(codeOf(BitSet.create(8, nullAllocator))).toBe("bad_alloc");
  expect(() => valueOf(BitSet.create(8)).unite(valueOf(BitSet.create(9)))).toThrow("sets of 8 and 9 integers");
  expect(valueOf(BitSet.create(8)).equals(valueOf(BitSet.create(9)))).toBe(false);
});

test("an arena allocates aligned pieces that do not overlap", () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.nat(40), fc.constantFrom(1, 4, 16, 128))), (requests) => {
      const arena = valueOf(Arena.create(1024));
      let end = 0;
      for (const [size, alignment] of requests) {
        const start = Math.ceil(end / alignment) * alignment;
        const fits = start + size <= 1024;
        expect(arena.allocate(size, alignment)).toMatchObject(
          fits ? { ok: true, value: start } : { ok: false, error: { code: "bad_alloc" } },
        );
        if (fits) end = start + size;
        expect(arena.used).toBe(end);
      }
      expect(arena.peak).toBe(end);
    }),
  );
});

test("an arena is released to a mark", () => {
  const arena = valueOf(Arena.create(16));
  expect(valueOf(arena.allocate(4))).toBe(0);
  const mark = arena.used;
  arena.bytes(valueOf(arena.allocate(8, 8)), 8).fill(7);
  arena.release(mark);
  expect([arena.used, arena.peak, valueOf(arena.allocate(4))]).toEqual([4, 16, 4]);
  expect(() => arena.bytes(8, 8)).toThrow("are not allocated");
  expect(() => arena.release(9)).toThrow("cannot be released to 9");
  arena.release();
  expect(arena.used).toBe(0);
  expect([
    codeOf(arena.allocate(1, 3)),
    codeOf(arena.allocate(-1)),
    codeOf(arena.allocate(17)),
    codeOf(Arena.create(8, nullAllocator)),
  ]).toEqual(["bad_argument", "bad_argument", "bad_alloc", "bad_alloc"]);
});
