// SPDX-License-Identifier: Apache-2.0
// The errors that the specification lists for the calls that make devices, contexts, queues, buffers, images, pipes and
// samplers: one row each.
import {
  CL_MEM_COPY_HOST_PTR,
  CL_MEM_HOST_NO_ACCESS,
  CL_MEM_HOST_READ_ONLY,
  CL_MEM_HOST_WRITE_ONLY,
  CL_MEM_READ_ONLY,
  CL_MEM_READ_WRITE,
  CL_MEM_USE_HOST_PTR,
  CL_MEM_WRITE_ONLY,
  type ImageObjectType,
  clCreateBuffer,
  clCreateCommandQueue,
  clCreateContext,
  clCreateImage,
  clCreateImage3D,
  clCreatePipe,
  clCreateSampler,
  clCreateSubBuffer,
  clGetDeviceIDs,
  clGetSupportedImageFormats,
} from "@muxkit/opencl";
import { test } from "vitest";

import { type CallErrorRow, RGBA8, WIDE, image, describe2d, text, rowOf } from "./call-errors-rig.ts";
import { context, device, expectError, int, ints } from "./rig.ts";

const ROWS: readonly CallErrorRow[] = [
  ["clGetDeviceIDs", "CL_INVALID_DEVICE_TYPE", "half a type", () => clGetDeviceIDs(device.platform, 0.5)],
  ["clCreateContext", "CL_INVALID_VALUE", "no devices", () => clCreateContext([])],
  ["clCreateCommandQueue", "CL_INVALID_VALUE", "unknown properties", () => clCreateCommandQueue(context, device, 128)],
  [
    "clCreateBuffer",
    "CL_INVALID_VALUE",
    "two kinds of access",
    () => clCreateBuffer(context, CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY, 4),
  ],
  [
    "clCreateBuffer",
    "CL_INVALID_VALUE",
    "two kinds of access of the host",
    () => clCreateBuffer(context, CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS, 4),
  ],
  [
    "clCreateBuffer",
    "CL_INVALID_VALUE",
    "an array that is used and copied",
    () => clCreateBuffer(context, CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR, 4, int(1)),
  ],
  ["clCreateBuffer", "CL_INVALID_VALUE", "unknown flags", () => clCreateBuffer(context, 2 ** 20, 4)],
  ["clCreateBuffer", "CL_INVALID_BUFFER_SIZE", "no bytes", () => clCreateBuffer(context, CL_MEM_READ_WRITE, 0)],
  [
    "clCreateBuffer",
    "CL_INVALID_BUFFER_SIZE",
    "more bytes than the device has",
    () => clCreateBuffer(context, CL_MEM_READ_WRITE, 2 ** 50),
  ],
  ["clCreateBuffer", "CL_INVALID_HOST_PTR", "a missing array", () => clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, 4)],
  [
    "clCreateBuffer",
    "CL_INVALID_HOST_PTR",
    "an array that no flag requires",
    () => clCreateBuffer(context, CL_MEM_READ_WRITE, 4, int(1)),
  ],
  [
    "clCreateBuffer",
    "CL_INVALID_HOST_PTR",
    "an array that is too small",
    () => clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, 8, int(1)),
  ],
  [
    "clCreateSubBuffer",
    "CL_INVALID_VALUE",
    "more access than the whole",
    () => clCreateSubBuffer(clCreateBuffer(context, CL_MEM_READ_ONLY, 256), CL_MEM_WRITE_ONLY, { origin: 0, size: 4 }),
  ],
  [
    "clCreateSubBuffer",
    "CL_INVALID_VALUE",
    "reads of the host where the whole has writes only",
    () =>
      clCreateSubBuffer(clCreateBuffer(context, CL_MEM_HOST_WRITE_ONLY, 256), CL_MEM_HOST_READ_ONLY, {
        origin: 0,
        size: 4,
      }),
  ],
  [
    "clCreateSubBuffer",
    "CL_INVALID_VALUE",
    "writes of the host where the whole has nothing",
    () =>
      clCreateSubBuffer(clCreateBuffer(context, CL_MEM_HOST_NO_ACCESS, 256), CL_MEM_HOST_WRITE_ONLY, {
        origin: 0,
        size: 4,
      }),
  ],
  [
    "clCreateSubBuffer",
    "CL_INVALID_VALUE",
    "flags of arrays",
    () => clCreateSubBuffer(ints(1), CL_MEM_COPY_HOST_PTR, { origin: 0, size: 4 }),
  ],
  [
    "clCreateSubBuffer",
    "CL_INVALID_VALUE",
    "bytes outside of the whole",
    () => clCreateSubBuffer(ints(1), 0, { origin: 0, size: 8 }),
  ],
  [
    "clCreateSubBuffer",
    "CL_INVALID_BUFFER_SIZE",
    "no bytes",
    () => clCreateSubBuffer(ints(1), 0, { origin: 0, size: 0 }),
  ],
  [
    "clCreateSubBuffer",
    "CL_MISALIGNED_SUB_BUFFER_OFFSET",
    "an odd address",
    () => clCreateSubBuffer(clCreateBuffer(context, 1, 256), 0, { origin: 64, size: 4 }),
  ],
  [
    "clCreateImage",
    "CL_INVALID_VALUE",
    "flags that cannot be combined",
    () => image(4, context, CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY),
  ],
  [
    "clCreateImage",
    "CL_INVALID_VALUE",
    "more access than the buffer whose bytes it shows",
    () => clCreateImage(context, CL_MEM_READ_WRITE, RGBA8, rowOf(CL_MEM_WRITE_ONLY)),
  ],
  [
    "clCreateImage",
    "CL_INVALID_VALUE",
    "reads of the host where the buffer has writes only",
    () => clCreateImage(context, CL_MEM_HOST_READ_ONLY, RGBA8, rowOf(CL_MEM_HOST_WRITE_ONLY)),
  ],
  [
    "clCreateImage",
    "CL_INVALID_VALUE",
    "an array in addition to a buffer",
    () => clCreateImage(context, CL_MEM_COPY_HOST_PTR, RGBA8, rowOf(0), new Uint8Array(64)),
  ],
  [
    "clCreateImage",
    "CL_INVALID_VALUE",
    "an array to use in addition to a buffer",
    () => clCreateImage(context, CL_MEM_USE_HOST_PTR, RGBA8, rowOf(0), new Uint8Array(64)),
  ],
  [
    "clCreateImage",
    "CL_INVALID_IMAGE_FORMAT_DESCRIPTOR",
    "a pitch in a buffer that is no number of pixels",
    () =>
      clCreateImage(context, 0, RGBA8, {
        type: "CL_MEM_OBJECT_IMAGE2D",
        width: 4,
        height: 4,
        rowPitch: 18,
        buffer: clCreateBuffer(context, 0, 256),
      }),
  ],
  ["clCreateImage3D", "CL_INVALID_IMAGE_SIZE", "one slice", () => clCreateImage3D(context, 0, RGBA8, 4, 4, 1)],
  [
    "clCreateImage",
    "CL_INVALID_IMAGE_FORMAT_DESCRIPTOR",
    "an order of channels that there is not",
    () => image(4, context, 1, { channelOrder: "CL_RGBQ" as "CL_RGBA", channelType: "CL_FLOAT" }),
  ],
  [
    "clCreateImage",
    "CL_IMAGE_FORMAT_NOT_SUPPORTED",
    "channels that do not go with their type",
    () => image(4, context, 1, { channelOrder: "CL_RGB", channelType: "CL_FLOAT" }),
  ],
  [
    "clCreateImage",
    "CL_INVALID_IMAGE_DESCRIPTOR",
    "a type that there is not",
    () => clCreateImage(context, 1, RGBA8, { type: "CL_MEM_OBJECT_IMAGE4D" as ImageObjectType, width: 4 }),
  ],
  [
    "clCreateImage",
    "CL_INVALID_IMAGE_DESCRIPTOR",
    "no rows",
    () => clCreateImage(context, 1, RGBA8, describe2d({ height: 0 })),
  ],
  [
    "clCreateImage",
    "CL_INVALID_IMAGE_DESCRIPTOR",
    "a pitch without an array",
    () => clCreateImage(context, 1, RGBA8, describe2d({ rowPitch: 32 })),
  ],
  [
    "clCreateImage",
    "CL_INVALID_IMAGE_DESCRIPTOR",
    "a pitch that is no number of pixels",
    () => clCreateImage(context, CL_MEM_COPY_HOST_PTR, RGBA8, describe2d({ rowPitch: 17 }), new Uint8Array(128)),
  ],
  [
    "clCreateImage",
    "CL_INVALID_IMAGE_DESCRIPTOR",
    "a buffer image without a buffer",
    () => clCreateImage(context, 1, RGBA8, { type: "CL_MEM_OBJECT_IMAGE1D_BUFFER", width: 4 }),
  ],
  [
    "clCreateImage",
    "CL_INVALID_IMAGE_DESCRIPTOR",
    "a solid image of a buffer",
    () =>
      clCreateImage(context, 1, RGBA8, {
        type: "CL_MEM_OBJECT_IMAGE3D",
        width: 4,
        height: 4,
        depth: 4,
        buffer: ints(1),
      }),
  ],
  ["clCreateImage", "CL_INVALID_IMAGE_SIZE", "more pixels than the device has", () => image(WIDE)],
  [
    "clCreateImage",
    "CL_INVALID_IMAGE_SIZE",
    "a buffer that is too small",
    () => clCreateImage(context, 1, RGBA8, { type: "CL_MEM_OBJECT_IMAGE1D_BUFFER", width: 4, buffer: ints(1) }),
  ],
  ["clCreateImage", "CL_INVALID_HOST_PTR", "a missing array", () => image(4, context, CL_MEM_COPY_HOST_PTR)],
  [
    "clCreateImage",
    "CL_INVALID_HOST_PTR",
    "an array that is too small",
    () => clCreateImage(context, CL_MEM_COPY_HOST_PTR, RGBA8, describe2d({}), new Uint8Array(63)),
  ],
  [
    "clGetSupportedImageFormats",
    "CL_INVALID_VALUE",
    "a type that there is not",
    () => clGetSupportedImageFormats(context, 1, "CL_MEM_OBJECT_BUFFER" as ImageObjectType),
  ],
  [
    "clGetSupportedImageFormats",
    "CL_INVALID_VALUE",
    "flags that cannot be combined",
    () => clGetSupportedImageFormats(context, CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY, "CL_MEM_OBJECT_IMAGE2D"),
  ],
  ["clCreatePipe", "CL_INVALID_VALUE", "flags of buffers", () => clCreatePipe(context, CL_MEM_READ_ONLY, 4, 4)],
  ["clCreatePipe", "CL_INVALID_PIPE_SIZE", "packets of no bytes", () => clCreatePipe(context, 0, 0, 4)],
  ["clCreatePipe", "CL_INVALID_PIPE_SIZE", "no packets", () => clCreatePipe(context, 0, 4, 0)],
  ["clCreatePipe", "CL_INVALID_PIPE_SIZE", "packets that are too large", () => clCreatePipe(context, 0, 2 ** 20, 4)],
  [
    "clCreateSampler",
    "CL_INVALID_VALUE",
    "repetition of pixels that are counted",
    () => clCreateSampler(context, false, "CL_ADDRESS_REPEAT", "CL_FILTER_NEAREST"),
  ],
  [
    "clCreateSampler",
    "CL_INVALID_VALUE",
    "a mode that there is not",
    () => clCreateSampler(context, true, "CL_ADDRESS_SOMEWHERE" as "CL_ADDRESS_NONE", "CL_FILTER_NEAREST"),
  ],
];

test.each(ROWS)("%s: %s for %s", (call, error, _reason, run) => {
  expectError(run, error, new RegExp(text(`^${call}: `), "u"));
});
