// SPDX-License-Identifier: Apache-2.0
// Buffers, accessors and host accessors: what orders commands, what is written back, copies and fills.
import {
  type AccessMode,
  Buffer,
  type Event,
  type TypedArray,
  type TypedArrayType,
  build,
  createWithSource,
  id,
  range,
} from "@muxkit/sycl";

import { type Row, context, counting, expect, kernel, newQueue, queue } from "./rig.ts";

/** A value for a parameter of any type. */
export const untyped = (value: unknown): never => value as never;
export const MODES: readonly AccessMode[] = ["read", "write", "read_write"];

/** Doubles a buffer's elements. */
export function twice(buffer: Buffer<Int32Array>, on = queue): Event {
  return on.submit((handler) => {
    handler.parallelFor(buffer.range, kernel("twice"), buffer.getAccess(handler, "read_write"));
  });
}

function add(from: Buffer<Int32Array>, to: Buffer<Int32Array>, on = queue): Event {
  return on.submit((handler) => {
    const [x, y] = [from.getAccess(handler, "read"), to.getAccess(handler, "read_write")];
    handler.parallelFor(to.range, kernel("add"), x, y);
  });
}

/** A command group that only has an accessor to part of a buffer. */
export function touch(buffer: Buffer<Int32Array>, mode: AccessMode, first: number, count: number): Event {
  return queue.submit((handler) => {
    buffer.getAccess(handler, mode, { offset: id(first), range: range(count) });
  });
}

/** Two accesses in a row: whether the second waits for the first. */
const HAZARDS: readonly (readonly [first: AccessMode, second: AccessMode, waits: boolean])[] = [
  ["read", "read", false],
  ["read", "write", true],
  ["read", "read_write", true],
  ["write", "read", true],
  ["write", "write", true],
  ["write", "read_write", true],
  ["read_write", "read", true],
  ["read_write", "write", true],
  ["read_write", "read_write", true],
];

const TYPES: readonly TypedArrayType<TypedArray>[] = [
  Int8Array,
  Uint8Array,
  Int16Array,
  Uint16Array,
  Int32Array,
  Uint32Array,
  BigInt64Array,
  BigUint64Array,
  Float32Array,
  Float64Array,
];
const NAMES: Readonly<Record<string, string>> = {
  Int8Array: "char",
  Uint8Array: "uchar",
  Int16Array: "short",
  Uint16Array: "ushort",
  Int32Array: "int",
  Uint32Array: "uint",
  BigInt64Array: "long",
  BigUint64Array: "ulong",
  Float32Array: "float",
  Float64Array: "double",
};

