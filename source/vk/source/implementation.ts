// SPDX-License-Identifier: Apache-2.0
// Every entry point without its validation.
import { BUFFERS } from "./buffer.ts";
import { CALIBRATION } from "./calibration.ts";
import { COMMAND_POOLS } from "./command-pool.ts";
import { COMMANDS } from "./commands.ts";
import { DEBUGGING } from "./debug-utils.ts";
import { LAYOUTS } from "./descriptor-layout.ts";
import { DESCRIPTORS } from "./descriptor-set.ts";
import { DEVICES } from "./device.ts";
import { EVENT_COMMANDS } from "./event-commands.ts";
import type { Vulkan } from "./generated/vulkan.ts";
import { FORMATS } from "./format-properties.ts";
import { IMAGE_COMMANDS } from "./image-commands.ts";
import { VIEWS } from "./image-view.ts";
import { IMAGES } from "./image.ts";
import { INSTANCES } from "./instance.ts";
import { LAYOUT_SUPPORT } from "./layout-support.ts";
import { MEMORY } from "./memory.ts";
import { PHYSICAL_DEVICES } from "./physical-device.ts";
import { PIPELINE_CACHES } from "./pipeline-cache.ts";
import { PIPELINES } from "./pipeline.ts";
import { PRIVATE_DATA } from "./private-data.ts";
import { QUERIES } from "./query-pool.ts";
import { SAMPLERS } from "./sampler.ts";
import { SUBMISSIONS } from "./submit.ts";
import { SYNCHRONISATION } from "./synchronisation.ts";

/** By name. */
export const IMPLEMENTATION: Vulkan = {
  ...INSTANCES,
  ...PHYSICAL_DEVICES,
  ...DEVICES,
  ...SUBMISSIONS,
  ...MEMORY,
  ...BUFFERS,
  ...FORMATS,
  ...IMAGES,
  ...VIEWS,
  ...SAMPLERS,
  ...PIPELINES,
  ...PIPELINE_CACHES,
  ...LAYOUTS,
  ...LAYOUT_SUPPORT,
  ...DESCRIPTORS,
  ...COMMAND_POOLS,
  ...COMMANDS,
  ...IMAGE_COMMANDS,
  ...EVENT_COMMANDS,
  ...SYNCHRONISATION,
  ...PRIVATE_DATA,
  ...QUERIES,
  ...CALIBRATION,
  ...DEBUGGING,
};
