// SPDX-License-Identifier: Apache-2.0
// Commands that move bytes: reads, writes, fills, copies, boxes, maps, images, shared virtual memory, native kernels.
import {
  CL_MAP_READ,
  CL_MAP_WRITE,
  CL_MIGRATE_MEM_OBJECT_HOST,
  OpenCLError,
  clEnqueueCopyBuffer,
  clEnqueueCopyBufferRect,
  clEnqueueCopyBufferToImage,
  clEnqueueCopyImageToBuffer,
  clEnqueueFillBuffer,
  clEnqueueFillImage,
  clEnqueueMapBuffer,
  clEnqueueMigrateMemObjects,
  clEnqueueNativeKernel,
  clEnqueueReadBuffer,
  clEnqueueReadBufferRect,
  clEnqueueReadImage,
  clEnqueueSVMMemFill,
  clEnqueueSVMMemcpy,
  clEnqueueUnmapMemObject,
  clEnqueueWriteBuffer,
  clEnqueueWriteBufferRect,
  clEnqueueWriteImage,
} from "@muxkit/opencl";

import type { Random } from "./random.ts";
import type { Lane, Picture, Place, World } from "./world.ts";

function bytesOf(random: Random, length: number): Uint8Array {
  const bytes = new Uint8Array(length);
  for (let i = 0; i < length; i++) bytes[i] = random.bits();
  return bytes;
}

/** A part of a place. */
function partOf(
  random: Random,
  { size }: Place,
  unit: number = 1,
): { readonly offset: number; readonly length: number } {
  const units = Math.floor(size / unit);
  const length = random.between(1, units);
  return { offset: random.below(units - length + 1) * unit, length: length * unit };
}

const nothing = (): void => undefined;

function bufferOf(world: World): (Place & { readonly buffer: NonNullable<Place["buffer"]> }) | undefined {
  const place = world.random.pick(world.places.filter(({ buffer }) => buffer !== null));
  return place as (Place & { readonly buffer: NonNullable<Place["buffer"]> }) | undefined;
}

function write(world: World, lane: Lane): void {
  const place = bufferOf(world);
  if (place === undefined) return;
  const { random } = world;
  const { offset, length } = partOf(random, place);
  const bytes = bytesOf(random, length);
  const blocks = random.oneIn(6);
  world.command({
    name: `write ${length} bytes${blocks ? " and wait" : ""}`,
    lane,
    uses: [place.root],
    blocks,
    enqueue: (waits) => clEnqueueWriteBuffer(lane.queue, place.buffer, blocks, offset, length, bytes, waits),
    effect: () => {
      place.root.shadow.write(place.base + offset, bytes);
    },
    lost: () => {
      place.root.shadow.lose(place.base + offset, length);
    },
  });
}

function read(world: World, lane: Lane): void {
  const place = bufferOf(world);
  if (place === undefined) return;
  const { random } = world;
  const { offset, length } = partOf(random, place);
  const bytes = new Uint8Array(length);
  const blocks = random.oneIn(6);
  const name = `read ${length} bytes${blocks ? " and wait" : ""}`;
  world.command({
    name,
    lane,
    uses: [place.root],
    blocks,
    lost: nothing,
    enqueue: (waits) => clEnqueueReadBuffer(lane.queue, place.buffer, blocks, offset, length, bytes, waits),
    effect: () => {
      world.differs(name, place.root.shadow, place.base + offset, bytes);
    },
  });
}

function fill(world: World, lane: Lane): void {
  const place = bufferOf(world);
  if (place === undefined) return;
  const { random } = world;
  const pattern = bytesOf(random, Math.min(1 << random.below(6), 1 << (31 - Math.clz32(place.size))));
  const { offset, length } = partOf(random, place, pattern.length);
  world.command({
    name: `fill ${length} bytes by ${pattern.length}`,
    lane,
    uses: [place.root],
    enqueue: (waits) => clEnqueueFillBuffer(lane.queue, place.buffer, pattern, offset, length, waits),
    effect: () => {
      place.root.shadow.fill(place.base + offset, length, pattern);
    },
    lost: () => {
      place.root.shadow.lose(place.base + offset, length);
    },
  });
}

