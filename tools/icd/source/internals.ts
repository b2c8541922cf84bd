// SPDX-License-Identifier: Apache-2.0
// What tests of the protocol need of the server.
export { type Addon, loadAddon } from "./addon.ts";
export { SharedMemory } from "./device-memory.ts";
export { Operation, type OperationName, QUERIES } from "./generated/tables.ts";
export { handle } from "./serve.ts";
export { Session } from "./session.ts";
export { type Frame, type Link, Transport } from "./transport.ts";
export { ProtocolError, WireReader, WireWriter } from "./wire.ts";
