// SPDX-License-Identifier: Apache-2.0
// Unified shared memory and reductions.
import {
  Buffer,
  Context,
  Queue,
  UsmPointer,
  bitAnd,
  bitOr,
  bitXor,
  build,
  createWithSource,
  free,
  getPointerDevice,
  getPointerType,
  mallocDevice,
  mallocHost,
  mallocShared,
  maximum,
  minimum,
  multiplies,
  ndRange,
  plus,
  property,
  range,
  reduction,
} from "@muxkit/sycl";

import { type ErrorRow, type Row, context, counting, expect, kernel, mallocInts, newQueue, queue } from "./rig.ts";

const untyped = (value: unknown): never => value as never;
const MALLOCS = { device: mallocDevice, host: mallocHost, shared: mallocShared };
const KINDS = Object.keys(MALLOCS) as (keyof typeof MALLOCS)[];

/** Ints of shared memory, 0, 1, 2 … */
function ints(count: number): UsmPointer<Int32Array> {
  const pointer = mallocInts(count);
  pointer.view(count).set(counting(count));
  return pointer;
}

const USM_TABLE: readonly Row[] = [
  ...KINDS.map((kind) => ({
    id: `usm/${kind}`,
    what: `kernels use memory of kind ${kind}`,
    run: () => {
      const pointer = MALLOCS[kind](Int32Array, 8, queue);
      const out = new Int32Array(8);
      const on = newQueue({ inOrder: true });
      on.memcpy(pointer, counting(8), 32);
      on.parallelFor(range(8), kernel("twice"), pointer);
      on.memcpy(out, pointer, 32);
      on.wait();
      expect([...out]).toEqual([0, 2, 4, 6, 8, 10, 12, 14]);
      expect(getPointerType(pointer, context)).toBe(kind);
      expect(getPointerDevice(pointer, context)).toBe(queue.getDevice());
      free(pointer, queue);
      expect(getPointerType(pointer, context)).toBe("unknown");
    },
  })),
  {
    id: "usm/view",
    what: "the host sees the very bytes of shared memory",
    run: () => {
      const pointer = mallocInts(4);
      pointer.view(4).set([1, 2, 3, 4]);
      queue.parallelFor(range(4), kernel("twice"), pointer).wait();
      expect([...pointer.view()]).toEqual([2, 4, 6, 8]);
      expect(pointer.view(2)).toHaveLength(2);
    },
  },
  {
    id: "usm/arithmetic",
    what: "pointers move by elements",
    run: () => {
      const pointer = ints(8);
      const moved = pointer.add(5).subtract(2);
      expect([moved.distance(pointer), moved.address - pointer.address, moved.view(1)[0]]).toEqual([3, 12, 3]);
      expect(moved.equals(pointer.add(3))).toBe(true);
      queue.parallelFor(range(2), kernel("twice"), moved).wait();
      expect([...pointer.view(6)]).toEqual([0, 1, 2, 6, 8, 5]);
    },
  },
  {
    id: "usm/as",
    what: "a pointer is taken for one to other elements",
    run: () => {
      const pointer = mallocInts(1);
      pointer.view(1)[0] = 0x01_02_03_04;
      expect([...pointer.as(Uint8Array).view(4)]).toEqual([4, 3, 2, 1]);
    },
  },
  {
    id: "usm/memset",
    what: "memset sets bytes",
    run: () => {
      const pointer = ints(4);
      queue.memset(pointer.add(1), 0xff, 8).wait();
      expect([...pointer.view(4)]).toEqual([0, -1, -1, 3]);
    },
  },
  {
    id: "usm/fill",
    what: "fill sets elements",
    run: () => {
      const pointer = ints(4);
      queue.fill(pointer, 7, 3).wait();
      expect([...pointer.view(4)]).toEqual([7, 7, 7, 3]);
    },
  },
  {
    id: "usm/copy",
    what: "copy counts elements, of pointers and of arrays",
    run: () => {
      const [from, to] = [ints(4), mallocInts(4)];
      queue.copy(from, to, 3).wait();
      expect([...to.view(4)]).toEqual([0, 1, 2, 0]);
      queue.copy(counting(4, 10), to, 2).wait();
      expect([...to.view(4)]).toEqual([10, 11, 2, 0]);
      const out = new Int32Array(2);
      queue.copy(to, out, 2).wait();
      expect([...out]).toEqual([10, 11]);
    },
  },
  {
    id: "usm/memcpy-after",
    what: "copies wait for the events that are passed",
    run: () => {
      const [x, y] = [mallocInts(4), mallocInts(4)];
      const first = queue.fill(x, 6, 4);
      queue.memcpy(y, x, 16, [first]).wait();
      expect([...y.view(4)]).toEqual([6, 6, 6, 6]);
    },
  },
  {
    id: "usm/hints",
    what: "prefetch and memAdvise are commands that complete",
    run: () => {
      const pointer = mallocInts(4);
      const events = [queue.prefetch(pointer, 16), queue.memAdvise(pointer, 16, "read_mostly")];
      for (const event of events) event.wait();
      expect(events.map(({ status }) => status)).toEqual(["complete", "complete"]);
    },
  },
  {
    id: "usm/place",
    what: "memory is allocated for a queue or for a context",
    run: () => {
      const pointer = mallocShared(Float64Array, 2, context);
      expect(pointer.getContext()).toBe(context);
      free(pointer, context);
      free(null, context);
      expect(getPointerType(pointer, context)).toBe("unknown");
    },
  },
  {
    id: "usm/alignment",
    what: "an alignment may be asked for",
    run: () => {
      const pointer = mallocDevice(Uint8Array, 3, queue, 64);
      expect(pointer.address % 64).toBe(0);
      free(pointer, queue);
    },
  },
  {
    id: "usm/free-later",
    what: "memory that is freed lives until the commands that name it are complete",
    run: () => {
      const { runtime } = queue;
      const before = runtime.allocated;
      const on = newQueue({ inOrder: true });
      const [pointer, out] = [mallocDevice(Int32Array, 4, on), new Int32Array(4)];
      on.fill(pointer, 3, 4);
      on.memcpy(out, pointer, 16);
      free(pointer, on);
      on.wait();
      expect([...out]).toEqual([3, 3, 3, 3]);
      expect(runtime.allocated).toBe(before);
    },
  },
  {
    id: "usm/context-frees",
    what: "a context that is disposed of frees its allocations",
    run: () => {
      const { runtime } = queue;
      const before = runtime.allocated;
      const own = new Context();
      mallocShared(Int32Array, 1000, own);
      expect(runtime.allocated).toBe(before + 4000);
      own[Symbol.dispose]();
      expect(runtime.allocated).toBe(before);
    },
  },
];

