// SPDX-License-Identifier: Apache-2.0
// The server: answers one library for as long as that lives.
import { Worker } from "node:worker_threads";

import { type Device, clGetPlatformIDs } from "@muxkit/opencl";
import type { HostEnvironment } from "muxkit/parts";

import { type Addon, loadAddon } from "./addon.ts";
import { COMMANDS } from "./commands.ts";
import { SharedMemory } from "./device-memory.ts";
import { Operation } from "./generated/tables.ts";
import type { Handler } from "./handler.ts";
import { OBJECT_HANDLERS, deviceFacts } from "./objects.ts";
import { QUERY_HANDLERS } from "./queries.ts";
import { Session } from "./session.ts";
import { type Frame, Transport } from "./transport.ts";
import { FrameKind, ProtocolError, WIRE_MAGIC, WIRE_VERSION, WireReader, WireWriter } from "./wire.ts";

/** Descriptors that the library starts its server with. */
const SOCKET = 3;
const MEMORY = 4;
const LIFE = 5;
const DEVICE_MEMORY = 6;
/** Bytes of the ring's data: what both sides were built with. */
const RING_BYTES = 8 * 2 ** 20;
/** The platform's number; devices have the next ones. */
const PLATFORM_NUMBER = 1;

const HANDLERS: ReadonlyMap<number, Handler> = new Map(
  Object.entries({ ...OBJECT_HANDLERS, ...QUERY_HANDLERS, ...COMMANDS }).map(([name, handler]) => {
    const number = (Operation as Readonly<Record<string, number>>)[name];
    if (number === undefined) throw new Error(`${name} is no operation`);
    return [number, handler] as const;
  }),
);

/** Operations whose first word is the number of the object that they create. */
const MAKERS: ReadonlySet<number> = new Set(
  Object.entries(Operation)
    .filter(([name]) => /^cl(?:Create|Clone)/u.test(name))
    .map(([, number]) => number),
);

/**
 * Executes the operation of a frame. A `ProtocolError` is thrown for a frame that no library sends; everything else
 * that goes wrong is the answer.
 *
 * @internal
 */
export function handle(session: Session, { operation, body, request, flags }: Frame): void {
  const handler = HANDLERS.get(operation);
  if (handler === undefined) throw new ProtocolError(`there is no operation ${operation}`);
  try {
    handler(session, new WireReader(body), { number: request, flags });
  } catch (error) {
    if (request === 0 && MAKERS.has(operation)) session.putMissing(new WireReader(body).u32(), error);
    session.fail(request, error);
  }
}

/**
 * Ends this process when the library's process does, whatever this one is doing: the other end of the descriptor closes
 * then.
 */
function dieWithLibrary(addon: Addon | null): void {
  if (addon?.endWith(LIFE) === 1) return;
  const source = `require("node:fs").readSync(${LIFE}, Buffer.alloc(1)); process.kill(process.pid, "SIGKILL");`;
  const worker = new Worker(source, { eval: true, execArgv: [], env: {} });
  worker.unref();
}

/** Answers the first frame to OpenCL's library: assigns the devices their numbers. */
function greet(session: Session, devices: readonly Device[], { request }: Frame, channel: () => void): void {
  const [platform] = clGetPlatformIDs();
  if (platform === undefined) throw new Error("there is no platform");
  session.put(PLATFORM_NUMBER, platform);
  const writer = new WireWriter().u32(PLATFORM_NUMBER).u32(devices.length);
  devices.forEach((device, index) => {
    session.put(PLATFORM_NUMBER + 1 + index, device);
    deviceFacts(writer.u32(PLATFORM_NUMBER + 1 + index), device);
  });
  channel();
  session.reply(request, writer);
}

/** How the server's device is opened. */
export interface Opening {
  /** Receives what kernels print. */
  readonly print: (text: string) => void;
  /** Where it takes its memory. */
  readonly environment: HostEnvironment;
}

/** What a server has of its library. */
export interface Surroundings {
  readonly transport: Transport;
  readonly memory: SharedMemory;
}

/** How the frames of an API are answered. */
export interface Service {
  /** Answers the first frame; the channel is opened before the answer. */
  readonly greet: (frame: Frame, openChannel: () => void) => void;
  readonly handle: (frame: Frame) => void;
  /** Answers with an error. */
  readonly fail: (request: number, error: unknown) => void;
}

/** True when the first frame is of this version; else that is the answer. */
function isWelcome({ fail }: Service, { body, request }: Frame): boolean {
  const reader = new WireReader(body);
  const [magic, version] = [reader.u32(), reader.u32()];
  if (magic !== WIRE_MAGIC) throw new ProtocolError("the first frame is no greeting");
  if (version === WIRE_VERSION) return true;
  fail(
    request,
    new Error(`the library speaks version ${version}, the server ${WIRE_VERSION}: install both from one release`),
  );
  return false;
}

/** Serves the library that started this process, by what `begin` makes. */
export function serveFrames(begin: (surroundings: Surroundings) => Service): void {
  const transport = new Transport(SOCKET, MEMORY, RING_BYTES, () => process.exit(0));
  const log = (text: string): void => {
    transport.send(FrameKind.log, 0, 0, new TextEncoder().encode(text));
  };
  const addon = loadAddon(process.env, log);
  const service = begin({ transport, memory: new SharedMemory(addon, DEVICE_MEMORY, log) });
  let isGreeted = false;
  transport.listen(
    (frame) => {
      if (isGreeted) {
        service.handle(frame);
        return;
      }
      if (frame.operation !== Operation.hello) throw new ProtocolError("the first frame is no greeting");
      isGreeted = true;
      if (isWelcome(service, frame))
        service.greet(frame, () => {
          transport.openChannel(addon);
        });
      dieWithLibrary(addon);
    },
    (error) => {
      console.error(`muxkit icd: ${error instanceof Error ? error.message : String(error)}`);
      // An exit would wait for the thread that waits for the library's end, and the library for ours.
      process.kill(process.pid, "SIGKILL");
    },
  );
}

/**
 * Serves the library that started this process. `open` returns the devices. The process ends with the library, and at
 * once when a frame breaks the protocol.
 *
 * @public
 */
export function serve(open: (opening: Opening) => readonly Device[]): void {
  serveFrames(({ transport, memory }) => {
    const session = new Session(transport, memory);
    const devices = open({
      print: (text) => {
        session.print(text);
      },
      environment: memory.environment,
    });
    return {
      greet: (frame, openChannel) => {
        greet(session, devices, frame, openChannel);
      },
      handle: (frame) => {
        handle(session, frame);
      },
      fail: (request, error) => {
        session.fail(request, error);
      },
    };
  });
}
