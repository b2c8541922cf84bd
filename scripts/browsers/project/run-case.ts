// SPDX-License-Identifier: Apache-2.0
// One recorded launch by the OpenCL API of the consumer's muxkit.
import {
  type AddressingMode,
  type ArgumentValue,
  type Buffer,
  CL_MEM_COPY_HOST_PTR,
  CL_MEM_READ_WRITE,
  type CommandQueue,
  type Image,
  type ImageFormat,
  type ImageObjectType,
  MemoryObject,
  type Program,
  Sampler,
  clBuildProgram,
  clCreateBuffer,
  clCreateImage,
  clCreateKernel,
  clCreateProgramWithSource,
  clCreateSampler,
  clEnqueueNDRangeKernel,
  clEnqueueReadBuffer,
  clEnqueueReadImage,
  clReleaseKernel,
  clReleaseMemObject,
  clReleaseProgram,
  clReleaseSampler,
  clSetKernelArg,
  clWaitForEvents,
  clWaitForEventsAsync,
} from "muxkit/opencl";
import type { Device } from "muxkit";

import { bytesOf, firstDifference, kindOf } from "./bytes.ts";
import type { RecordedArgument, RecordedCase, RecordedImage } from "./case.ts";

/** How a launch ended: right, wrong, or not supported by the API. */
export type CaseOutcome = { readonly kind: "right" } | { readonly kind: "wrong" | "skipped"; readonly why: string };

/** A device with what it prints, and whether its calls block. */
export interface SuiteDevice {
  readonly device: Device;
  /** Takes what was printed since the last time. */
  readonly takePrinted: () => string;
  /** True: launches are waited for by calls that block. */
  readonly blocks: boolean;
}

const ADDRESSING: readonly AddressingMode[] = [
  "CL_ADDRESS_NONE",
  "CL_ADDRESS_CLAMP_TO_EDGE",
  "CL_ADDRESS_CLAMP",
  "CL_ADDRESS_REPEAT",
  "CL_ADDRESS_MIRRORED_REPEAT",
];
const START = [0, 0, 0] as const;

/** True for bits of a sampler that repeats without normalised coordinates. */
function repeats(argument: RecordedArgument): boolean {
  return "sampler" in argument && (argument.sampler & 1) === 0 && ((argument.sampler >> 1) & 7) >= 3;
}

/** Launches that say nothing here, and why. */
const SKIPPED: readonly (readonly [why: string, isSkipped: (recorded: RecordedCase) => boolean])[] = [
  ["pipes are objects of the API, and were bytes", ({ source }) => /\bpipe\b/u.test(source)],
  ["the API makes no such sampler", (recorded) => recorded.arguments.some(repeats)],
  [
    "buffers of the API have at least one byte",
    (recorded) =>
      recorded.arguments.some(
        (argument) => "contents" in argument && (argument.contents === 0 || argument.contents === ""),
      ),
  ],
  [
    "the version of the language wants whole work-groups",
    ({ options, global, local }) =>
      !/-cl-std=CL[23]/u.test(options) && global.some((size, axis) => size % (local[axis] ?? 1) !== 0),
  ],
  [
    "work-items write to the same pixel, and which is last is anybody's guess",
    ({ test }) => test.startsWith("whatever a program does that the language does not define"),
  ],
];

function imageOf(
  { device }: SuiteDevice,
  { type, format, width, height, depth, layers }: RecordedImage,
  contents: Uint8Array,
): Image {
  const memory = CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR;
  const described = {
    type: `CL_MEM_OBJECT_IMAGE${type.toUpperCase()}` as ImageObjectType,
    width,
    height,
    depth,
    arraySize: layers,
  };
  const pixels = { channelOrder: `CL_${format.order}`, channelType: `CL_${format.type}` } as ImageFormat;
  if (type !== "1d_buffer") return clCreateImage(device.context, memory, pixels, described, contents);
  return clCreateImage(device.context, CL_MEM_READ_WRITE, pixels, {
    ...described,
    buffer: clCreateBuffer(device.context, memory, contents.length, contents),
  });
}

function samplerOf({ device }: SuiteDevice, bits: number): Sampler {
  return clCreateSampler(
    device.context,
    (bits & 1) !== 0,
    ADDRESSING[(bits >> 1) & 7] ?? "CL_ADDRESS_NONE",
    (bits & 0x20) === 0 ? "CL_FILTER_NEAREST" : "CL_FILTER_LINEAR",
  );
}

