// SPDX-License-Identifier: Apache-2.0
// The errors of calls that make memory objects with properties, of the images of earlier versions, and of a device
// whose memory is full or that has no compiler.
import { compilers } from "@muxkit/host-compiler/native";
import {
  type Buffer,
  CL_MEM_COPY_HOST_PTR,
  CL_MEM_READ_ONLY,
  CL_MEM_READ_WRITE,
  CL_MEM_WRITE_ONLY,
  type ContextProperties,
  type ErrorName,
  type Image,
  type ImageFormat,
  OpenCLError,
  type Platform,
  clCompileProgram,
  clCreateBuffer,
  clCreateBufferWithProperties,
  clCreateContext,
  clCreateImage,
  clCreateImage2D,
  clCreateImage3D,
  clCreateImageWithProperties,
  clCreatePipe,
  clCreateProgramWithSource,
  clEnqueueCopyBuffer,
  clEnqueueCopyBufferToImage,
  clEnqueueCopyImage,
  clLinkProgram,
  clReleaseMemObject,
  setCompilers,
} from "@muxkit/opencl";
import { test } from "vitest";

import { SOURCE, context, device, errorOf, expectError, int, ints, newQueue } from "./rig.ts";

const NOTHING = {};
const queue = newQueue();
const GOOD: ImageFormat = { channelOrder: "CL_RGBA", channelType: "CL_UNORM_INT8" };
const UNKNOWN: ImageFormat = { channelOrder: "CL_RGBQ" as "CL_RGBA", channelType: "CL_FLOAT" };
const ABSENT: ImageFormat = { channelOrder: "CL_RGB", channelType: "CL_FLOAT" };
const BOTH = CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY;

function image(): Image {
  return clCreateImage(context, CL_MEM_READ_WRITE, GOOD, { type: "CL_MEM_OBJECT_IMAGE2D", width: 4, height: 4 });
}

/** Runs with all of the device's memory taken. */
function withFullMemory(run: () => unknown): void {
  const taken: Buffer[] = [];
  try {
    for (let size = device.info.allocationSize; size >= 65_536;) {
      try {
        taken.push(clCreateBuffer(context, CL_MEM_READ_WRITE, size));
      } catch (error) {
        if (!(error instanceof OpenCLError)) throw error;
        size = Math.floor(size / 2);
      }
    }
    run();
  } finally {
    for (const buffer of taken) clReleaseMemObject(buffer);
  }
}

/** Runs on a platform without a compiler. */
function withoutCompiler(run: () => unknown): void {
  setCompilers({ compilers: [] });
  try {
    run();
  } finally {
    setCompilers({ compilers });
  }
}

function compiled(): ReturnType<typeof clCreateProgramWithSource> {
  const program = clCreateProgramWithSource(context, [SOURCE]);
  clCompileProgram(program);
  return program;
}

const withProperties = (flags: number, format: ImageFormat, width: number, array: Uint8Array | null = null): Image =>
  clCreateImageWithProperties(
    context,
    null,
    flags,
    format,
    { type: "CL_MEM_OBJECT_IMAGE2D", width, height: 1024 },
    array,
  );

