// SPDX-License-Identifier: Apache-2.0
// A pipe in device memory (docs/kernel-abi.md): a header, a cell for each packet slot, the packets.
import { alignUp } from "@muxkit/cargo";
import { LARGEST_ALIGNMENT, PIPE, PIPE_CELL_BYTES, PIPE_HEADER_BYTES } from "@muxkit/kernel-abi";

function packetsAt(maxPackets: number): number {
  return alignUp(PIPE_HEADER_BYTES + PIPE_CELL_BYTES * maxPackets, LARGEST_ALIGNMENT);
}

/** Bytes of a pipe. @public */
export function pipeBytes(packetSize: number, maxPackets: number): number {
  return packetsAt(maxPackets) + packetSize * maxPackets;
}

/** Makes `bytes` (of {@link pipeBytes}, aligned to 128 where kernels see them) an empty pipe. @public */
export function initializePipe(bytes: Uint8Array, packetSize: number, maxPackets: number): void {
  bytes.fill(0, 0, packetsAt(maxPackets));
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  view.setUint32(PIPE.packetBytes, packetSize, true);
  view.setUint32(PIPE.maxPackets, maxPackets, true);
}
