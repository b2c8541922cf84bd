// SPDX-License-Identifier: Apache-2.0
// Every order of channels with every type of channels and every type of image: what clGetSupportedImageFormats lists is
// made, and nothing else.
import {
  CL_MEM_READ_WRITE,
  type ImageDescription,
  type ImageFormat,
  type ImageObjectType,
  clCreateBuffer,
  clCreateImage,
  clGetImageInfo,
  clGetSupportedImageFormats,
  clReleaseMemObject,
} from "@muxkit/opencl";
import { expect, test } from "vitest";

import { readSchema } from "../tools/schema.ts";
import { context, errorOf } from "./rig.ts";

const schema = readSchema();
const namesOf = (group: string): readonly string[] =>
  schema.group.find(({ name }) => name === group)?.constant.map(({ name }) => name) ?? [];
const ORDERS = namesOf("cl_channel_order");
const CHANNEL_TYPES = namesOf("cl_channel_type");

const buffer = clCreateBuffer(context, CL_MEM_READ_WRITE, 4096);
const DESCRIPTIONS: readonly ImageDescription[] = [
  { type: "CL_MEM_OBJECT_IMAGE1D", width: 4 },
  { type: "CL_MEM_OBJECT_IMAGE1D_BUFFER", width: 4, buffer },
  { type: "CL_MEM_OBJECT_IMAGE1D_ARRAY", width: 4, arraySize: 2 },
  { type: "CL_MEM_OBJECT_IMAGE2D", width: 4, height: 3 },
  { type: "CL_MEM_OBJECT_IMAGE2D_ARRAY", width: 4, height: 3, arraySize: 2 },
  { type: "CL_MEM_OBJECT_IMAGE3D", width: 4, height: 3, depth: 2 },
];
/** The refusals of a format: of one that makes no sense, and of one that our devices do not have. */
const REFUSALS: ReadonlySet<string> = new Set(["CL_IMAGE_FORMAT_NOT_SUPPORTED", "CL_INVALID_IMAGE_FORMAT_DESCRIPTOR"]);

/** What comes of an image: "made", or the name of the error. */
function made(format: ImageFormat, description: ImageDescription): string {
  try {
    const image = clCreateImage(context, CL_MEM_READ_WRITE, format, description);
    expect(clGetImageInfo(image, "CL_IMAGE_FORMAT")).toEqual(format);
    clReleaseMemObject(image);
    return "made";
  } catch (error) {
    return (error as Error).name;
  }
}

test("the schema has the orders and types of channels that OpenCL has", () => {
  expect(ORDERS.length).toBeGreaterThanOrEqual(19);
  expect(CHANNEL_TYPES.length).toBeGreaterThanOrEqual(16);
});

test.each(DESCRIPTIONS.map((description): [ImageObjectType, ImageDescription] => [description.type, description]))(
  "clCreateImage and clGetSupportedImageFormats: %s is made of each format that is listed, and of no other",
  (type, description) => {
    const listed = new Set(
      clGetSupportedImageFormats(context, CL_MEM_READ_WRITE, type).map(
        ({ channelOrder, channelType }) => `${channelOrder} ${channelType}`,
      ),
    );
    for (const channelOrder of ORDERS)
      for (const channelType of CHANNEL_TYPES) {
        const name = `${channelOrder} ${channelType}`;
        const found = made({ channelOrder, channelType } as ImageFormat, description);
        expect(listed.has(name) ? found === "made" : REFUSALS.has(found), `${name}: ${found}`).toBe(true);
      }
  },
);

test.each(["CL_sRGB", "CL_sRGBx"])(
  "clCreateImage: CL_IMAGE_FORMAT_NOT_SUPPORTED for %s, which OpenCL has and our devices do not",
  (channelOrder) => {
    const format = { channelOrder, channelType: "CL_UNORM_INT8" } as unknown as ImageFormat;
    expect(
      errorOf(() =>
        clCreateImage(context, CL_MEM_READ_WRITE, format, { type: "CL_MEM_OBJECT_IMAGE2D", width: 4, height: 3 }),
      ).name,
    ).toBe("CL_IMAGE_FORMAT_NOT_SUPPORTED");
  },
);
