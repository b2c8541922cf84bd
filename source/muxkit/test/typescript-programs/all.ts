// SPDX-License-Identifier: Apache-2.0
// Runs the programs beside it, and writes what they make as JSON.
import { Queue } from "muxkit/sycl";

import * as bitonic from "./bitonic.ts";
import * as constants from "./constants.ts";
import * as images from "./images.ts";
import * as life from "./life.ts";
import * as queens from "./queens.ts";
import * as rays from "./rays.ts";
import * as reductions from "./reductions.ts";
import * as values from "./values.ts";

using queue = new Queue();
const programs = { bitonic, constants, images, life, queens, rays, reductions, values };
console.log(JSON.stringify(Object.fromEntries(Object.entries(programs).map(([name, { run }]) => [name, run(queue)]))));