const HAZARD_ROWS: readonly Row[] = [
  ...HAZARDS.map(([first, second, waits]) => ({
    id: `accessors/order-${first}-${second}`,
    what: `${second} after ${first} ${waits ? "waits" : "does not wait"}`,
    run: () => {
      using buffer = new Buffer(Int32Array, range(8));
      const host = buffer.getHostAccess("read_write");
      const before = touch(buffer, first, 0, 8);
      const after = touch(buffer, second, 0, 8);
      expect(after.getWaitList().includes(before)).toBe(waits);
      host[Symbol.dispose]();
    },
  })),
  ...HAZARDS.filter(([, , waits]) => waits).map(([first, second]) => ({
    id: `accessors/apart-${first}-${second}`,
    what: `${second} of other elements than ${first} does not wait`,
    run: () => {
      using buffer = new Buffer(Int32Array, range(8));
      const host = buffer.getHostAccess("read_write");
      const before = touch(buffer, first, 0, 4);
      const after = touch(buffer, second, 4, 4);
      expect(after.getWaitList()).not.toContain(before);
      host[Symbol.dispose]();
    },
  })),
  {
    id: "accessors/overlap",
    what: "accessors of parts that overlap are ordered",
    run: () => {
      using buffer = new Buffer(Int32Array, range(8));
      const host = buffer.getHostAccess("read_write");
      const before = touch(buffer, "write", 0, 5);
      expect(touch(buffer, "read", 4, 4).getWaitList()).toContain(before);
      host[Symbol.dispose]();
    },
  },
  {
    id: "accessors/covered",
    what: "what a write covers is not waited for any more: the write is",
    run: () => {
      using buffer = new Buffer(Int32Array, range(8));
      const host = buffer.getHostAccess("read_write");
      touch(buffer, "write", 0, 4);
      const all = touch(buffer, "write", 0, 8);
      expect(touch(buffer, "read", 0, 2).getWaitList()).toEqual([all]);
      host[Symbol.dispose]();
    },
  },
  {
    id: "accessors/chain",
    what: "a chain of groups computes in order",
    run: () => {
      const values = counting(100);
      {
        using buffer = new Buffer(values);
        for (let i = 0; i < 10; i++) twice(buffer);
      }
      expect([...values]).toEqual([...counting(100)].map((value) => value * 1024));
    },
  },
  {
    id: "accessors/diamond",
    what: "two groups that read what one wrote, and one that reads both",
    run: () => {
      const result = new Int32Array(16);
      using source = new Buffer(counting(16));
      using left = new Buffer(counting(16));
      using right = new Buffer(counting(16, 100));
      {
        using sum = new Buffer(result);
        twice(source);
        add(source, left);
        add(source, right);
        add(left, sum);
        add(right, sum);
      }
      expect([...result]).toEqual([...counting(16)].map((value) => 2 * (2 * value) + value + value + 100));
    },
  },
  {
    id: "accessors/queues",
    what: "accessors order the groups of several queues of a context",
    run: () => {
      const values = counting(64);
      const queues = [newQueue(), newQueue({ inOrder: true }), newQueue()];
      {
        using buffer = new Buffer(values);
        for (let i = 0; i < 9; i++) twice(buffer, queues[i % 3]);
      }
      expect([...values]).toEqual([...counting(64)].map((value) => value * 512));
    },
  },
  {
    id: "accessors/random",
    what: "a random program gives what it gives in order",
    run: () => {
      let seed = 12_345;
      const random = (below: number): number => {
        seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0;
        return (seed >>> 8) % below;
      };
      const arrays = Array.from({ length: 5 }, (_, i) => counting(32, i));
      const expected = arrays.map((array) => array.slice());
      const queues = [queue, newQueue(), newQueue({ inOrder: true })];
      {
        const buffers = arrays.map((array) => new Buffer(array));
        for (let step = 0; step < 300; step++) {
          const [from, to] = [random(5), random(5)];
          const on = queues[random(3)];
          const [x, y] = [expected[from], expected[to]] as [Int32Array, Int32Array];
          if (from === to) {
            twice(buffers[to] as Buffer<Int32Array>, on);
            for (let i = 0; i < 32; i++) y[i] = Math.imul(2, y[i] ?? 0);
          } else {
            add(buffers[from] as Buffer<Int32Array>, buffers[to] as Buffer<Int32Array>, on);
            for (let i = 0; i < 32; i++) y[i] = ((y[i] ?? 0) + (x[i] ?? 0)) | 0;
          }
        }
        for (const buffer of buffers) buffer[Symbol.dispose]();
      }
      expect(arrays).toEqual(expected);
    },
  },
];

