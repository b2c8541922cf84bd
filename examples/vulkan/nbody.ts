// SPDX-License-Identifier: Apache-2.0
// `node --conditions=source examples/vulkan/nbody.ts [STEPS]`: two discs of bodies pass each other. Each step reads the
// positions of one buffer and writes those of the other; their ways are drawn into an image of counters, as
// out/vulkan/nbody.png. At the end the momentum must be what it was, and the energy nearly so.
import * as vk from "@muxkit/vulkan";

import {
  barrier,
  bind,
  main,
  newBuffer,
  newImage,
  newPass,
  newSet,
  openGpu,
  run,
  savePicture,
  toGeneral,
} from "./kit.ts";
import { wholeImage } from "./kit.ts";

const BODIES = 4096;
const GROUP = 128;
const SECONDS = 0.008;
const SOFTENING = 0.02;
const SIZE = 1024;
const SCALE = 110;
/** Steps of one command buffer. */
const BATCH = 20;

/** Positions with masses, and velocities: four floats of each body. */
interface Bodies {
  readonly positions: Float32Array;
  readonly velocities: Float32Array;
}

/** Numbers from 0 to 1 that are the same each time. */
function* random(seed: number): Generator<number, never> {
  let word = seed;
  for (;;) {
    word = (Math.imul(word, 1_664_525) + 1_013_904_223) >>> 0;
    yield word / 2 ** 32;
  }
}

/** Two discs that turn, each around a heavy body. */
function twoDiscs(): Bodies {
  const [positions, velocities] = [new Float32Array(BODIES * 4), new Float32Array(BODIES * 4)];
  const source = random(7);
  const next = (): number => source.next().value;
  const half = BODIES / 2;
  for (let i = 0; i < BODIES; i++) {
    const side = i < half ? -1 : 1;
    const isCentre = i % half === 0;
    const radius = isCentre ? 0 : 0.25 + 1.6 * Math.sqrt(next());
    const angle = next() * 2 * Math.PI;
    const around = isCentre ? 0 : Math.sqrt(1 / radius);
    const spin = side * around;
    const mass = isCentre ? 1 : 0.1 / half;
    positions.set(
      [side * 2.2 + radius * Math.cos(angle), side * 0.9 + radius * Math.sin(angle), 0.05 * next(), mass],
      i * 4,
    );
    velocities.set([-side * 0.42 - spin * Math.sin(angle), spin * Math.cos(angle), 0, 0], i * 4);
  }
  return { positions, velocities };
}

/** A number of a body. */
const at = (list: Float32Array, i: number, axis: number): number => list[i * 4 + axis] ?? 0;

/** The sums of mass times velocity along x and y, and the energy of motion and of the field. */
function state({ positions, velocities }: Bodies): {
  readonly momentum: readonly [number, number];
  readonly energy: number;
} {
  let [x, y, energy] = [0, 0, 0];
  for (let i = 0; i < BODIES; i++) {
    const mass = at(positions, i, 3);
    const [vx, vy, vz] = [at(velocities, i, 0), at(velocities, i, 1), at(velocities, i, 2)];
    x += mass * vx;
    y += mass * vy;
    energy += 0.5 * mass * (vx * vx + vy * vy + vz * vz);
    for (let j = 0; j < i; j++) {
      const way = [0, 1, 2].map((axis) => at(positions, i, axis) - at(positions, j, axis));
      const square = way.reduce((sum, one) => sum + one * one, SOFTENING);
      energy -= (mass * at(positions, j, 3)) / Math.sqrt(square);
    }
  }
  return { momentum: [x, y], energy };
}

const words = (...values: readonly (readonly ["u" | "f", number])[]): Uint8Array => {
  const view = new DataView(new ArrayBuffer(values.length * 4));
  for (const [i, [kind, value]] of values.entries())
    if (kind === "u") view.setUint32(i * 4, value, true);
    else view.setFloat32(i * 4, value, true);
  return new Uint8Array(view.buffer);
};

const floats = (from: Uint8Array): Float32Array => new Float32Array(from.slice().buffer);

