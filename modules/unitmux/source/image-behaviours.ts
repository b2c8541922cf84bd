// SPDX-License-Identifier: Apache-2.0
// What commands on images do beyond one right call: every type, parts, pitches, ways between images and buffers.
import {
  DEFAULT_ALLOCATOR,
  MuxAllocationType,
  type MuxCommandBuffer,
  type MuxExtent3d,
  type MuxImage,
  type MuxImageFormat,
  MuxImageType,
  type MuxOffset3d,
  type MuxSyncPoint,
  muxBindImageMemory,
  muxCommandCopyBufferToImage,
  muxCommandCopyImage,
  muxCommandCopyImageToBuffer,
  muxCommandFillImage,
  muxCommandReadImage,
  muxCommandWriteImage,
  muxCreateImage,
  muxGetSupportedImageFormats,
} from "@muxkit/mux";

import { verify } from "./case.ts";
import { BUFFER_BYTES, type World, must } from "./world.ts";

interface ImageBehaviour {
  readonly entryPoint: string;
  readonly name: string;
  readonly run: (world: World) => void;
}

interface Shape {
  readonly name: string;
  readonly type: MuxImageType;
  readonly size: MuxExtent3d;
  readonly layers: number;
  /** Texels by axis as commands count them. */
  readonly whole: MuxExtent3d;
}

const SHAPES: readonly Shape[] = [
  {
    name: "one dimension",
    type: MuxImageType.image_1d,
    size: { x: 5, y: 1, z: 1 },
    layers: 0,
    whole: { x: 5, y: 1, z: 1 },
  },
  {
    name: "an array of one dimension",
    type: MuxImageType.image_1d,
    size: { x: 5, y: 1, z: 1 },
    layers: 3,
    whole: { x: 5, y: 3, z: 1 },
  },
  {
    name: "two dimensions",
    type: MuxImageType.image_2d,
    size: { x: 5, y: 3, z: 1 },
    layers: 0,
    whole: { x: 5, y: 3, z: 1 },
  },
  {
    name: "an array of two dimensions",
    type: MuxImageType.image_2d,
    size: { x: 5, y: 3, z: 1 },
    layers: 2,
    whole: { x: 5, y: 3, z: 2 },
  },
  {
    name: "three dimensions",
    type: MuxImageType.image_3d,
    size: { x: 5, y: 3, z: 2 },
    layers: 0,
    whole: { x: 5, y: 3, z: 2 },
  },
];

const START: MuxOffset3d = { x: 0, y: 0, z: 0 };

function make(world: World, { type, size, layers }: Shape): MuxImage {
  const { device } = world;
  const [format] = must(muxGetSupportedImageFormats(device, type, MuxAllocationType.alloc_device));
  verify(format !== undefined, "there is a format for each type of image");
  const image = must(
    muxCreateImage(
      device,
      type,
      format satisfies MuxImageFormat,
      size.x,
      size.y,
      size.z,
      layers,
      0,
      0,
      DEFAULT_ALLOCATOR,
    ),
  );
  must(muxBindImageMemory(device, world.memory(image.memoryRequirements.size), image, 0));
  return image;
}

const texels = ({ x, y, z }: MuxExtent3d): number => x * y * z;

/** Bytes of `count` texels, no two rows alike. */
function pattern(image: MuxImage, count: number): Uint8Array {
  return Uint8Array.from({ length: count * image.pixelSize }, (_, i) => (i * 7 + 3) & 255);
}

function complete(world: World, record: (commands: MuxCommandBuffer) => MuxSyncPoint): void {
  world.complete(world.finalized(record));
}

/** All bytes of an image, tight. */
function contents(world: World, image: MuxImage, whole: MuxExtent3d): Uint8Array {
  const out = new Uint8Array(texels(whole) * image.pixelSize);
  complete(world, (commands) => must(muxCommandReadImage(commands, image, START, whole, 0, 0, out, [])));
  return out;
}

function write(world: World, image: MuxImage, whole: MuxExtent3d, bytes: Uint8Array): void {
  complete(world, (commands) => must(muxCommandWriteImage(commands, image, START, whole, 0, 0, bytes, [])));
}

function expectSame(found: Uint8Array, wanted: Uint8Array, what: string): void {
  const at = wanted.findIndex((byte, i) => byte !== found[i]);
  verify(at < 0, `${what}: byte ${at} is ${found[at]}, ${wanted[at]} is right`);
}

/** Which texel each texel of a box is, in an image that is written tightly. */
function box(whole: MuxExtent3d, from: MuxOffset3d, extent: MuxExtent3d): number[] {
  return Array.from({ length: texels(extent) }, (_, i) => {
    const [x, y, z] = [i % extent.x, Math.floor(i / extent.x) % extent.y, Math.floor(i / extent.x / extent.y)];
    return ((from.z + z) * whole.y + from.y + y) * whole.x + from.x + x;
  });
}

