// SPDX-License-Identifier: Apache-2.0
// Constants behind the code, which instructions reach by RIP.
import type { Assembler } from "./assembler.ts";

/** One constant: its bytes, and the label where it will be. */
interface Constant {
  readonly bytes: Uint8Array;
  readonly label: number;
}

/** Constants of 1 to 64 bytes, each kept once, aligned to their size. @public */
export class ConstantPool {
  readonly #assembler: Assembler;
  readonly #constants: Map<string, Constant> = new Map();

  /** Makes an empty pool for the code of an assembler. */
  constructor(assembler: Assembler) {
    this.#assembler = assembler;
  }

  /** The label of a constant; its size is a power of two up to 64. */
  label(bytes: Uint8Array): number {
    const key = bytes.join(" ");
    const known = this.#constants.get(key);
    if (known !== undefined) return known.label;
    const label = this.#assembler.newLabel();
    this.#constants.set(key, { bytes: bytes.slice(), label });
    return label;
  }

  /** Writes the constants after the code, largest first, and yields the offset of the first byte that is not code. */
  write(): number {
    const start = this.#assembler.length;
    const constants = [...this.#constants.values()].toSorted((a, b) => b.bytes.length - a.bytes.length);
    for (const constant of constants) {
      this.#assembler.align(constant.bytes.length);
      this.#assembler.bind(constant.label);
      this.#assembler.writeBytes(constant.bytes);
    }
    return start;
  }
}