function example(): boolean {
  const steps = Number(process.argv[2] ?? 600);
  const gpu = openGpu("nbody");
  const begin = twoDiscs();
  const bytes = BODIES * 16;
  const [a, b, velocities] = [newBuffer(gpu, bytes), newBuffer(gpu, bytes), newBuffer(gpu, bytes)];
  a.bytes.set(new Uint8Array(begin.positions.buffer));
  velocities.bytes.set(new Uint8Array(begin.velocities.buffer));
  const hits = newImage(gpu, SIZE, SIZE, vk.VK_FORMAT_R32_UINT);
  const picture = newImage(gpu, SIZE, SIZE, vk.VK_FORMAT_R8G8B8A8_UNORM);
  const pixels = newBuffer(gpu, SIZE * SIZE * 4);

  const { VK_DESCRIPTOR_TYPE_STORAGE_BUFFER: BUFFER, VK_DESCRIPTOR_TYPE_STORAGE_IMAGE: IMAGE } = vk;
  const move = newPass(gpu, "nbody", [BUFFER, BUFFER, BUFFER], 12);
  const splat = newPass(gpu, "splat", [BUFFER, IMAGE], 8);
  const tone = newPass(gpu, "tone", [IMAGE, IMAGE]);
  const moves = [newSet(gpu, move, [a, b, velocities]), newSet(gpu, move, [b, a, velocities])];
  const splats = [newSet(gpu, splat, [b, hits]), newSet(gpu, splat, [a, hits])];
  const toned = newSet(gpu, tone, [hits, picture]);

  run(gpu, (commands) => {
    toGeneral(commands, [hits, picture]);
    const range = {
      aspectMask: vk.VK_IMAGE_ASPECT_COLOR_BIT,
      baseMipLevel: 0,
      levelCount: 1,
      baseArrayLayer: 0,
      layerCount: 1,
    };
    vk.vkCmdClearColorImage(commands, hits.image, vk.VK_IMAGE_LAYOUT_GENERAL, { uint32: [0, 0, 0, 0] }, [range]);
  });
  const step = words(["u", BODIES], ["f", SECONDS], ["f", SOFTENING]);
  const view = words(["u", BODIES], ["f", SCALE]);
  let ms = 0;
  for (let done = 0; done < steps; done += BATCH)
    ms += run(gpu, (commands) => {
      for (let i = done; i < Math.min(done + BATCH, steps); i++) {
        const [moveSet, splatSet] = [moves[i % 2], splats[i % 2]];
        if (moveSet === undefined || splatSet === undefined) throw new Error("there are two sets of each");
        bind(commands, move, moveSet);
        vk.vkCmdPushConstants(commands, move.layout, vk.VK_SHADER_STAGE_COMPUTE_BIT, 0, step);
        vk.vkCmdDispatch(commands, BODIES / GROUP, 1, 1);
        barrier(commands);
        bind(commands, splat, splatSet);
        vk.vkCmdPushConstants(commands, splat.layout, vk.VK_SHADER_STAGE_COMPUTE_BIT, 0, view);
        vk.vkCmdDispatch(commands, BODIES / GROUP, 1, 1);
        barrier(commands);
      }
    });
  run(gpu, (commands) => {
    bind(commands, tone, toned);
    vk.vkCmdDispatch(commands, SIZE / 16, SIZE / 16, 1);
    barrier(commands);
    vk.vkCmdCopyImageToBuffer(commands, picture.image, vk.VK_IMAGE_LAYOUT_GENERAL, pixels.buffer, [
      wholeImage(SIZE, SIZE),
    ]);
  });
  console.log(`${steps} steps of ${BODIES} bodies in ${ms.toFixed(0)} ms`);
  console.log(savePicture("nbody", SIZE, SIZE, pixels.bytes.slice()));

  const last = steps % 2 === 0 ? a : b;
  const [before, after] = [
    state(begin),
    state({ positions: floats(last.bytes), velocities: floats(velocities.bytes) }),
  ];
  const drift = Math.hypot(after.momentum[0] - before.momentum[0], after.momentum[1] - before.momentum[1]);
  const lost = Math.abs(after.energy / before.energy - 1);
  console.log(`momentum differs by ${drift.toExponential(1)}, energy by ${(100 * lost).toFixed(2)} %`);
  vk.vkDeviceWaitIdle(gpu.device);
  return drift < 1e-3 && lost < 0.05;
}

await main(example);