const ROWS: readonly (readonly [call: string, error: ErrorName, reason: string, run: () => unknown])[] = [
  [
    "clCreateContext",
    "CL_INVALID_PLATFORM",
    "a platform that is none",
    () => clCreateContext([device], null, { CL_CONTEXT_PLATFORM: NOTHING as Platform }),
  ],
  [
    "clCreateContext",
    "CL_INVALID_PROPERTY",
    "a property that there is not",
    () => clCreateContext([device], null, { CL_CONTEXT_COLOUR: 1 } as ContextProperties),
  ],
  [
    "clCreateBuffer",
    "CL_MEM_OBJECT_ALLOCATION_FAILURE",
    "memory that is taken",
    () => {
      withFullMemory(() => clCreateBuffer(context, CL_MEM_READ_WRITE, 2 ** 20));
    },
  ],
  [
    "clCreateBufferWithProperties",
    "CL_INVALID_VALUE",
    "two kinds of access",
    () => clCreateBufferWithProperties(context, null, BOTH, 4),
  ],
  [
    "clCreateBufferWithProperties",
    "CL_INVALID_HOST_PTR",
    "a missing array",
    () => clCreateBufferWithProperties(context, null, CL_MEM_COPY_HOST_PTR, 4),
  ],
  [
    "clCreateBufferWithProperties",
    "CL_MEM_OBJECT_ALLOCATION_FAILURE",
    "memory that is taken",
    () => {
      withFullMemory(() => clCreateBufferWithProperties(context, null, CL_MEM_READ_WRITE, 2 ** 20));
    },
  ],
  [
    "clCreateImage",
    "CL_MEM_OBJECT_ALLOCATION_FAILURE",
    "memory that is taken",
    () => {
      withFullMemory(() =>
        clCreateImage(context, CL_MEM_READ_WRITE, GOOD, { type: "CL_MEM_OBJECT_IMAGE2D", width: 1024, height: 1024 }),
      );
    },
  ],
  ["clCreateImageWithProperties", "CL_INVALID_VALUE", "two kinds of access", () => withProperties(BOTH, GOOD, 4)],
  [
    "clCreateImageWithProperties",
    "CL_INVALID_IMAGE_FORMAT_DESCRIPTOR",
    "an order of channels that there is not",
    () => withProperties(CL_MEM_READ_WRITE, UNKNOWN, 4),
  ],
  [
    "clCreateImageWithProperties",
    "CL_IMAGE_FORMAT_NOT_SUPPORTED",
    "channels that do not go with their type",
    () => withProperties(CL_MEM_READ_WRITE, ABSENT, 4),
  ],
  [
    "clCreateImageWithProperties",
    "CL_INVALID_IMAGE_SIZE",
    "more pixels than the device has",
    () => withProperties(CL_MEM_READ_WRITE, GOOD, 2 ** 24),
  ],
  [
    "clCreateImageWithProperties",
    "CL_INVALID_HOST_PTR",
    "a missing array",
    () => withProperties(CL_MEM_COPY_HOST_PTR, GOOD, 4),
  ],
  [
    "clCreateImageWithProperties",
    "CL_MEM_OBJECT_ALLOCATION_FAILURE",
    "memory that is taken",
    () => {
      withFullMemory(() => withProperties(CL_MEM_READ_WRITE, GOOD, 1024));
    },
  ],
  ["clCreateImage2D", "CL_INVALID_VALUE", "two kinds of access", () => clCreateImage2D(context, BOTH, GOOD, 4, 4)],
  [
    "clCreateImage2D",
    "CL_INVALID_IMAGE_FORMAT_DESCRIPTOR",
    "an order of channels that there is not",
    () => clCreateImage2D(context, CL_MEM_READ_WRITE, UNKNOWN, 4, 4),
  ],
  [
    "clCreateImage2D",
    "CL_IMAGE_FORMAT_NOT_SUPPORTED",
    "channels that do not go with their type",
    () => clCreateImage2D(context, CL_MEM_READ_WRITE, ABSENT, 4, 4),
  ],
  [
    "clCreateImage2D",
    "CL_MEM_OBJECT_ALLOCATION_FAILURE",
    "memory that is taken",
    () => {
      withFullMemory(() => clCreateImage2D(context, CL_MEM_READ_WRITE, GOOD, 1024, 1024));
    },
  ],
  ["clCreateImage3D", "CL_INVALID_VALUE", "two kinds of access", () => clCreateImage3D(context, BOTH, GOOD, 4, 4, 4)],
  [
    "clCreateImage3D",
    "CL_INVALID_IMAGE_FORMAT_DESCRIPTOR",
    "an order of channels that there is not",
    () => clCreateImage3D(context, CL_MEM_READ_WRITE, UNKNOWN, 4, 4, 4),
  ],
  [
    "clCreateImage3D",
    "CL_IMAGE_FORMAT_NOT_SUPPORTED",
    "channels that do not go with their type",
    () => clCreateImage3D(context, CL_MEM_READ_WRITE, ABSENT, 4, 4, 4),
  ],
  [
    "clCreateImage3D",
    "CL_MEM_OBJECT_ALLOCATION_FAILURE",
    "memory that is taken",
    () => {
      withFullMemory(() => clCreateImage3D(context, CL_MEM_READ_WRITE, GOOD, 128, 128, 128));
    },
  ],
  [
    "clCreatePipe",
    "CL_MEM_OBJECT_ALLOCATION_FAILURE",
    "memory that is taken",
    () => {
      withFullMemory(() => clCreatePipe(context, 0, 1024, 1024));
    },
  ],
  [
    "clEnqueueCopyBuffer",
    "CL_INVALID_VALUE",
    "bytes outside of the source",
    () => clEnqueueCopyBuffer(queue, ints(1), ints(1, 2), 0, 0, 8),
  ],
  [
    "clEnqueueCopyBuffer",
    "CL_INVALID_VALUE",
    "bytes outside of the target",
    () => clEnqueueCopyBuffer(queue, ints(1, 2), ints(1), 0, 0, 8),
  ],
  ["clEnqueueCopyBuffer", "CL_INVALID_VALUE", "no bytes", () => clEnqueueCopyBuffer(queue, ints(1), ints(1), 0, 0, 0)],
  [
    "clEnqueueCopyImage",
    "CL_INVALID_VALUE",
    "pixels outside of the source",
    () => clEnqueueCopyImage(queue, image(), image(), [3, 0, 0], [0, 0, 0], [2, 1, 1]),
  ],
  [
    "clEnqueueCopyImage",
    "CL_INVALID_VALUE",
    "pixels outside of the target",
    () => clEnqueueCopyImage(queue, image(), image(), [0, 0, 0], [0, 3, 0], [1, 2, 1]),
  ],
  [
    "clEnqueueCopyBufferToImage",
    "CL_INVALID_VALUE",
    "bytes outside of the source",
    () => clEnqueueCopyBufferToImage(queue, ints(1), image(), 0, [0, 0, 0], [2, 1, 1]),
  ],
  [
    "clEnqueueCopyBufferToImage",
    "CL_INVALID_VALUE",
    "pixels outside of the target",
    () => clEnqueueCopyBufferToImage(queue, ints(1), image(), 0, [4, 0, 0], [1, 1, 1]),
  ],
  [
    "clCompileProgram",
    "CL_COMPILER_NOT_AVAILABLE",
    "a platform without a compiler",
    () => {
      withoutCompiler(() => {
        clCompileProgram(clCreateProgramWithSource(context, [SOURCE]));
      });
    },
  ],
  [
    "clLinkProgram",
    "CL_LINKER_NOT_AVAILABLE",
    "a platform without a compiler",
    () => {
      const object = compiled();
      withoutCompiler(() => clLinkProgram(context, null, "", [object]));
    },
  ],
];

test.each(ROWS)("%s: %s for %s", (_call, error, _reason, run) => {
  expectError(run, error, /\w/u);
});

test("memory that was full is there again for others", () => {
  const error = errorOf(() => {
    withFullMemory(() => clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, 2 ** 20, new Uint8Array(2 ** 20)));
  });
  expectError(
    () => {
      throw error;
    },
    "CL_MEM_OBJECT_ALLOCATION_FAILURE",
    /clCreateBuffer/u,
  );
  clReleaseMemObject(clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, 4, int(1)));
});