/** The box of an image from its second texel of each axis on. */
function inner({ x, y, z }: MuxExtent3d): { readonly from: MuxOffset3d; readonly extent: MuxExtent3d } {
  return {
    from: { x: 1, y: y > 1 ? 1 : 0, z: z > 1 ? 1 : 0 },
    extent: { x: x - 1, y: Math.max(1, y - 1), z: Math.max(1, z - 1) },
  };
}

function pick(bytes: Uint8Array, texelBytes: number, offsets: readonly number[]): Uint8Array {
  return Uint8Array.from(
    offsets.flatMap((offset) => [...bytes.subarray(offset * texelBytes, (offset + 1) * texelBytes)]),
  );
}

/** Bytes with the texels of a box replaced by others, in order. */
function replaced(bytes: Uint8Array, texelBytes: number, offsets: readonly number[], by: Uint8Array): Uint8Array {
  const copy = bytes.slice();
  offsets.forEach((offset, i) => copy.set(by.subarray(i * texelBytes, (i + 1) * texelBytes), offset * texelBytes));
  return copy;
}

function behaviours(shape: Shape): readonly ImageBehaviour[] {
  const { whole, name } = shape;
  const { from, extent } = inner(whole);
  const offsets = box(whole, from, extent);
  const written = (world: World): { readonly image: MuxImage; readonly bytes: Uint8Array; readonly size: number } => {
    const image = make(world, shape);
    const bytes = pattern(image, texels(whole));
    write(world, image, whole, bytes);
    return { image, bytes, size: image.pixelSize };
  };
  return [
    {
      entryPoint: "muxCommandReadImage",
      name: `a part of ${name}, with rows and slices apart`,
      run: (world) => {
        const { image, bytes, size } = written(world);
        const row = extent.x * size + 2 * size;
        const slice = row * extent.y + row;
        const out = new Uint8Array(slice * extent.z).fill(9);
        complete(world, (commands) => must(muxCommandReadImage(commands, image, from, extent, row, slice, out, [])));
        const wanted = new Uint8Array(out.length).fill(9);
        const part = pick(bytes, size, offsets);
        for (let z = 0; z < extent.z; z++)
          for (let y = 0; y < extent.y; y++)
            wanted.set(
              part.subarray((z * extent.y + y) * extent.x * size, (z * extent.y + y + 1) * extent.x * size),
              z * slice + y * row,
            );
        expectSame(out, wanted, "the part, and nothing between its rows");
      },
    },
    {
      entryPoint: "muxCommandWriteImage",
      name: `a part of ${name}`,
      run: (world) => {
        const { image, bytes, size } = written(world);
        const part = new Uint8Array(texels(extent) * size).map((_, i) => 200 - i);
        complete(world, (commands) => must(muxCommandWriteImage(commands, image, from, extent, 0, 0, part, [])));
        expectSame(contents(world, image, whole), replaced(bytes, size, offsets, part), "the part and the rest");
      },
    },
    {
      entryPoint: "muxCommandFillImage",
      name: `a part of ${name}`,
      run: (world) => {
        const { image, bytes, size } = written(world);
        const texel = Uint8Array.from({ length: size }, (_, i) => 100 + i);
        complete(world, (commands) => must(muxCommandFillImage(commands, image, texel, from, extent, [])));
        const part = Uint8Array.from({ length: texels(extent) * size }, (_, i) => texel[i % size] ?? 0);
        expectSame(contents(world, image, whole), replaced(bytes, size, offsets, part), "the part and the rest");
      },
    },
    {
      entryPoint: "muxCommandCopyImage",
      name: `a part of ${name} to another position of another image`,
      run: (world) => {
        const { image, bytes, size } = written(world);
        const target = make(world, shape);
        const zeros = new Uint8Array(bytes.length);
        write(world, target, whole, zeros);
        complete(world, (commands) => must(muxCommandCopyImage(commands, image, target, from, START, extent, [])));
        expectSame(
          contents(world, target, whole),
          replaced(zeros, size, box(whole, START, extent), pick(bytes, size, offsets)),
          "the part and the rest",
        );
      },
    },
    {
      entryPoint: "muxCommandCopyImageToBuffer",
      name: `a part of ${name}, and back into another image`,
      run: (world) => {
        const { image, bytes, size } = written(world);
        const target = make(world, shape);
        const zeros = new Uint8Array(bytes.length);
        write(world, target, whole, zeros);
        const buffer = world.buffer(BUFFER_BYTES);
        complete(world, (commands) => {
          const out = must(muxCommandCopyImageToBuffer(commands, image, buffer, from, 16, extent, []));
          return must(muxCommandCopyBufferToImage(commands, buffer, target, 16, from, extent, [out]));
        });
        expectSame(
          contents(world, target, whole),
          replaced(zeros, size, offsets, pick(bytes, size, offsets)),
          "the part and the rest",
        );
      },
    },
  ];
}

/** All of them, for each type of image. */
export const IMAGE_BEHAVIOURS: readonly ImageBehaviour[] = SHAPES.flatMap(behaviours);
