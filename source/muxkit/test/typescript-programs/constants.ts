// SPDX-License-Identifier: Apache-2.0
// Specialization constants: defaults, values that are set in modules, two modules with two values.
// oxlint-disable typescript/no-non-null-assertion -- elements are there, and this project checks indices
// oxlint-disable typescript/no-unnecessary-type-arguments, typescript/no-unsafe-unary-minus -- as users write it
import {
  type Accessor,
  type ExecutableModule,
  type Item,
  type Queue,
  build,
  float,
  int,
  join,
  kernel,
  long,
  mallocShared,
  property,
  range,
  setSpecConstant,
  specConstant,
  thisModule,
} from "muxkit/sycl";

export const radius = specConstant(int, 3);
export const factor = specConstant(float, 1.5);
export const far = specConstant(long, 5n);
export const untold = specConstant(int);

/** A function that uses constants, too. */
function scaled(x: int): float {
  return float(x) * factor.value;
}

const weighed = kernel((item: Item<1>, out: Accessor<float>) => {
  let sum = scaled(radius.value);
  for (let i = 0; i < radius.value; i++) sum += 100;
  out[item.getId(0)] = sum + float(far.value >> 1n);
});

/** What a kernel of the file's own module, and of modules with other values, leaves. */
export function run(queue: Queue): unknown {
  const out = mallocShared(Float32Array, 2, queue);
  const context = queue.getContext();
  const outcome = (launch: () => void): readonly number[] => {
    out.view(2).fill(0);
    launch();
    queue.wait();
    return [...out.view(2)];
  };
  const plain = outcome(() => queue.parallelFor(range(2), weighed, out));
  const input = thisModule.get(context, "input");
  // A bundle has an executable that takes constants as arguments; a file at run time has its text.
  const made = (): ExecutableModule =>
    input.isEmpty ? join([thisModule.get(context, "executable")]) : build(input, property.constantsAsArguments());
  const launched = (module: ExecutableModule): readonly number[] =>
    outcome(() => {
      queue.submit((handler) => {
        handler.useModule(module);
        handler.parallelFor(range(2), weighed, out);
      });
    });
  const [first, second] = [made(), made()];
  for (const [module, values] of [
    [first, [1, 2, 100n]],
    [second, [2, 0.5, -4n]],
  ] as const) {
    setSpecConstant(module, radius, values[0]);
    setSpecConstant(module, factor, values[1]);
    setSpecConstant(module, far, values[2]);
  }
  const specialised = (): readonly number[] => {
    input.setSpecConstant(radius, 4);
    return launched(build(input));
  };
  return {
    plain,
    first: launched(first),
    second: launched(second),
    again: launched(first),
    // Where the image can be specialised, the values are in its code.
    specialised: input.isEmpty ? null : specialised(),
    defaults: [radius.defaultValue, factor.defaultValue, String(far.defaultValue)],
  };
}