const BUFFER_ROWS: readonly Row[] = [
  ...TYPES.map((type) => ({
    id: `buffers/type-${type.name}`,
    what: `a buffer over a ${type.name} is read and written back`,
    run: () => {
      const name = NAMES[type.name] ?? "";
      const made = build(createWithSource(context, `kernel void f(global ${name}* x) { x[get_global_id(0)] += 1; }`));
      const isBig = type.name.startsWith("Big");
      const array = new type(5);
      for (let i = 0; i < 5; i++) (array as unknown as (number | bigint)[])[i] = isBig ? BigInt(i) : i;
      {
        using buffer = new Buffer(array);
        queue.submit((handler) => {
          handler.parallelFor(range(5), made.getKernel("f"), buffer.getAccess(handler, "read_write"));
        });
      }
      expect([...array].map(Number)).toEqual([1, 2, 3, 4, 5]);
    },
  })),
  {
    id: "buffers/zeros",
    what: "a buffer of a type and a range is zeros",
    run: () => {
      using buffer = new Buffer(Float64Array, range(2, 3));
      using host = buffer.getHostAccess("read");
      expect([...host.array]).toEqual([0, 0, 0, 0, 0, 0]);
      expect([buffer.size, buffer.byteSize]).toEqual([6, 48]);
    },
  },
  {
    id: "buffers/not-written",
    what: "an array that was only read is not written back",
    run: () => {
      const values = counting(4);
      {
        using buffer = new Buffer(values);
        queue
          .submit((handler) => {
            handler.parallelFor(range(4), kernel("add"), buffer.getAccess(handler, "read"), null);
          })
          .wait();
        values[0] = 77;
      }
      expect(values[0]).toBe(77);
    },
  },
  {
    id: "buffers/no-write-back",
    what: "setWriteBack(false) leaves the array alone",
    run: () => {
      const values = counting(4);
      {
        using buffer = new Buffer(values);
        buffer.setWriteBack(false);
        twice(buffer);
      }
      expect([...values]).toEqual([0, 1, 2, 3]);
    },
  },
  {
    id: "buffers/final-data",
    what: "setFinalData writes elsewhere",
    run: () => {
      const [values, target] = [counting(4), new Int32Array(4)];
      {
        using buffer = new Buffer(values);
        buffer.setFinalData(target);
        twice(buffer);
      }
      expect([[...values], [...target]]).toEqual([
        [0, 1, 2, 3],
        [0, 2, 4, 6],
      ]);
    },
  },
  {
    id: "buffers/no-final-data",
    what: "setFinalData(null) writes nowhere",
    run: () => {
      const values = counting(4);
      {
        using buffer = new Buffer(values);
        buffer.setFinalData(null);
        twice(buffer);
      }
      expect([...values]).toEqual([0, 1, 2, 3]);
    },
  },
  {
    id: "buffers/async-dispose",
    what: "await using disposes of a buffer without blocking",
    run: async () => {
      const values = counting(4);
      {
        await using buffer = new Buffer(values);
        twice(buffer);
      }
      expect([...values]).toEqual([0, 2, 4, 6]);
    },
  },
  {
    id: "buffers/memory",
    what: "a buffer that is disposed of gives its memory back",
    run: () => {
      const { runtime } = queue;
      const before = runtime.allocated;
      for (let i = 0; i < 20; i++) {
        using buffer = new Buffer(Int32Array, range(1 << 16));
        twice(buffer);
      }
      expect(runtime.allocated).toBe(before);
    },
  },
  {
    id: "buffers/sub",
    what: "a sub-buffer shares a part of the elements",
    run: () => {
      const values = counting(8);
      {
        using buffer = new Buffer(values);
        const part = buffer.subBuffer(id(2), range(3));
        expect([part.size, part.isSubBuffer, buffer.isSubBuffer]).toEqual([3, true, false]);
        twice(part);
      }
      expect([...values]).toEqual([0, 1, 4, 6, 8, 5, 6, 7]);
    },
  },
  {
    id: "buffers/sub-order",
    what: "a sub-buffer is ordered with the whole, and with parts that overlap",
    run: () => {
      using buffer = new Buffer(Int32Array, range(8));
      const host = buffer.getHostAccess("read_write");
      const left = touch(buffer.subBuffer(id(0), range(4)), "write", 0, 4);
      const right = touch(buffer.subBuffer(id(4), range(4)), "write", 0, 4);
      const all = touch(buffer, "read", 0, 8);
      expect(right.getWaitList()).not.toContain(left);
      expect(all.getWaitList()).toEqual(expect.arrayContaining([left, right]));
      host[Symbol.dispose]();
    },
  },
  {
    id: "buffers/sub-rows",
    what: "a sub-buffer of two dimensions has whole rows",
    run: () => {
      const values = counting(12);
      {
        using buffer = new Buffer(values, range(3, 4));
        const part = buffer.subBuffer(id(1, 0), range(2, 4));
        queue.submit((handler) => {
          handler.fill(part.getAccess(handler, "write"), 9);
        });
      }
      expect([...values]).toEqual([0, 1, 2, 3, 9, 9, 9, 9, 9, 9, 9, 9]);
    },
  },
];

