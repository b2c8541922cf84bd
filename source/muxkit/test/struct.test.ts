// SPDX-License-Identifier: Apache-2.0
// Structs: the layout that OpenCL C gives them, and views of their members.
import * as fc from "fast-check";
import { type Device, type StructMember, type StructType, openDeviceSync, struct } from "muxkit";
import { afterAll, expect, expectTypeOf, test } from "vitest";

const device: Device = openDeviceSync({ threads: 1 });
afterAll(() => {
  device.close();
});

const Particle = struct("Particle", {
  position: "float3",
  mass: "float",
  kind: "uchar",
  id: "ulong",
  history: ["short", 3],
});

test("members are seen in place, typed", async () => {
  const particles = device.array(Particle, 4);
  particles.write(Particle.from([{ position: [1, 2, 3], mass: 4, id: 5n, history: [6, 7, 8] }]), 1);
  const { push } = device.build(`${Particle.source}
    kernel void push(global Particle* p) {
      size_t i = get_global_id(0);
      p[i].position += (float3)(10, 20, 30);
      p[i].kind = i;
      p[i].id *= 2;
      p[i].history[2]++;
    }`);
  await push(4, particles);
  const [, second] = await particles.read();
  if (second === undefined) throw new Error("there are four");
  expectTypeOf(second.mass).toEqualTypeOf<number>();
  expectTypeOf(second.id).toEqualTypeOf<bigint>();
  expect(
    JSON.parse(JSON.stringify(second, (_, value: unknown) => (typeof value === "bigint" ? `${value}n` : value))),
  ).toEqual({
    position: { 0: 11, 1: 22, 2: 33 },
    mass: 4,
    kind: 1,
    id: "10n",
    history: { 0: 6, 1: 7, 2: 9 },
  });
  const all = await particles.read();
  const last = all.at(-1);
  if (last === undefined) throw new Error("there are four");
  last.mass = 0.5;
  last.position[1] = 9;
  expect([all.at(3)?.mass, all.at(3)?.position[1], all.at(4)]).toEqual([0.5, 9, undefined]);
  const same = { mass: 2, history: [1, 1, 1] };
  // oxlint-disable-next-line no-array-fill-with-reference-type
  particles.fill(same);
  expect([...(await particles.read(1, 2))].map(({ mass, id }) => [mass, id])).toEqual([
    [2, 0n],
    [2, 0n],
  ]);
});

test.each(["u", "Node2"])("a struct that is called %s is no type of numbers", (name) => {
  const nodes = device.array(struct(name, { a: "float" }), 1);
  const { set } = device.build(`typedef struct { float a; } ${name}; kernel void set(global ${name}* x) { x->a = 3; }`);
  set(1, nodes);
  expect(nodes.readSync().at(0)?.a).toBe(3);
  expect(() => set(1, device.array(Particle, 1))).toThrow(`requires an array of the struct ${name}, not of Particle`);
});

test("nested structs and lists of them; halves as numbers", () => {
  const Pair = struct("Pair", { first: "char", second: "half" });
  const Outer = struct("Outer", { tag: "uchar", pairs: [Pair, 2], one: Pair });
  const array = Outer.from([{ tag: 1, pairs: [{ first: -1 }, { second: 0.5 }], one: { first: 3, second: -2 } }]);
  const outer = array.at(0);
  expect([outer?.pairs[0]?.first, outer?.pairs[1]?.second, outer?.one.second, outer?.one.first]).toEqual([
    -1, 0.5, -2, 3,
  ]);
  expect(Outer.offsets).toEqual({ tag: 0, pairs: 2, one: 10 });
});

test("what a struct refuses, by member", () => {
  expect(() => struct("1st", { a: "int" })).toThrow(/"1st" is not a name that a struct can have/u);
  expect(() => struct("S", { "a b": "int" })).toThrow(/"a b" is not a name that a member can have/u);
  expect(() => struct("S", { a: "vec3" as never })).toThrow(/"vec3" is not a type of members/u);
  expect(() => struct("S", {})).toThrow(/has no members/u);
  const array = new Particle(1);
  expect(() => array.set(0, { position: [1, 2] })).toThrow(/member "position" requires 3 numbers, not 2/u);
  expect(() => array.set(0, { speed: 1 } as never)).toThrow(/Particle has no member "speed"; it has position, mass/u);
  expect(() => array.set(1, { mass: 1 })).toThrow(/there is no element 1 of 1/u);
  expect(() => array.set(0, { mass: "1" as never })).toThrow(
    /member "mass" is a float; it requires a number, not string/u,
  );
});

const SCALARS = [
  "char",
  "uchar",
  "short",
  "ushort",
  "int",
  "uint",
  "long",
  "ulong",
  "half",
  "float",
  "double",
] as const;
const plain = fc
  .tuple(fc.constantFrom(...SCALARS), fc.constantFrom("", "2", "3", "4", "8", "16"))
  .map(([scalar, lanes]) => `${scalar}${lanes}` as StructMember);
const named = (members: readonly StructMember[]): Record<string, StructMember> =>
  Object.fromEntries(members.map((one, i) => [`m${i}`, one]));
const member = fc.oneof(plain, fc.tuple(plain, fc.integer({ min: 1, max: 5 })));

test("sizes and offsets of random structs are the compiler's", () => {
  let count = 0;
  fc.assert(
    fc.property(
      fc.array(member, { minLength: 1, maxLength: 6 }),
      fc.array(member, { maxLength: 3 }),
      (outer, inner) => {
        const Inner = inner.length === 0 ? null : struct("Inner", named(inner));
        const Outer: StructType = struct("Outer", {
          ...named(outer),
          ...(Inner === null ? {} : { inner: Inner, many: [Inner, 2] }),
        });
        const names = Object.keys(Outer.offsets);
        const { layout } = device.build(`#pragma OPENCL EXTENSION cl_khr_fp16 : enable
        ${Inner?.source ?? ""}${Outer.source}
        kernel void layout(global int* out) {
          out[0] = sizeof(Outer);
          ${names.map((name, i) => `out[${i + 1}] = (int)(size_t)&((Outer*)0)->${name};`).join("\n")}
        }`) as Record<string, (range: number, out: unknown) => PromiseLike<unknown>>;
        const out = device.array(Int32Array, names.length + 1);
        void layout?.(1, out);
        expect([...out.readSync()]).toEqual([Outer.BYTES_PER_ELEMENT, ...Object.values(Outer.offsets)]);
        count++;
      },
    ),
    { numRuns: 40 },
  );
  expect(count).toBe(40);
});
