// SPDX-License-Identifier: Apache-2.0
// The gallery, in the order in which it is shown.
import type { Entry } from "../model/setup.ts";
import { BILATERAL } from "./bilateral/entry.ts";
import { DICE } from "./dice/entry.ts";
import { EDGES } from "./edges/entry.ts";
import { JULIA } from "./julia/entry.ts";
import { LIFE } from "./life/entry.ts";
import { MANDELBROT } from "./mandelbrot/entry.ts";
import { PATH_TRACER } from "./path-tracer/entry.ts";
import { REACTION_DIFFUSION } from "./reaction-diffusion/entry.ts";
import { VORONOI } from "./voronoi/entry.ts";
import { WAVE } from "./wave/entry.ts";

/** See the file's head. */
export const ENTRIES: readonly Entry[] = [
  MANDELBROT,
  REACTION_DIFFUSION,
  JULIA,
  WAVE,
  PATH_TRACER,
  VORONOI,
  LIFE,
  EDGES,
  BILATERAL,
  DICE,
];