function argumentOf(on: SuiteDevice, argument: RecordedArgument): ArgumentValue {
  if ("value" in argument) return bytesOf(argument.value);
  if ("local" in argument) return { localBytes: argument.local };
  if ("sampler" in argument) return samplerOf(on, argument.sampler);
  const contents = bytesOf(argument.contents);
  if (argument.image !== undefined) return imageOf(on, argument.image, contents);
  return clCreateBuffer(on.device.context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, contents.length, contents);
}

async function read(
  queue: CommandQueue,
  memory: Buffer | Image,
  image: RecordedImage | undefined,
  bytes: number,
  blocks: boolean,
): Promise<Uint8Array> {
  const array = new Uint8Array(bytes);
  const event =
    image === undefined
      ? clEnqueueReadBuffer(queue, memory as Buffer, blocks, 0, bytes, array)
      : clEnqueueReadImage(
          queue,
          memory as Image,
          blocks,
          START,
          [
            image.width,
            image.type === "1d_array" ? image.layers : image.height,
            Math.max(image.depth, image.type === "2d_array" ? image.layers : 1),
          ],
          0,
          0,
          array,
        );
  if (!blocks) await event.done;
  return array;
}

/** Byte strings stand for UTF-8. */
function decoded(text: string): string {
  return new TextDecoder().decode(Uint8Array.from(text, (character) => character.charCodeAt(0)));
}

/** Everything of a case, given back at its end. */
interface Held {
  readonly program: Program;
  readonly given: readonly ArgumentValue[];
}

/** Each case has a program of its own: its variables begin anew. */
function build(on: SuiteDevice, recorded: RecordedCase): Held {
  const program = clCreateProgramWithSource(on.device.context, [recorded.source]);
  clBuildProgram(program, null, recorded.options);
  return { program, given: recorded.arguments.map((argument) => argumentOf(on, argument)) };
}

/** Gives the types of the kernel's parameters. */
async function launch(
  { device: { queue }, blocks }: SuiteDevice,
  recorded: RecordedCase,
  { program, given }: Held,
): Promise<readonly string[]> {
  let types: readonly string[] = [];
  const events = recorded.kernels.map((name) => {
    const kernel = clCreateKernel(program, name);
    types = kernel.info.arguments.map(({ typeName }) => typeName);
    for (const [i, value] of given.entries()) clSetKernelArg(kernel, i, value);
    const event = clEnqueueNDRangeKernel(
      queue,
      kernel,
      recorded.global.length,
      recorded.offset.length === 0 ? null : recorded.offset,
      recorded.global,
      recorded.local,
    );
    clReleaseKernel(kernel);
    return event;
  });
  if (blocks) clWaitForEvents(events);
  else await clWaitForEventsAsync(events);
  return types;
}

async function compare(
  on: SuiteDevice,
  recorded: RecordedCase,
  { given }: Held,
  types: readonly string[],
): Promise<string | null> {
  const printed = decoded(recorded.printed);
  const got = on.takePrinted();
  if (got !== printed) return `printed ${JSON.stringify(got)}, not ${JSON.stringify(printed)}`;
  let number = 0;
  for (const [i, argument] of recorded.arguments.entries()) {
    if (!("contents" in argument)) continue;
    const expected = bytesOf(recorded.buffers[number] ?? 0);
    // One after the other, as they are compared.
    // oxlint-disable-next-line no-await-in-loop
    const left = await read(on.device.queue, given[i] as Buffer | Image, argument.image, expected.length, on.blocks);
    const difference = firstDifference(
      recorded.kinds === null ? kindOf(types[i] ?? "") : (recorded.kinds[number] ?? "bits"),
      expected,
      left,
    );
    if (difference !== null) return `buffer ${number}, ${difference}`;
    number++;
  }
  return null;
}

function release({ program, given }: Held): void {
  for (const value of given) {
    if (value instanceof MemoryObject) clReleaseMemObject(value);
    else if (value instanceof Sampler) clReleaseSampler(value);
  }
  clReleaseProgram(program);
}

/** Runs one case. What the API refuses or fails at is wrong, too. */
export async function runCase(on: SuiteDevice, recorded: RecordedCase): Promise<CaseOutcome> {
  const skip = SKIPPED.find(([, isSkipped]) => isSkipped(recorded));
  if (skip !== undefined) return { kind: "skipped", why: skip[0] };
  try {
    const held = build(on, recorded);
    const types = await launch(on, recorded, held);
    const difference = await compare(on, recorded, held, types);
    release(held);
    return difference === null ? { kind: "right" } : { kind: "wrong", why: difference };
  } catch (error) {
    on.takePrinted();
    return { kind: "wrong", why: error instanceof Error ? `${error.name}: ${error.message}` : String(error) };
  }
}
