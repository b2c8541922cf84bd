// SPDX-License-Identifier: Apache-2.0
// A buffer as a plot or a histogram, drawn on a canvas in the page's colours.
import type { ReadBuffer } from "../engine/protocol.ts";
import { extent } from "./colour-map.ts";

const WIDTH = 720;
const HEIGHT = 420;
const LEFT = 62;
const BOTTOM = 34;
const TOP = 14;
const RIGHT = 14;
const BINS = 64;
const LINES = ["--mk-accent", "--mk-keyword", "--mk-type", "--mk-number"];

interface Frame {
  readonly context: CanvasRenderingContext2D;
  readonly color: (name: string) => string;
  readonly x: (value: number) => number;
  readonly y: (value: number) => number;
}

/** A number that is short enough for an axis. */
function label(value: number): string {
  return Math.abs(value) >= 1e5 || (value !== 0 && Math.abs(value) < 1e-3)
    ? value.toExponential(1)
    : String(Number(value.toPrecision(4)));
}

/** Places of lines of a grid: steps of 1, 2 or 5 times a power of ten. */
function ticks(low: number, high: number, count: number): readonly number[] {
  const raw = (high - low) / count;
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = power * ([1, 2, 5, 10].find((factor) => factor * power >= raw) ?? 10);
  const list: number[] = [];
  for (let at = Math.ceil(low / step) * step; at <= high + step / 1e6; at += step) list.push(at);
  return list;
}

/** An empty chart with axes. */
function frame(
  canvas: HTMLCanvasElement,
  [lowX, highX]: readonly [number, number],
  [lowY, highY]: readonly [number, number],
): Frame | null {
  const density = 2;
  canvas.width = WIDTH * density;
  canvas.height = HEIGHT * density;
  const context = canvas.getContext("2d");
  if (context === null) return null;
  context.scale(density, density);
  const style = getComputedStyle(canvas);
  const color = (name: string): string => style.getPropertyValue(name).trim() || "#888";
  const x = (value: number): number => LEFT + ((value - lowX) / (highX - lowX || 1)) * (WIDTH - LEFT - RIGHT);
  const y = (value: number): number =>
    HEIGHT - BOTTOM - ((value - lowY) / (highY - lowY || 1)) * (HEIGHT - BOTTOM - TOP);
  context.fillStyle = color("--mk-raised");
  context.fillRect(0, 0, WIDTH, HEIGHT);
  context.font = "12px system-ui, sans-serif";
  context.strokeStyle = color("--mk-border");
  context.fillStyle = color("--mk-soft");
  context.lineWidth = 1;
  context.textAlign = "right";
  context.textBaseline = "middle";
  for (const at of ticks(lowY, highY, 6)) {
    context.beginPath();
    context.moveTo(LEFT, y(at));
    context.lineTo(WIDTH - RIGHT, y(at));
    context.stroke();
    context.fillText(label(at), LEFT - 8, y(at));
  }
  context.textAlign = "center";
  context.textBaseline = "top";
  for (const at of ticks(lowX, highX, 8)) context.fillText(label(at), x(at), HEIGHT - BOTTOM + 10);
  return { context, color, x, y };
}

/** Elements over their index: a line for each lane, each pixel from its least to its greatest. */
export function drawPlot(canvas: HTMLCanvasElement, { elements, lanes, stride }: ReadBuffer): void {
  const count = Math.floor(elements.length / stride);
  const [low, high] = extent(elements, 1);
  const margin = (high - low || 1) * 0.05;
  const made = frame(canvas, [0, Math.max(1, count - 1)], [low - margin, high + margin]);
  if (made === null) return;
  const { context, color, x, y } = made;
  const group = Math.max(1, Math.floor(count / (WIDTH - LEFT)));
  for (let lane = 0; lane < Math.min(lanes, LINES.length); lane++) {
    context.strokeStyle = color(LINES[lane] ?? "");
    context.lineWidth = 1.6;
    context.lineJoin = "round";
    context.beginPath();
    for (let begin = 0; begin < count; begin += group) {
      let least = Infinity;
      let most = -Infinity;
      for (let i = begin; i < Math.min(count, begin + group); i++) {
        const value = elements[i * stride + lane] ?? 0;
        least = Math.min(least, value);
        most = Math.max(most, value);
      }
      context.lineTo(x(begin), y(least));
      if (most > least) context.lineTo(x(begin), y(most));
    }
    context.stroke();
  }
}

/** How often values occur. */
export function drawHistogram(canvas: HTMLCanvasElement, { elements, stride }: ReadBuffer): void {
  const [low, high] = extent(elements, stride);
  const isWhole = !(elements instanceof Float32Array || elements instanceof Float64Array);
  const bins = isWhole ? Math.min(256, Math.max(1, high - low + 1)) : BINS;
  const width = (isWhole ? high - low + 1 : high - low) / bins || 1;
  const counts = new Float64Array(bins);
  for (let i = 0; i < elements.length; i += stride) {
    const bin = Math.min(bins - 1, Math.floor(((elements[i] ?? 0) - low) / width));
    if (bin >= 0) counts[bin] = (counts[bin] ?? 0) + 1;
  }
  const made = frame(canvas, [low, low + width * bins], [0, Math.max(...counts) * 1.05 || 1]);
  if (made === null) return;
  const { context, color, x, y } = made;
  context.fillStyle = color("--mk-accent");
  for (const [bin, count] of counts.entries()) {
    const left = x(low + bin * width);
    const gap = Math.min(2, (x(low + width) - x(low)) * 0.15);
    context.fillRect(left + gap / 2, y(count), x(low + (bin + 1) * width) - left - gap, y(0) - y(count));
  }
}