function copy(world: World, lane: Lane): void {
  const [from, to] = [bufferOf(world), bufferOf(world)];
  if (from === undefined || to === undefined) return;
  const { random } = world;
  const { offset, length } = partOf(random, from);
  const size = Math.min(length, to.size);
  const target = random.below(to.size - size + 1);
  if (from.root === to.root && Math.abs(from.base + offset - to.base - target) < size) return;
  world.command({
    name: `copy ${size} bytes`,
    lane,
    uses: [from.root, to.root],
    enqueue: (waits) => clEnqueueCopyBuffer(lane.queue, from.buffer, to.buffer, offset, target, size, waits),
    effect: () => {
      to.root.shadow.copyRows(
        from.root.shadow,
        { start: from.base + offset, pitch: 0 },
        { start: to.base + target, pitch: 0 },
        size,
        1,
      );
    },
    lost: () => {
      to.root.shadow.lose(to.base + target, size);
    },
  });
}

/** A box of two dimensions that fits a place. */
function boxIn(
  random: Random,
  { size }: Place,
  row: number,
  rows: number,
): { readonly pitch: number; readonly x: number; readonly y: number } | null {
  const pitch = row + random.below(16);
  const room = size - (rows - 1) * pitch - row;
  if (room < 0) return null;
  const start = random.below(room + 1);
  const [x, y] = [start % pitch, Math.floor(start / pitch)];
  return x + row <= pitch ? { pitch, x, y } : { pitch, x: 0, y };
}

function copyBox(world: World, lane: Lane): void {
  const [from, to] = [bufferOf(world), bufferOf(world)];
  if (from === undefined || to === undefined || from.root === to.root) return;
  const { random } = world;
  const [row, rows] = [random.between(1, 64), random.between(1, 8)];
  const [source, target] = [boxIn(random, from, row, rows), boxIn(random, to, row, rows)];
  if (source === null || target === null) return;
  const [fromStart, toStart] = [
    from.base + source.y * source.pitch + source.x,
    to.base + target.y * target.pitch + target.x,
  ];
  world.command({
    name: `copy ${rows} rows of ${row} bytes`,
    lane,
    uses: [from.root, to.root],
    enqueue: (waits) =>
      clEnqueueCopyBufferRect(
        lane.queue,
        from.buffer,
        to.buffer,
        [source.x, source.y, 0],
        [target.x, target.y, 0],
        [row, rows, 1],
        source.pitch,
        0,
        target.pitch,
        0,
        waits,
      ),
    effect: () => {
      to.root.shadow.copyRows(
        from.root.shadow,
        { start: fromStart, pitch: source.pitch },
        { start: toStart, pitch: target.pitch },
        row,
        rows,
      );
    },
    lost: () => {
      to.root.shadow.lose(toStart, (rows - 1) * target.pitch + row);
    },
  });
}

function transferBox(world: World, lane: Lane): void {
  const place = bufferOf(world);
  if (place === undefined) return;
  const { random } = world;
  const [row, rows] = [random.between(1, 64), random.between(1, 8)];
  const box = boxIn(random, place, row, rows);
  if (box === null) return;
  const start = place.base + box.y * box.pitch + box.x;
  const { shadow } = place.root;
  if (random.oneIn(2)) {
    const bytes = bytesOf(random, row * rows);
    world.command({
      name: `write ${rows} rows of ${row} bytes`,
      lane,
      uses: [place.root],
      enqueue: (waits) =>
        clEnqueueWriteBufferRect(
          lane.queue,
          place.buffer,
          false,
          [box.x, box.y, 0],
          [0, 0, 0],
          [row, rows, 1],
          box.pitch,
          0,
          row,
          0,
          bytes,
          waits,
        ),
      effect: () => {
        for (let i = 0; i < rows; i++) shadow.write(start + i * box.pitch, bytes.subarray(i * row, (i + 1) * row));
      },
      lost: () => {
        shadow.lose(start, (rows - 1) * box.pitch + row);
      },
    });
    return;
  }
  const bytes = new Uint8Array(row * rows);
  world.command({
    name: `read ${rows} rows of ${row} bytes`,
    lane,
    uses: [place.root],
    lost: nothing,
    enqueue: (waits) =>
      clEnqueueReadBufferRect(
        lane.queue,
        place.buffer,
        false,
        [box.x, box.y, 0],
        [0, 0, 0],
        [row, rows, 1],
        box.pitch,
        0,
        row,
        0,
        bytes,
        waits,
      ),
    effect: () => {
      for (let i = 0; i < rows; i++)
        world.differs("read of rows", shadow, start + i * box.pitch, bytes.subarray(i * row, (i + 1) * row));
    },
  });
}

