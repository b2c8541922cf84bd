// SPDX-License-Identifier: Apache-2.0
/**
 * The printf of OpenCL C: formats read and checked, values rendered as C99 does, and the records between kernels and
 * runtimes.
 *
 * @packageDocumentation
 */
export {
  type PrintfConversion,
  type PrintfFormatError,
  type PrintfLength,
  type PrintfPiece,
  type PrintfSpecifier,
  type PrintfText,
  parsePrintfFormat,
  printfScalarType,
  printfType,
} from "./format.ts";
export {
  type PrintfCallDescription,
  type PrintfDescription,
  type PrintfLayout,
  PrintfReader,
  STRING_NUMBER_BITS,
  printfLayout,
  printfReaders,
} from "./record.ts";
export { type PrintfValue, renderPrintf } from "./render.ts";
export { type PrintfMemory, type PrintfRecord, initializePrintfArea, takePrintfRecords } from "./area.ts";
export { PrintfOrder, decodeByteString } from "./output.ts";
