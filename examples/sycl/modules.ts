// SPDX-License-Identifier: Apache-2.0
// An application that builds its modules ahead of time: executables are written to out/sycl-modules, a second program
// loads them, joins them to one module, and chooses an image for each launch. The filter is there in two forms: for a
// radius that was known when it was built, and for any, as an argument.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";

import {
  type Context,
  type DeviceImageSelector,
  type ExecutableModule,
  Queue,
  SpecConstantId,
  build,
  compile,
  createProgramWithBinary,
  createWithSource,
  free,
  join as joinModules,
  link,
  mallocShared,
  property,
  range,
  setSpecConstant,
} from "muxkit/sycl";

const folder = join(resolve(import.meta.dirname, "..", ".."), "out", "sycl-modules");
const LENGTH = 1 << 16;
const KNOWN_RADIUS = 2;
const RADIUS = new SpecConstantId("RADIUS", "int", KNOWN_RADIUS);

const FILTER = `
int clamped(int i, int length);
#ifdef __MUXKIT_CONSTANTS_AS_ARGUMENTS__
kernel void mean(global const int* from, global int* to, int length, int RADIUS) {
#else
#ifndef RADIUS
#define RADIUS ${KNOWN_RADIUS}
#endif
kernel void mean(global const int* from, global int* to, int length) {
#endif
  int i = get_global_id(0), sum = 0;
  for (int k = -RADIUS; k <= RADIUS; k++) sum += from[clamped(i + k, length)];
  to[i] = sum / (2 * RADIUS + 1);
}`;
const EDGES = "int clamped(int i, int length) { return clamp(i, 0, length - 1); }";

/** At the programmer's: compiles both parts, links them, and keeps the code. */
function buildAhead(context: Context): readonly string[] {
  const edges = compile(createWithSource(context, EDGES));
  const filter = createWithSource(context, FILTER, { specConstants: [RADIUS] });
  const forms = {
    known: link([compile(filter), edges]),
    any: link([compile(filter, property.constantsAsArguments()), edges]),
  };
  mkdirSync(folder, { recursive: true });
  return Object.entries(forms).map(
    ([
      name,
      {
        images: [image],
      },
    ]) => {
      if (image === undefined) throw new Error("an executable module has an image");
      const file = join(folder, `${name}.bin`);
      writeFileSync(file, image.bytes);
      return file;
    },
  );
}

/** At the user's: loads what was kept, and joins both forms. Nothing is compiled. */
function load(context: Context): ExecutableModule {
  return joinModules(
    ["known", "any"].map((name) => {
      const options = { specConstants: [RADIUS], constantsAreArguments: name === "any" };
      return build(createProgramWithBinary(context, readFileSync(join(folder, `${name}.bin`)), options));
    }),
  );
}

/** The quicker image where the radius is the known one, else the one that takes it as an argument. */
function imageFor(radius: number): DeviceImageSelector {
  return (start) => {
    const wanted = radius !== KNOWN_RADIUS;
    const found = [...start].find(({ constantsAreArguments }) => constantsAreArguments === wanted);
    return found ?? start.image;
  };
}

function expected(from: Int32Array, radius: number): Int32Array {
  return from.map((_, i) => {
    let sum = 0;
    for (let k = -radius; k <= radius; k++) sum += from[Math.max(0, Math.min(LENGTH - 1, i + k))] ?? 0;
    return Math.trunc(sum / (2 * radius + 1));
  });
}

using queue = new Queue({ inOrder: true });
const context = queue.getContext();
for (const file of buildAhead(context)) console.log(relative(process.cwd(), file));
const filters = load(context);
const [from, to] = [mallocShared(Int32Array, LENGTH, queue), mallocShared(Int32Array, LENGTH, queue)];
from.view(LENGTH).forEach((_, i, all) => {
  all[i] = (i * 7919) % 1000;
});
for (const radius of [KNOWN_RADIUS, 5, 9]) {
  setSpecConstant(filters, RADIUS, radius);
  queue
    .submit((handler) => {
      handler.useModule(filters, imageFor(radius));
      handler.parallelFor(range(LENGTH), "mean", from, to, LENGTH);
    })
    .wait();
  const wanted = expected(from.view(LENGTH), radius);
  const wrong = to.view(LENGTH).findIndex((value, i) => value !== wanted[i]);
  if (wrong >= 0)
    throw new Error(`radius ${radius}: element ${wrong} is ${to.view(LENGTH)[wrong]}, not ${wanted[wrong]}`);
  console.log(
    `radius ${radius}: the ${radius === KNOWN_RADIUS ? "image that was built for it" : "image for any radius"} is right`,
  );
}
free(from, queue);
free(to, queue);
