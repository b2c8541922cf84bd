// SPDX-License-Identifier: Apache-2.0
// Runs kernels of a binary on the host, with nothing but the runtime half.
import type { Result } from "@muxkit/cargo";
import { type HostArgument, type HostBuffer, type HostDevice, type HostError, HostPlatform } from "@muxkit/host";

import type { LaunchAnswer, LaunchMessage, MessageArgument } from "./launch-message.ts";

/** Longest run time of a launch: wrong code may not end, and then that is what is wrong with it. */
const DEADLINE_MS = 60_000;

let printed = "";
let device: HostDevice | null = null;

function must<T>(result: Result<T, HostError>): T {
  if (!result.ok) throw new Error(`${result.error.code}: ${result.error.message}`);
  return result.value;
}

function openDevice(): HostDevice {
  device ??= must(
    new HostPlatform({
      threads: 1,
      isolated: true,
      deadline: DEADLINE_MS,
      engine: { eager: false },
      print: (text) => {
        printed += text;
      },
    }).openDevice(),
  );
  return device;
}

function bufferFor(on: HostDevice, argument: MessageArgument): HostBuffer | null {
  return argument.kind === "buffer" || argument.kind === "image"
    ? must(on.createBuffer(Math.max(1, argument.bytes.length)))
    : null;
}

function argumentOf(argument: MessageArgument, buffer: HostBuffer | null): HostArgument {
  if (argument.kind === "value") return { kind: "bytes", bytes: argument.bytes };
  if (argument.kind === "local") return argument;
  if (buffer === null) throw new Error("a buffer was made for each argument that is one");
  const { size, address, destroyed } = buffer;
  return argument.kind === "buffer"
    ? { kind: "buffer", buffer }
    : { kind: "image", image: { size, address, destroyed, image: argument.image } };
}

/** Runs the launches. Throws with what went wrong. */
export function runBinary({
  binary,
  kernels,
  arguments: list,
  global,
  local,
  offset,
}: LaunchMessage): Omit<LaunchAnswer, "error" | "loaded"> {
  const on = openDevice();
  printed = "";
  const executable = must(on.createExecutable(binary));
  const buffers = list.map((argument) => bufferFor(on, argument));
  const own = list.flatMap((argument, i) => {
    const buffer = buffers[i] ?? null;
    return buffer === null || !("bytes" in argument) ? [] : [{ buffer, bytes: argument.bytes.slice() }];
  });
  try {
    const given = list.map((argument, i) => argumentOf(argument, buffers[i] ?? null));
    const commands = on.createCommandBuffer();
    for (const { buffer, bytes } of own) if (bytes.length > 0) must(commands.write(buffer, 0, bytes.slice()));
    for (const name of kernels)
      must(
        commands.launch({
          kernel: must(executable.kernel(name)),
          globalSize: global,
          localSize: local,
          globalOffset: global.map((_, axis) => offset[axis] ?? 0),
          arguments: given,
        }),
      );
    for (const { buffer, bytes } of own) if (bytes.length > 0) must(commands.read(buffer, 0, bytes));
    must(commands.finalize());
    const fence = must(on.createFence());
    must(on.dispatch(commands, { fence }));
    must(on.tryWait(fence, Infinity));
    must(commands.reset());
    must(fence.destroy());
    // Tests compare byte strings.
    return { buffers: own.map(({ bytes }) => bytes), printed: Buffer.from(printed).toString("latin1") };
  } finally {
    for (const { buffer } of own) must(buffer.destroy());
    executable.destroy();
  }
}