const HOST_ROWS: readonly Row[] = [
  {
    id: "host-accessors/read",
    what: "a host accessor sees what commands wrote",
    run: () => {
      using buffer = new Buffer(counting(4));
      twice(buffer);
      using host = buffer.getHostAccess("read");
      expect([...host.array]).toEqual([0, 2, 4, 6]);
      expect([host.get(3), host.mode]).toEqual([6, "read"]);
    },
  },
  {
    id: "host-accessors/write",
    what: "commands see what the host wrote",
    run: () => {
      const values = new Int32Array(4);
      {
        using buffer = new Buffer(values);
        {
          using host = buffer.getHostAccess("write");
          host.set(21, 2);
          host.array[3] = 5;
        }
        twice(buffer);
      }
      expect([...values]).toEqual([0, 0, 42, 10]);
    },
  },
  {
    id: "host-accessors/holds",
    what: "commands wait while a host accessor is there",
    run: () => {
      const values = counting(4);
      using buffer = new Buffer(values);
      const host = buffer.getHostAccess("read_write");
      const event = twice(buffer);
      const after = twice(buffer);
      expect([event.status, after.status]).toEqual(["submitted", "submitted"]);
      expect(host.get(1)).toBe(1);
      host[Symbol.dispose]();
      after.wait();
      expect([event.status, after.status]).toEqual(["complete", "complete"]);
      using again = buffer.getHostAccess("read");
      expect(again.get(1)).toBe(4);
    },
  },
  {
    id: "host-accessors/readers",
    what: "commands that read go on while a host accessor reads",
    run: () => {
      using buffer = new Buffer(counting(4));
      using result = new Buffer(Int32Array, range(4));
      using host = buffer.getHostAccess("read");
      add(buffer, result).wait();
      expect(host.get(3)).toBe(3);
    },
  },
  {
    id: "host-accessors/async",
    what: "a host accessor is awaited without blocking",
    run: async () => {
      using buffer = new Buffer(counting(4));
      twice(buffer);
      using host = await buffer.getHostAccessAsync("read");
      expect([...host.array]).toEqual([0, 2, 4, 6]);
    },
  },
  {
    id: "host-accessors/part",
    what: "a host accessor of a part has its elements",
    run: () => {
      using buffer = new Buffer(counting(8));
      using host = buffer.getHostAccess("read", { offset: id(3), range: range(2) });
      expect([...host.array]).toEqual([3, 4]);
      expect([host.range.size, host.get(1)]).toEqual([2, 4]);
    },
  },
  {
    id: "host-accessors/two-dimensions",
    what: "elements of two dimensions are found by both coordinates",
    run: () => {
      using buffer = new Buffer(counting(12), range(3, 4));
      using host = buffer.getHostAccess("read_write", { offset: id(1, 1), range: range(2, 2) });
      expect([host.get(0, 0), host.get(1, 1)]).toEqual([5, 10]);
      host.set(50, 1, 0);
      expect(host.get(1, 0)).toBe(50);
    },
  },
  {
    id: "host-accessors/three-dimensions",
    what: "elements of three dimensions are found by all coordinates",
    run: () => {
      using buffer = new Buffer(counting(24), range(2, 3, 4));
      using host = buffer.getHostAccess("read");
      expect([host.get(0, 0, 1), host.get(0, 1, 0), host.get(1, 0, 0), host.get(1, 2, 3)]).toEqual([1, 4, 12, 23]);
    },
  },
];

