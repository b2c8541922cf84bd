// SPDX-License-Identifier: Apache-2.0
// The gallery, in the order in which it is shown.
import type { Entry } from "../model/setup.ts";
import { BILATERAL } from "./bilateral/entry.ts";
import { BOIDS } from "./boids/entry.ts";
import { DICE } from "./dice/entry.ts";
import { EDGES } from "./edges/entry.ts";
import { FFT } from "./fft/entry.ts";
import { FILTERS } from "./filters/entry.ts";
import { FLAME } from "./flame/entry.ts";
import { FLUID } from "./fluid/entry.ts";
import { JULIA } from "./julia/entry.ts";
import { LIFE } from "./life/entry.ts";
import { MANDELBROT } from "./mandelbrot/entry.ts";
import { N_BODY } from "./n-body/entry.ts";
import { PATH_TRACER } from "./path-tracer/entry.ts";
import { RAY_MARCHER } from "./ray-marcher/entry.ts";
import { REACTION_DIFFUSION } from "./reaction-diffusion/entry.ts";
import { SAXPY } from "./saxpy/entry.ts";
import { SORT_RACE } from "./sort-race/entry.ts";
import { VORONOI } from "./voronoi/entry.ts";
import { WAVE } from "./wave/entry.ts";

/** See the file's head. */
export const ENTRIES: readonly Entry[] = [
  MANDELBROT,
  N_BODY,
  FLUID,
  RAY_MARCHER,
  PATH_TRACER,
  REACTION_DIFFUSION,
  FLAME,
  BOIDS,
  SORT_RACE,
  FFT,
  FILTERS,
  VORONOI,
  LIFE,
  WAVE,
  JULIA,
  EDGES,
  BILATERAL,
  DICE,
  SAXPY,
];
