// SPDX-License-Identifier: Apache-2.0
// Areas of printf records: a ring buffer per thread that kernels write and the host reads. Kernels can write anything
// there, so everything that is read is checked first.
import { PRINTF_AREA, PRINTF_AREA_HEADER_BYTES, PRINTF_HEADER_BYTES, PRINTF_RECORD } from "@muxkit/kernel-abi";

/** Device memory, as words and as bytes. @public */
export interface PrintfMemory {
  /** Words of 32 bits. */
  readonly words: Int32Array;
  /** The same bytes. */
  readonly view: DataView;
}

/** A printf record in an area. It is valid during the callback that receives it. @public */
export interface PrintfRecord {
  /** Index of the call among the program's. */
  readonly call: number;
  /** Number of the launch. */
  readonly launch: number;
  /** Linear id of the work-item in its group. */
  readonly item: number;
  /** Id of the group. */
  readonly group: readonly [number, number, number];
  /** Byte address of the record. */
  readonly start: number;
  /** Bytes of the record. */
  readonly size: number;
}

/** Initialises an area of `bytes` (a multiple of 8) at an address: a header, then the ring. @public */
export function initializePrintfArea({ words }: PrintfMemory, address: number, bytes: number): void {
  words.fill(0, address >>> 2, (address + PRINTF_AREA_HEADER_BYTES) >>> 2);
  words[(address + PRINTF_AREA.ringBytes) >>> 2] = bytes - PRINTF_AREA_HEADER_BYTES;
}

/**
 * Passes every complete record of an area to a callback, in the order in which they were written, and frees their
 * space. False: the area was damaged and is empty now.
 *
 * @public
 */
export function takePrintfRecords(
  memory: PrintfMemory,
  address: number,
  bytes: number,
  take: (record: PrintfRecord) => void,
): boolean {
  const { words, view } = memory;
  const headWord = (address + PRINTF_AREA.head) >>> 2;
  const ring = address + PRINTF_AREA_HEADER_BYTES;
  const size = bytes - PRINTF_AREA_HEADER_BYTES;
  const tail = Atomics.load(words, (address + PRINTF_AREA.tail) >>> 2) >>> 0;
  let head = (words[headWord] as number) >>> 0;
  const isPosition = (offset: number): boolean => offset < size && offset % 8 === 0;
  const setHead = (offset: number): void => {
    Atomics.store(words, headWord, offset | 0);
  };
  let whole = isPosition(head) && isPosition(tail);
  let read = 0;
  while (whole && head !== tail) {
    const start = ring + head;
    const record = view.getUint32(start, true);
    if (record === 0 && tail < head) {
      head = 0;
      continue;
    }
    const end = head + record;
    read += record;
    whole =
      record >= PRINTF_HEADER_BYTES && record % 8 === 0 && end <= size && (head > tail || end <= tail) && read <= size;
    if (!whole) break;
    const word = (offset: number): number => view.getUint32(start + offset, true);
    take({
      call: word(PRINTF_RECORD.call),
      launch: word(PRINTF_RECORD.launch),
      item: word(PRINTF_RECORD.item),
      group: [word(PRINTF_RECORD.group), word(PRINTF_RECORD.group + 4), word(PRINTF_RECORD.group + 8)],
      start,
      size: record,
    });
    head = end === size ? 0 : end;
  }
  if (!whole) initializePrintfArea(memory, address, bytes);
  else setHead(head);
  return whole;
}