const COPY_ROWS: readonly Row[] = [
  {
    id: "copies/accessors",
    what: "copy from accessor to accessor",
    run: () => {
      const target = new Int32Array(4);
      using from = new Buffer(counting(4, 5));
      {
        using to = new Buffer(target);
        queue.submit((handler) => {
          handler.copy(from.getAccess(handler, "read"), to.getAccess(handler, "write"));
        });
      }
      expect([...target]).toEqual([5, 6, 7, 8]);
    },
  },
  {
    id: "copies/to-array",
    what: "copy from an accessor to an array",
    run: () => {
      const target = new Int32Array(4);
      using from = new Buffer(counting(4, 5));
      queue
        .submit((handler) => {
          handler.copy(from.getAccess(handler, "read"), target);
        })
        .wait();
      expect([...target]).toEqual([5, 6, 7, 8]);
    },
  },
  {
    id: "copies/from-array",
    what: "copy from an array to an accessor",
    run: () => {
      using to = new Buffer(Int32Array, range(4));
      queue.submit((handler) => {
        handler.copy(counting(3, 1), to.getAccess(handler, "write"));
      });
      using host = to.getHostAccess("read");
      expect([...host.array]).toEqual([1, 2, 3, 0]);
    },
  },
  {
    id: "copies/part",
    what: "copy of a part",
    run: () => {
      using from = new Buffer(counting(8));
      const target = new Int32Array(2);
      queue
        .submit((handler) => {
          handler.copy(from.getAccess(handler, "read", { offset: id(5), range: range(2) }), target);
        })
        .wait();
      expect([...target]).toEqual([5, 6]);
    },
  },
  {
    id: "copies/rows",
    what: "copy of a part of two dimensions goes row by row",
    run: () => {
      using from = new Buffer(counting(12), range(3, 4));
      const target = new Int32Array(4);
      queue
        .submit((handler) => {
          handler.copy(from.getAccess(handler, "read", { offset: id(1, 1), range: range(2, 2) }), target);
        })
        .wait();
      expect([...target]).toEqual([5, 6, 9, 10]);
    },
  },
  {
    id: "copies/rows-to-rows",
    what: "copy between parts of different shapes",
    run: () => {
      using from = new Buffer(counting(12), range(3, 4));
      using to = new Buffer(Int32Array, range(2, 2, 4));
      queue.submit((handler) => {
        const source = from.getAccess(handler, "read", { offset: id(1, 1), range: range(2, 2) });
        const target = to.getAccess(handler, "write", { offset: id(0, 1, 2), range: range(2, 1, 2) });
        handler.copy<Int32Array>(untyped(source), untyped(target));
      });
      using host = to.getHostAccess("read");
      expect([host.get(0, 1, 2), host.get(0, 1, 3), host.get(1, 1, 2), host.get(1, 1, 3), host.get(0, 0, 0)]).toEqual([5, 6, 9, 10, 0]);
    },
  },
  {
    id: "copies/fill",
    what: "fill sets all elements",
    run: () => {
      const values = new Float64Array(5);
      {
        using buffer = new Buffer(values);
        queue.submit((handler) => {
          handler.fill(buffer.getAccess(handler, "write"), 1.5);
        });
      }
      expect([...values]).toEqual([1.5, 1.5, 1.5, 1.5, 1.5]);
    },
  },
  {
    id: "copies/fill-part",
    what: "fill of a part of two dimensions leaves the rest",
    run: () => {
      using buffer = new Buffer(Int32Array, range(3, 3));
      queue.submit((handler) => {
        handler.fill(buffer.getAccess(handler, "write", { offset: id(1, 1), range: range(2, 2) }), 4);
      });
      using host = buffer.getHostAccess("read");
      expect([...host.array]).toEqual([0, 0, 0, 0, 4, 4, 0, 4, 4]);
    },
  },
  {
    id: "copies/update-host",
    what: "updateHost copies to the array before the buffer ends",
    run: () => {
      const values = counting(4);
      using buffer = new Buffer(values);
      twice(buffer);
      queue
        .submit((handler) => {
          handler.updateHost(buffer.getAccess(handler, "read"));
        })
        .wait();
      expect([...values]).toEqual([0, 2, 4, 6]);
    },
  },
  {
    id: "copies/update-host-part",
    what: "updateHost of a part copies that part",
    run: () => {
      const values = counting(4);
      using buffer = new Buffer(values);
      twice(buffer);
      queue
        .submit((handler) => {
          handler.updateHost(buffer.getAccess(handler, "read", { offset: id(2), range: range(1) }));
        })
        .wait();
      expect([...values]).toEqual([0, 1, 4, 3]);
    },
  },
];

/** All rows. */
export const MEMORY_ROWS: readonly Row[] = [...HAZARD_ROWS, ...BUFFER_ROWS, ...HOST_ROWS, ...COPY_ROWS];
