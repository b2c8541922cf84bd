// SPDX-License-Identifier: Apache-2.0
// Shares a linear memory with descriptor 6 by the addon, as the server does, and prints what the file, this thread and
// a thread with code of WebAssembly see of it. A value for each line.
import { ftruncateSync, readSync, writeSync } from "node:fs";
import { Worker, isMainThread, workerData } from "node:worker_threads";

const FILE = 6;
const PAGE = 65536;
const MOST = 65536;
const FIRST = 16;
/** `load(address)` and `store(address, value)` of an imported shared memory. */
const CODE = [
  [0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00],
  [0x01, 0x0b, 0x02, 0x60, 0x01, 0x7f, 0x01, 0x7f, 0x60, 0x02, 0x7f, 0x7f, 0x00],
  [0x02, 0x0b, 0x01, 0x01, 0x65, 0x01, 0x6d, 0x02, 0x03, 0x10, 0x80, 0x80, 0x04],
  [0x03, 0x03, 0x02, 0x00, 0x01],
  [0x07, 0x10, 0x02, 0x04, 0x6c, 0x6f, 0x61, 0x64, 0x00, 0x00, 0x05, 0x73, 0x74, 0x6f, 0x72, 0x65, 0x00, 0x01],
  [0x0a, 0x13, 0x02, 0x07, 0x00, 0x20, 0x00, 0x28, 0x02, 0x00, 0x0b],
  [0x09, 0x00, 0x20, 0x00, 0x20, 0x01, 0x36, 0x02, 0x00, 0x0b],
].flat();
/** Words of the cell between the threads. */
const [ASK, DONE, ADDRESS, VALUE, ANSWER] = [0, 1, 2, 3, 4];
const [LOAD, STORE, END] = [1, 2, 3];

const tell = (name, value) => console.log(`${name}: ${value}`);

function serveThread({ memory, cell }) {
  const words = new Int32Array(cell);
  const { exports } = new WebAssembly.Instance(new WebAssembly.Module(new Uint8Array(CODE)), { e: { m: memory } });
  for (;;) {
    Atomics.wait(words, ASK, 0);
    const asked = Atomics.load(words, ASK);
    if (asked === END) return;
    try {
      words[ANSWER] = asked === LOAD ? exports.load(words[ADDRESS]) : (exports.store(words[ADDRESS], words[VALUE]), 0);
    } catch (error) {
      words[ANSWER] = error instanceof WebAssembly.RuntimeError ? -1 : -2;
    }
    Atomics.store(words, ASK, 0);
    Atomics.store(words, DONE, 1);
    Atomics.notify(words, DONE);
  }
}

async function main() {
  const module = { exports: {} };
  process.dlopen(module, process.argv[2]);
  const addon = module.exports;
  const memory = new WebAssembly.Memory({ initial: FIRST, maximum: MOST, shared: true });
  const bytes = () => new Uint8Array(memory.buffer);
  let offset;
  try {
    offset = addon.shareMemory(bytes(), MOST * PAGE, FILE);
  } catch (error) {
    tell("refused", error.message);
    return;
  }
  const cell = new SharedArrayBuffer(64);
  const words = new Int32Array(cell);
  const worker = new Worker(new URL(import.meta.url), { workerData: { memory, cell } });
  await new Promise((resolve) => {
    worker.once("online", resolve);
  });
  const ask = (what, address, value = 0) => {
    words[ADDRESS] = address | 0;
    words[VALUE] = value;
    Atomics.store(words, DONE, 0);
    Atomics.store(words, ASK, what);
    Atomics.notify(words, ASK);
    Atomics.wait(words, DONE, 0);
    return words[ANSWER];
  };
  const buffer = new Uint8Array(4);
  const view = new DataView(buffer.buffer);
  const fromFile = (address) => (readSync(FILE, buffer, 0, 4, offset + address), view.getInt32(0, true));
  const toFile = (address, value) => {
    view.setInt32(0, value, true);
    writeSync(FILE, buffer, 0, 4, offset + address);
  };
  const here = (address) => new Int32Array(memory.buffer)[address / 4];

  toFile(4096, 11);
  tell("a thread reads what the file has", ask(LOAD, 4096));
  tell("this thread reads it", here(4096));
  ask(STORE, 8192, 12);
  tell("the file has what a thread writes", fromFile(8192));
  tell("beyond the end, before growth", ask(LOAD, FIRST * PAGE));
  tell("the last page, before growth", ask(LOAD, MOST * PAGE - 4));
  memory.grow(1024);
  toFile((FIRST + 500) * PAGE, 13);
  tell("a thread reads behind the old end", ask(LOAD, (FIRST + 500) * PAGE));
  tell("this thread reads it there", here((FIRST + 500) * PAGE));
  tell("what was before growth stays", ask(LOAD, 8192));
  tell("beyond the new end", ask(STORE, (FIRST + 1024) * PAGE, 1));
  memory.grow(MOST - FIRST - 1024);
  ask(STORE, MOST * PAGE - 4, 14);
  tell("the file has the last word", fromFile(MOST * PAGE - 4));
  tell(
    "the memory cannot grow further",
    (() => {
      try {
        return memory.grow(1);
      } catch (error) {
        return error.constructor.name;
      }
    })(),
  );
  tell("place of bytes", addon.placeOf(bytes().subarray(12345, 12346)));
  tell("place of other bytes", addon.placeOf(new Uint8Array(4)));
  for (const [name, size] of [
    ["cut", 4096],
    ["widened", 2 ** 40],
  ]) {
    try {
      ftruncateSync(FILE, size);
      tell(`the file can be ${name}`, "yes");
    } catch (error) {
      tell(`the file can be ${name}`, error.code);
    }
  }
  let others = Array.from({ length: 8 }, () => new WebAssembly.Memory({ initial: 1, maximum: MOST, shared: true }));
  tell("other memories", others.length);
  others = null;
  globalThis.gc?.();
  tell("after other memories are gone", here(8192));
  try {
    addon.shareMemory(bytes(), MOST * PAGE, FILE);
  } catch (error) {
    tell("a second time", error.message.replace(/:.*/u, ""));
  }
  Atomics.store(words, ASK, END);
  Atomics.notify(words, ASK);
}

if (isMainThread) await main();
else serveThread(workerData);
