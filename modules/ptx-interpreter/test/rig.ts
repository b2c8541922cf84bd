// SPDX-License-Identifier: Apache-2.0
// Runs a kernel that is written in PTX on words of 64 bits.
import { serialPtxDriver, type PtxDriverOptions } from "@muxkit/ptx-interpreter";

const HEAD = ".version 7.8\n.target sm_90\n.address_size 64\n";

/** A kernel: its parameter is the address of a buffer. */
export function kernelOf(body: string, before: string = ""): string {
  return `${HEAD}${before}
.visible .entry k(.param .align 16 .b8 arguments[16])
{
  .reg .pred %p<16>;
  .reg .b16 %h<16>;
  .reg .b32 %r<32>;
  .reg .b64 %rd<32>;
  .reg .f32 %f<16>;
  .reg .f64 %fd<16>;
  ld.param.u64 %rd31, [arguments];
  ld.param.u64 %rd30, [arguments+8];
  mov.u32 %r31, %tid.x;
  mad.wide.u32 %rd29, %r31, 8, %rd31;
${body}
}
`;
}

/** What is launched. */
export interface RunOptions extends PtxDriverOptions {
  readonly groups?: number;
  readonly items?: number;
  readonly dynamicLocal?: number;
  /** Bytes that are taken in place of those of the words. */
  readonly bytes?: number;
}

/** What a launch left, or the sentence that it failed with. */
export function run(text: string, words: readonly bigint[], options: RunOptions = {}): readonly bigint[] | string {
  const { groups = 1, items = 1, dynamicLocal = 0, bytes = words.length * 8 } = options;
  const driver = serialPtxDriver({ facts: { memory: 2 ** 16 }, ...options });
  const module = driver.load(new TextEncoder().encode(text));
  if (!module.ok) return module.error.message;
  const entry = driver.entry(module.value, "k");
  const buffer = driver.allocate(Math.max(1, bytes));
  if (!entry.ok || !buffer.ok) return "no kernel";
  const data = BigUint64Array.from(words, (word) => BigInt.asUintN(64, word));
  const contents = new Uint8Array(data.buffer).subarray(0, bytes);
  const written = driver.write(buffer.value, contents);
  const parameter = new Uint8Array(16);
  new DataView(parameter.buffer).setBigUint64(0, BigInt(buffer.value), true);
  const launched = driver.launch(
    entry.value,
    { groups: [groups, 1, 1], localSize: [items, 1, 1], dynamicLocal },
    parameter,
  );
  const ended = driver.synchronize();
  const read = driver.read(buffer.value, contents);
  for (const step of [written, launched, ended, read]) if (!step.ok) return step.error.message;
  return [...data];
}
