// SPDX-License-Identifier: Apache-2.0
// The areas that kernels append records to: a ring a thread. Kernels can write anything there, so everything that is
// read is checked first.
import { PRINTF_AREA, PRINTF_AREA_HEADER_BYTES, PRINTF_HEADER_BYTES, PRINTF_RECORD } from "@muxkit/kernel-abi";

/** Device memory, as words and as bytes. @public */
export interface PrintfMemory {
  /** Words of 32 bits. */
  readonly words: Int32Array;
  /** The same bytes. */
  readonly view: DataView;
}

/** A record that was found in an area. It is valid during the call that hands it over. @public */
export interface PrintfRecord {
  /** Index of the call among the program's. */
  readonly call: number;
  /** What tells launches apart. */
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

/** Prepares an area of `bytes` (a multiple of 8) at an address: the ring is what lies behind the header. @public */
export function initializePrintfArea({ words }: PrintfMemory, address: number, bytes: number): void {
  words.fill(0, address >>> 2, (address + PRINTF_AREA_HEADER_BYTES) >>> 2);
  words[(address + PRINTF_AREA.ringBytes) >>> 2] = bytes - PRINTF_AREA_HEADER_BYTES;
}

/**
 * Hands over every whole record of an area in the order in which it was written, and frees its room. False: the area
 * was damaged and is empty now.
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
  const isPlace = (offset: number): boolean => offset < size && offset % 8 === 0;
  const give = (offset: number): void => {
    Atomics.store(words, headWord, offset | 0);
  };
  let whole = isPlace(head) && isPlace(tail);
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
  else give(head);
  return whole;
}
