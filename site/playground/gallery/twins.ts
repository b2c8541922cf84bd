// SPDX-License-Identifier: Apache-2.0
// The kernels of the gallery in plain TypeScript, each entry's loaded when it is compared.
import type { Twin } from "../engine/twin-backend.ts";

/** Loads the functions of an entry, by its name. */
export const TWINS: Readonly<Record<string, () => Promise<Twin>>> = {
  bilateral: () => import("./bilateral/twin.ts"),
  boids: () => import("./boids/twin.ts"),
  dice: () => import("./dice/twin.ts"),
  edges: () => import("./edges/twin.ts"),
  fft: () => import("./fft/twin.ts"),
  filters: () => import("./filters/twin.ts"),
  flame: () => import("./flame/twin.ts"),
  fluid: () => import("./fluid/twin.ts"),
  julia: () => import("./julia/twin.ts"),
  life: () => import("./life/twin.ts"),
  mandelbrot: () => import("./mandelbrot/twin.ts"),
  "n-body": () => import("./n-body/twin.ts"),
  "path-tracer": () => import("./path-tracer/twin.ts"),
  "ray-marcher": () => import("./ray-marcher/twin.ts"),
  "reaction-diffusion": () => import("./reaction-diffusion/twin.ts"),
  saxpy: () => import("./saxpy/twin.ts"),
  "sort-race": () => import("./sort-race/twin.ts"),
  voronoi: () => import("./voronoi/twin.ts"),
  wave: () => import("./wave/twin.ts"),
};