function map(world: World, lane: Lane): void {
  const place = bufferOf(world);
  if (place === undefined) return;
  const { random } = world;
  const { offset, length } = partOf(random, place);
  const { shadow } = place.root;
  const base = place.base + offset;
  let array: Uint8Array | null = null;
  let seen: Uint8Array = new Uint8Array(0);
  world.command({
    name: `map ${length} bytes`,
    lane,
    uses: [place.root],
    blocks: true,
    lost: nothing,
    enqueue: (waits) => {
      const mapped = clEnqueueMapBuffer(
        lane.queue,
        place.buffer,
        true,
        CL_MAP_READ | CL_MAP_WRITE,
        offset,
        length,
        waits,
      );
      ({ array } = mapped);
      seen = array.slice();
      return mapped.event;
    },
    effect: () => {
      world.differs("map", shadow, base, seen);
    },
  });
  if (array === null) return;
  const view: Uint8Array = array;
  const bytes = bytesOf(random, length);
  view.set(bytes);
  world.command({
    name: "unmap",
    lane,
    uses: [place.root],
    isWritten: true,
    enqueue: (waits) => {
      try {
        return clEnqueueUnmapMemObject(lane.queue, place.buffer, view, waits);
      } catch (error) {
        if (!(error instanceof OpenCLError) || !world.excuses.refused) throw error;
        // What was mapped must be unmapped; allocations are refused one at a time.
        return clEnqueueUnmapMemObject(lane.queue, place.buffer, view, waits);
      }
    },
    effect: () => {
      shadow.write(base, bytes);
    },
    lost: () => {
      shadow.lose(base, length);
    },
  });
}

function native(world: World, lane: Lane): void {
  const place = bufferOf(world);
  if (place === undefined) return;
  const value = world.random.below(256);
  const { shadow } = place.root;
  world.command({
    name: "native kernel",
    lane,
    uses: [place.root],
    enqueue: (waits) =>
      clEnqueueNativeKernel(
        lane.queue,
        (bytes = new Uint8Array(0)) => {
          for (let i = 0; i < Math.min(64, bytes.length); i++) bytes[i] = (bytes[i] as number) ^ value;
        },
        [place.buffer],
        waits,
      ),
    effect: () => {
      for (let i = place.base; i < place.base + Math.min(64, place.size); i++)
        shadow.bytes[i] = (shadow.bytes[i] as number) ^ value;
    },
    lost: () => {
      shadow.lose(place.base, Math.min(64, place.size));
    },
  });
}

function migrate(world: World, lane: Lane): void {
  const place = bufferOf(world);
  if (place === undefined) return;
  world.command({
    name: "migrate",
    lane,
    uses: [place.root],
    effect: nothing,
    lost: nothing,
    enqueue: (waits) => clEnqueueMigrateMemObjects(lane.queue, [place.buffer], CL_MIGRATE_MEM_OBJECT_HOST, waits),
  });
}

function shared(world: World, lane: Lane): void {
  const { random } = world;
  const list = world.places.filter(({ buffer }) => buffer === null);
  const [from, to] = [random.pick(list), random.pick(list)];
  if (from === undefined || to === undefined) return;
  const size = random.between(1, Math.floor(Math.min(from.size, to.size) / 4)) * 4;
  if (from.root === to.root) {
    const pattern = bytesOf(random, 4);
    world.command({
      name: `fill ${size} bytes of shared memory`,
      lane,
      uses: [to.root],
      enqueue: (waits) => clEnqueueSVMMemFill(lane.queue, to.pointer, pattern, size, waits),
      effect: () => {
        to.root.shadow.fill(0, size, pattern);
      },
      lost: () => {
        to.root.shadow.lose(0, size);
      },
    });
    return;
  }
  world.command({
    name: `copy ${size} bytes of shared memory`,
    lane,
    uses: [from.root, to.root],
    enqueue: (waits) => clEnqueueSVMMemcpy(lane.queue, false, to.pointer, from.pointer, size, waits),
    effect: () => {
      to.root.shadow.copyRows(from.root.shadow, { start: 0, pitch: 0 }, { start: 0, pitch: 0 }, size, 1);
    },
    lost: () => {
      to.root.shadow.lose(0, size);
    },
  });
}

/** A region of an image. */
function regionOf(
  random: Random,
  { width, height }: Picture,
): { readonly x: number; readonly y: number; readonly columns: number; readonly rows: number } {
  const [columns, rows] = [random.between(1, width), random.between(1, height)];
  return { x: random.below(width - columns + 1), y: random.below(height - rows + 1), columns, rows };
}