/** Combiners, and the result for 1, 2, 3, 4, 5. */
const COMBINERS = [
  ["plus", plus, 0, 15],
  ["multiplies", multiplies, 1, 120],
  ["minimum", minimum, 2_147_483_647, 1],
  ["maximum", maximum, -2_147_483_648, 5],
  ["bitAnd", bitAnd, -1, 0],
  ["bitOr", bitOr, 0, 7],
  ["bitXor", bitXor, 0, 1],
] as const;

/** A kernel that gives its elements, of a type. */
const giving = (type: string): ReturnType<typeof kernel> =>
  build(
    createWithSource(
      context,
      `kernel void give(global const ${type}* x, global ${type}* partial) { partial[get_global_id(0)] = x[get_global_id(0)]; }`,
    ),
  ).getKernel("give");

/** A combiner of a program's own: the larger rest of a division by 5. */
const longest = (left: number, right: number): number => (right % 5 > left % 5 ? right : left);

const REDUCTION_ROWS: readonly Row[] = [
  ...COMBINERS.map(([name, combine, identity, result]) => ({
    id: `reductions/${name}`,
    what: `a reduction by ${name} into shared memory`,
    run: () => {
      const [source, target] = [mallocInts(5), mallocInts(1)];
      source.view(5).set(counting(5, 1));
      queue
        .parallelFor(range(5), kernel("values"), source, reduction(target, identity, combine, { initializeToIdentity: true }))
        .wait();
      expect(target.view(1)[0]).toBe(result);
    },
  })),
  {
    id: "reductions/includes",
    what: "what the element was before counts",
    run: () => {
      const [source, target] = [ints(5), mallocInts(1)];
      target.view(1)[0] = 100;
      queue.parallelFor(range(5), kernel("values"), source, reduction(target, 0, plus)).wait();
      expect(target.view(1)[0]).toBe(110);
    },
  },
  {
    id: "reductions/buffer",
    what: "a reduction into a buffer orders the commands",
    run: () => {
      const result = Int32Array.of(5);
      using source = new Buffer(counting(1000));
      {
        using target = new Buffer(result);
        for (let i = 0; i < 3; i++)
          queue.submit((handler) => {
            const sum = reduction(target.getAccess(handler, "read_write"), 0, plus);
            handler.parallelFor(range(1000), kernel("values"), source.getAccess(handler, "read"), sum);
          });
      }
      expect(result[0]).toBe(5 + 3 * 499_500);
    },
  },
  {
    id: "reductions/own",
    what: "any function combines",
    run: () => {
      const [source, target] = [ints(8), mallocInts(1)];
      queue.parallelFor(range(8), kernel("values"), source, reduction(target, 0, untyped(longest))).wait();
      expect(target.view(1)[0]).toBe(4);
    },
  },
  {
    id: "reductions/double",
    what: "doubles are combined in the order that is documented, with the same bits in every run",
    run: () => {
      const [source, target] = [mallocShared(Float64Array, 1000, queue), mallocShared(Float64Array, 1, queue)];
      const sums = new Float64Array(64);
      for (let i = 0; i < 1000; i++) {
        source.view(1000)[i] = 1 / (i + 1);
        sums[i % 64] = (sums[i % 64] ?? 0) + 1 / (i + 1);
      }
      for (let count = 64; count > 1; count /= 2)
        for (let i = 0; i < count / 2; i++) sums[i] = (sums[i] ?? 0) + (sums[i + count / 2] ?? 0);
      const [expected] = sums;
      for (let i = 0; i < 3; i++) {
        queue.parallelFor(range(1000), giving("double"), source, reduction(target, 0, plus, { initializeToIdentity: true })).wait();
        expect(target.view(1)[0]).toBe(expected);
      }
    },
  },
  {
    id: "reductions/long",
    what: "longs are bigints",
    run: () => {
      const [source, target] = [mallocShared(BigInt64Array, 4, queue), mallocShared(BigInt64Array, 1, queue)];
      source.view(4).set([1n, 2n, 3n, 2n ** 40n]);
      queue.parallelFor(range(4), giving("long"), source, reduction(target, 0n, plus, { initializeToIdentity: true })).wait();
      expect(target.view(1)[0]).toBe(2n ** 40n + 6n);
    },
  },
  {
    id: "reductions/uchar",
    what: "narrow elements wrap at each step",
    run: () => {
      const [source, target] = [mallocShared(Uint8Array, 4, queue), mallocShared(Uint8Array, 1, queue)];
      source.view(4).fill(100);
      queue.parallelFor(range(4), giving("uchar"), source, reduction(target, 0, plus, { initializeToIdentity: true })).wait();
      expect(target.view(1)[0]).toBe(400 % 256);
    },
  },
  {
    id: "reductions/groups",
    what: "a kernel that combines in its groups gives one value for each",
    run: () => {
      const source = `kernel void f(global const int* x, global int* partial) {
        int sum = work_group_reduce_add(x[get_global_id(0)]);
        if (get_local_id(0) == 0) partial[get_group_id(0)] = sum;
      }`;
      const target = mallocInts(1);
      const sum = reduction(target, 0, plus, { scope: "groups" });
      const made = build(createWithSource(context, source), property.openclOptions("-cl-std=CL3.0")).getKernel("f");
      queue.parallelFor(ndRange(range(1024), range(64)), made, ints(1024), sum).wait();
      expect(target.view(1)[0]).toBe((1024 * 1023) / 2);
    },
  },
  {
    id: "reductions/two",
    what: "a kernel has several reductions",
    run: () => {
      const source = "kernel void f(global int* sum, global int* most) { sum[get_global_id(0)] = most[get_global_id(0)] = get_global_id(0); }";
      const [sum, most] = [mallocInts(1), mallocInts(1)];
      const made = build(createWithSource(context, source)).getKernel("f");
      queue.parallelFor(range(100), made, reduction(sum, 0, plus), reduction(most, 0, maximum)).wait();
      expect([sum.view(1)[0], most.view(1)[0]]).toEqual([4950, 99]);
    },
  },
  {
    id: "reductions/memory",
    what: "partial results are given back",
    run: () => {
      const [source, target] = [ints(100), mallocInts(1)];
      const { runtime } = queue;
      const before = runtime.allocated;
      for (let i = 0; i < 10; i++) queue.parallelFor(range(100), kernel("values"), source, reduction(target, 0, plus)).wait();
      expect(runtime.allocated).toBe(before);
    },
  },
];

