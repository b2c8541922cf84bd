// SPDX-License-Identifier: Apache-2.0
// Pipes (OpenCL 3.0, 5.4): device memory that only kernels read and write, by packets.
import { scalarBytes } from "@muxkit/cargo";
import { initializePipe, pipeBytes } from "@muxkit/metadata";

import { Buffer, takeStorage } from "./buffer.ts";
import { CL_MEM_HOST_NO_ACCESS, CL_MEM_READ_WRITE } from "./generated/constants.ts";
import { ensure } from "./error.ts";
import { live } from "./object.ts";
import { Context } from "./platform.ts";

/** Most bytes of a packet: CL_DEVICE_PIPE_MAX_PACKET_SIZE. */
export const MAX_PACKET_SIZE = 4096;

/**
 * Bytes of a packet of the type that a kernel's argument names; null for a type that the program made, of which only
 * the name is known.
 *
 * @internal
 */
export function packetBytes(typeName: string): number | null {
  const [, scalar = "", lanes = "1"] = /^([a-z]+)(2|3|4|8|16)?$/u.exec(typeName) ?? [];
  const bytes = scalarBytes(scalar);
  // Three take the room of four.
  return bytes === null ? null : bytes * (lanes === "3" ? 4 : Number(lanes));
}

/** A pipe. @public */
export class Pipe extends Buffer {
  /** CL_PIPE_PACKET_SIZE in bytes. */
  readonly packetSize: number;
  /** CL_PIPE_MAX_PACKETS. */
  readonly maxPackets: number;

  /** It is none: only kernels read and write it. @internal */
  override get isBuffer(): boolean {
    return false;
  }

  /** Made by clCreatePipe. @internal */
  constructor(context: Context, flags: number, packetSize: number, maxPackets: number, call: string) {
    const size = pipeBytes(packetSize, maxPackets);
    const part = { flags, size, hostArray: null, parent: null, offset: 0 };
    super(context, part, takeStorage(call, context, part));
    this.packetSize = packetSize;
    this.maxPackets = maxPackets;
    this.initialize(call, (bytes) => {
      initializePipe(bytes, packetSize, maxPackets);
    });
  }
}

/**
 * Makes an empty pipe of at most `maxPackets` packets of `packetSize` bytes. Errors: CL_INVALID_CONTEXT;
 * CL_INVALID_VALUE for flags other than CL_MEM_READ_WRITE and CL_MEM_HOST_NO_ACCESS; CL_INVALID_PIPE_SIZE;
 * CL_MEM_OBJECT_ALLOCATION_FAILURE.
 *
 * @public
 */
export function clCreatePipe(context: Context, flags: number, packetSize: number, maxPackets: number): Pipe {
  const call = "clCreatePipe";
  live(context, Context, "CL_INVALID_CONTEXT", call);
  ensure(
    (flags & ~(CL_MEM_READ_WRITE | CL_MEM_HOST_NO_ACCESS)) === 0,
    "CL_INVALID_VALUE",
    call,
    `a pipe takes CL_MEM_READ_WRITE and CL_MEM_HOST_NO_ACCESS, not 0x${flags.toString(16)}`,
  );
  const isSize = Number.isSafeInteger(packetSize) && packetSize > 0 && packetSize <= MAX_PACKET_SIZE;
  ensure(isSize, "CL_INVALID_PIPE_SIZE", call, `a packet has 1 to ${MAX_PACKET_SIZE} bytes, not ${packetSize}`);
  const most = context.device.info.allocationSize;
  ensure(
    Number.isSafeInteger(maxPackets) && maxPackets > 0 && pipeBytes(packetSize, maxPackets) <= most,
    "CL_INVALID_PIPE_SIZE",
    call,
    `${maxPackets} packets of ${packetSize} bytes are not a pipe of 1 to ${most} bytes`,
  );
  return new Pipe(context, CL_MEM_READ_WRITE | CL_MEM_HOST_NO_ACCESS, packetSize, maxPackets, call);
}