function image(world: World, lane: Lane): void {
  const { random } = world;
  const picture = random.pick(world.pictures);
  if (picture === undefined) return;
  const { shadow } = picture.root;
  const { x, y, columns, rows } = regionOf(random, picture);
  const start = (y * picture.width + x) * 4;
  const pitch = picture.width * 4;
  const lost = (): void => {
    shadow.lose(start, (rows - 1) * pitch + columns * 4);
  };
  const origin = [x, y, 0] as const;
  const region = [columns, rows, 1] as const;
  const eachRow = (run: (row: number, at: number) => void): void => {
    for (let row = 0; row < rows; row++) run(row, start + row * pitch);
  };
  const kind = random.below(3);
  if (kind === 0) {
    const color = new Int32Array(4).fill(random.bits());
    const texel = new Uint8Array(color.buffer, 0, 4);
    world.command({
      name: "fill an image",
      lane,
      uses: [picture.root],
      lost,
      enqueue: (waits) => clEnqueueFillImage(lane.queue, picture.image, color, origin, region, waits),
      effect: () => {
        eachRow((_row, at) => {
          shadow.fill(at, columns * 4, texel);
        });
      },
    });
  } else if (kind === 1) {
    const bytes = bytesOf(random, columns * rows * 4);
    world.command({
      name: "write an image",
      lane,
      uses: [picture.root],
      lost,
      enqueue: (waits) => clEnqueueWriteImage(lane.queue, picture.image, false, origin, region, 0, 0, bytes, waits),
      effect: () => {
        eachRow((row, at) => {
          shadow.write(at, bytes.subarray(row * columns * 4, (row + 1) * columns * 4));
        });
      },
    });
  } else {
    const bytes = new Uint8Array(columns * rows * 4);
    world.command({
      name: "read an image",
      lane,
      uses: [picture.root],
      lost: nothing,
      enqueue: (waits) => clEnqueueReadImage(lane.queue, picture.image, false, origin, region, 0, 0, bytes, waits),
      effect: () => {
        eachRow((row, at) => {
          world.differs("read of an image", shadow, at, bytes.subarray(row * columns * 4, (row + 1) * columns * 4));
        });
      },
    });
  }
}

function imageAndBuffer(world: World, lane: Lane): void {
  const { random } = world;
  const picture = random.pick(world.pictures);
  const place = bufferOf(world);
  if (picture === undefined || place === undefined) return;
  const { x, y, columns, rows } = regionOf(random, picture);
  const size = columns * rows * 4;
  if (size > place.size) return;
  const offset = random.below(Math.floor((place.size - size) / 4) + 1) * 4;
  const inImage = { start: (y * picture.width + x) * 4, pitch: picture.width * 4 };
  const inBuffer = { start: place.base + offset, pitch: columns * 4 };
  const uses = [picture.root, place.root];
  if (random.oneIn(2)) {
    world.command({
      name: "copy an image to a buffer",
      lane,
      uses,
      enqueue: (waits) =>
        clEnqueueCopyImageToBuffer(
          lane.queue,
          picture.image,
          place.buffer,
          [x, y, 0],
          [columns, rows, 1],
          offset,
          waits,
        ),
      effect: () => {
        place.root.shadow.copyRows(picture.root.shadow, inImage, inBuffer, columns * 4, rows);
      },
      lost: () => {
        place.root.shadow.lose(inBuffer.start, size);
      },
    });
    return;
  }
  world.command({
    name: "copy a buffer to an image",
    lane,
    uses,
    enqueue: (waits) =>
      clEnqueueCopyBufferToImage(lane.queue, place.buffer, picture.image, offset, [x, y, 0], [columns, rows, 1], waits),
    effect: () => {
      picture.root.shadow.copyRows(place.root.shadow, inBuffer, inImage, columns * 4, rows);
    },
    lost: () => {
      picture.root.shadow.lose(inImage.start, (rows - 1) * inImage.pitch + columns * 4);
    },
  });
}

/** An action and how often it is taken. */
export interface Action {
  readonly weight: number;
  readonly run: (world: World, lane: Lane) => void;
}

/** See the file's head. */
export const TRANSFERS: readonly Action[] = [
  { weight: 8, run: write },
  { weight: 8, run: read },
  { weight: 6, run: fill },
  { weight: 6, run: copy },
  { weight: 4, run: copyBox },
  { weight: 4, run: transferBox },
  { weight: 3, run: map },
  { weight: 2, run: native },
  { weight: 1, run: migrate },
  { weight: 3, run: shared },
  { weight: 6, run: image },
  { weight: 3, run: imageAndBuffer },
];
