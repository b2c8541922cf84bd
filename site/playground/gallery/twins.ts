// SPDX-License-Identifier: Apache-2.0
// The kernels of the gallery in plain TypeScript, by entry and kernel.
import type { Twin } from "../engine/twin-backend.ts";
import * as bilateral from "./bilateral/twin.ts";
import * as dice from "./dice/twin.ts";
import * as edges from "./edges/twin.ts";
import * as julia from "./julia/twin.ts";
import * as life from "./life/twin.ts";
import * as mandelbrot from "./mandelbrot/twin.ts";
import * as pathTracer from "./path-tracer/twin.ts";
import * as reactionDiffusion from "./reaction-diffusion/twin.ts";
import * as wave from "./wave/twin.ts";

/** See the file's head. */
export const TWINS: Readonly<Record<string, Twin>> = {
  bilateral,
  dice,
  edges,
  julia,
  life,
  mandelbrot,
  "path-tracer": pathTracer,
  "reaction-diffusion": reactionDiffusion,
  wave,
};
