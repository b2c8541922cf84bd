// SPDX-License-Identifier: Apache-2.0
// Stable fluids in plain TypeScript.
interface Arguments {
  readonly flow: Float32Array;
  readonly nextFlow: Float32Array;
  readonly ink: Float32Array;
  readonly nextInk: Float32Array;
  readonly sources: Float32Array;
  readonly pressure: Float32Array;
  readonly nextPressure: Float32Array;
  readonly picture: Uint8Array;
  readonly pointer: readonly number[];
  readonly force: number;
  readonly fade: number;
  readonly frame: number;
}

/** Kernel `stir`. */
export function stir(args: Arguments, [width = 1, height = 1]: readonly number[]): void {
  const { flow, ink, force, frame } = args;
  const [px = 0, py = 0, dx = 0, dy = 0] = args.pointer;
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) {
      const i = y * width + x;
      const near = Math.exp(-(((x - px * width) / 11) ** 2 + ((y - py * height) / 11) ** 2));
      flow[2 * i] = (flow[2 * i] ?? 0) + near * force * width * dx;
      flow[2 * i + 1] = (flow[2 * i + 1] ?? 0) + near * force * width * dy;
      if (dx === 0 && dy === 0) continue;
      for (let k = 0; k < 4; k++) {
        const color = k === 3 ? 1 : 0.5 + 0.5 * Math.cos(0.02 * frame + 2 * k);
        ink[4 * i + k] = (ink[4 * i + k] ?? 0) + 0.35 * near * color;
      }
    }
}

/** Carries a field of so many numbers along the flow. */
function carry(
  flow: Float32Array,
  field: Float32Array,
  next: Float32Array,
  lanes: number,
  factor: number,
  [width = 1, height = 1]: readonly number[],
): void {
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) {
      const at = y * width + x;
      const fromX = Math.min(width - 1.01, Math.max(0, x - (flow[2 * at] ?? 0)));
      const fromY = Math.min(height - 1.01, Math.max(0, y - (flow[2 * at + 1] ?? 0)));
      const [left, top] = [Math.floor(fromX), Math.floor(fromY)];
      const [tx, ty] = [fromX - left, fromY - top];
      const first = lanes * (top * width + left);
      for (let k = first; k < first + lanes; k++) {
        const above = (field[k] ?? 0) * (1 - tx) + (field[k + lanes] ?? 0) * tx;
        const below = (field[k + lanes * width] ?? 0) * (1 - tx) + (field[k + lanes * width + lanes] ?? 0) * tx;
        next[lanes * at + k - first] = factor * (above * (1 - ty) + below * ty);
      }
    }
}

/** Kernel `carry_flow`. */
export function carry_flow({ flow, nextFlow }: Arguments, range: readonly number[]): void {
  carry(flow, flow, nextFlow, 2, 0.999, range);
}

/** Kernel `carry_ink`. */
export function carry_ink({ flow, ink, nextInk, fade }: Arguments, range: readonly number[]): void {
  carry(flow, ink, nextInk, 4, fade, range);
}

/** Kernel `diverge`. */
export function diverge({ flow, sources }: Arguments, [width = 1, height = 1]: readonly number[]): void {
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) {
      const row = y * width;
      const right = flow[2 * (row + Math.min(x + 1, width - 1))] ?? 0;
      const left = flow[2 * (row + Math.max(x - 1, 0))] ?? 0;
      const below = flow[2 * (Math.min(y + 1, height - 1) * width + x) + 1] ?? 0;
      const above = flow[2 * (Math.max(y - 1, 0) * width + x) + 1] ?? 0;
      sources[row + x] = 0.5 * (right - left + below - above);
    }
}

/** Kernel `relax`. */
export function relax(
  { sources, pressure, nextPressure }: Arguments,
  [width = 1, height = 1]: readonly number[],
): void {
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) {
      const row = y * width;
      const across = (pressure[row + Math.min(x + 1, width - 1)] ?? 0) + (pressure[row + Math.max(x - 1, 0)] ?? 0);
      const below = pressure[Math.min(y + 1, height - 1) * width + x] ?? 0;
      const above = pressure[Math.max(y - 1, 0) * width + x] ?? 0;
      nextPressure[row + x] = 0.25 * (across + below + above - (sources[row + x] ?? 0));
    }
}

/** Kernel `project`. */
export function project({ flow, pressure }: Arguments, [width = 1, height = 1]: readonly number[]): void {
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) {
      const i = y * width + x;
      if (x === 0 || y === 0 || x === width - 1 || y === height - 1) {
        flow.fill(0, 2 * i, 2 * i + 2);
        continue;
      }
      flow[2 * i] = (flow[2 * i] ?? 0) - 0.5 * ((pressure[i + 1] ?? 0) - (pressure[i - 1] ?? 0));
      flow[2 * i + 1] = (flow[2 * i + 1] ?? 0) - 0.5 * ((pressure[i + width] ?? 0) - (pressure[i - width] ?? 0));
    }
}

/** Kernel `draw`. */
export function draw({ ink, picture }: Arguments, [width = 1, height = 1]: readonly number[]): void {
  const ground = [0.02, 0.03, 0.06];
  for (let i = 0; i < 4 * width * height; i++)
    picture[i] = i % 4 === 3 ? 255 : Math.min(255, 255 * ((ground[i % 4] ?? 0) + 1 - Math.exp(-1.6 * (ink[i] ?? 0))));
}