/** All rows. */
export const USM_ROWS: readonly Row[] = [...USM_TABLE, ...REDUCTION_ROWS];

const elsewhere = (): UsmPointer<Int32Array> => mallocShared(Int32Array, 4, new Context());

/** All errors. */
export const USM_ERRORS: readonly ErrorRow[] = [
  ...KINDS.flatMap((kind): readonly ErrorRow[] => [
    {
      id: `errors/malloc-none-${kind}`,
      what: `no elements of kind ${kind}`,
      code: "invalid",
      message: /one element at least, not 0/u,
      run: () => MALLOCS[kind](Int32Array, 0, queue),
    },
    {
      id: `errors/malloc-alignment-${kind}`,
      what: `an alignment of 3 (${kind})`,
      code: "invalid",
      message: /power of two up to 128, not 3/u,
      run: () => MALLOCS[kind](Int32Array, 1, queue, 3),
    },
    {
      id: `errors/malloc-large-${kind}`,
      what: `more than an allocation has (${kind})`,
      code: "memory_allocation",
      message: /at most/u,
      run: () => MALLOCS[kind](Float64Array, 2 ** 40, queue),
    },
    {
      id: `errors/malloc-type-${kind}`,
      what: `elements of no type (${kind})`,
      code: "invalid",
      message: /class of a typed array/u,
      run: () => MALLOCS[kind](untyped(undefined), 1, queue),
    },
  ]),
  {
    id: "errors/malloc-context",
    what: "an allocation in a context that is gone",
    code: "invalid",
    message: /disposed of/u,
    run: () => {
      const own = new Context();
      own[Symbol.dispose]();
      return mallocShared(Int32Array, 1, own);
    },
  },
  {
    id: "errors/view-device",
    what: "a view of device memory",
    code: "feature_not_supported",
    message: /use mallocShared/u,
    run: () => mallocDevice(Int32Array, 1, queue).view(1),
  },
  {
    id: "errors/view-outside",
    what: "a view past the end",
    code: "invalid",
    message: /20 bytes at \d+ are not within an allocation/u,
    run: () => mallocShared(Int32Array, 4, queue).view(5),
  },
  {
    id: "errors/view-before",
    what: "a view before the beginning",
    code: "invalid",
    message: /not within an allocation/u,
    run: () => mallocShared(Int32Array, 4, new Context()).subtract(1).view(1),
  },
  {
    id: "errors/add-fraction",
    what: "a pointer moved by half an element",
    code: "invalid",
    message: /0\.5 is not a number of elements/u,
    run: () => mallocInts(1).add(0.5),
  },
  {
    id: "errors/free-twice",
    what: "memory that is freed twice",
    code: "invalid",
    message: /freed before/u,
    run: () => {
      const pointer = mallocInts(1);
      free(pointer, queue);
      free(pointer, queue);
    },
  },
  {
    id: "errors/free-inside",
    what: "freeing the middle of an allocation",
    code: "invalid",
    message: /not the beginning of an allocation/u,
    run: () => {
      free(mallocInts(4).add(1), queue);
    },
  },
  {
    id: "errors/free-context",
    what: "freeing in another context",
    code: "invalid",
    message: /allocation of the context/u,
    run: () => {
      free(elsewhere(), queue);
    },
  },
  {
    id: "errors/free-number",
    what: "freeing a number",
    code: "invalid",
    message: /not the beginning/u,
    run: () => {
      free(untyped(5), queue);
    },
  },
  {
    id: "errors/pointer-freed",
    what: "a kernel with memory that was freed",
    code: "invalid",
    message: /or it was freed/u,
    run: () => {
      const pointer = mallocShared(Int32Array, 4, queue);
      free(pointer, queue);
      return queue.parallelFor(range(1), kernel("twice"), pointer);
    },
  },
  {
    id: "errors/pointer-device",
    what: "the device of a pointer into nothing",
    code: "invalid",
    message: /in no allocation/u,
    run: () => {
      const pointer = mallocShared(Int32Array, 4, queue);
      free(pointer, queue);
      return getPointerDevice(pointer, context);
    },
  },
  {
    id: "errors/memcpy-outside",
    what: "memcpy past the end",
    code: "invalid",
    message: /20 bytes at/u,
    run: () => queue.memcpy(mallocInts(4), mallocInts(8), 20),
  },
  {
    id: "errors/memcpy-array",
    what: "memcpy from an array that is too short",
    code: "invalid",
    message: /array has 8 bytes, and 16 are to be copied/u,
    run: () => queue.memcpy(mallocInts(4), counting(2), 16),
  },
  {
    id: "errors/memcpy-arrays",
    what: "memcpy between arrays",
    code: "invalid",
    message: /copied by the host/u,
    run: () => queue.memcpy(counting(4), counting(4), 16),
  },
  {
    id: "errors/memcpy-overlap",
    what: "memcpy onto itself",
    code: "invalid",
    message: /overlap/u,
    run: () => {
      const pointer = mallocInts(8);
      return queue.memcpy(pointer.add(1), pointer, 16);
    },
  },
  {
    id: "errors/memcpy-nothing",
    what: "memcpy of no bytes",
    code: "invalid",
    message: /at least one byte is needed, not 0/u,
    run: () => queue.memcpy(mallocInts(1), mallocInts(1), 0),
  },
  {
    id: "errors/memcpy-no-pointer",
    what: "memcpy to what is no pointer",
    code: "invalid",
    message: /a pointer to unified shared memory is needed/u,
    run: () => queue.memcpy(untyped({}), mallocInts(1), 4),
  },
  {
    id: "errors/memcpy-context",
    what: "memcpy of another context's memory",
    code: "invalid",
    message: /another context than the queue/u,
    run: () => queue.memcpy(mallocInts(4), elsewhere(), 16),
  },
  {
    id: "errors/memset-byte",
    what: "memset to what is no byte",
    code: "invalid",
    message: /256 is not a byte/u,
    run: () => queue.memset(mallocInts(1), 256, 4),
  },
  {
    id: "errors/fill-outside",
    what: "fill past the end",
    code: "invalid",
    message: /20 bytes/u,
    run: () => queue.fill(mallocShared(Int32Array, 4, new Queue({ context })), 1, 5),
  },
  {
    id: "errors/prefetch-outside",
    what: "prefetch past the end",
    code: "invalid",
    message: /not within an allocation/u,
    run: () => queue.prefetch(mallocShared(Int32Array, 1, new Context()), 1000),
  },
  {
    id: "errors/advice",
    what: "advice that there is not",
    code: "invalid",
    message: /no advice "hurry"/u,
    run: () => queue.memAdvise(mallocInts(1), 4, untyped("hurry")),
  },
  {
    id: "errors/reduction-mode",
    what: "a reduction into an accessor that reads",
    code: "accessor",
    message: /use read_write/u,
    run: () =>
      queue.submit((handler) => {
        reduction(new Buffer(counting(1)).getAccess(handler, "read"), 0, plus);
      }),
  },
  {
    id: "errors/reduction-target",
    what: "a reduction into a number",
    code: "invalid",
    message: /neither an accessor nor a pointer/u,
    run: () => reduction(untyped(5), 0, plus),
  },
  {
    id: "errors/reduction-combiner",
    what: "a reduction by what is no function",
    code: "invalid",
    message: /combiner is not a function/u,
    run: () => reduction(mallocInts(1), 0, untyped("+")),
  },
  {
    id: "errors/reduction-bits",
    what: "a reduction of floats by an operator of bits",
    code: "invalid",
    message: /bit_xor combines integers/u,
    run: () => reduction(mallocShared(Float32Array, 1, queue), 0, bitXor),
  },
  {
    id: "errors/reduction-value",
    what: "a reduction for a value",
    code: "kernel_argument",
    message: /argument 1 \(float factor\) requires a value/u,
    run: () => queue.parallelFor(range(1), kernel("scale"), null, reduction(mallocInts(1), 0, plus)),
  },
];
