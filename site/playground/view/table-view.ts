// SPDX-License-Identifier: Apache-2.0
// The first elements of buffers as a table.
import type { ReadBuffer } from "../engine/protocol.ts";
import { element } from "./dom.ts";

const ROWS = 24;

function text(value: number): string {
  return Number.isInteger(value) ? String(value) : String(Number(value.toPrecision(7)));
}

/** Shows them in place of what the element has. */
export function showTable(parent: HTMLElement, buffers: readonly ReadBuffer[]): void {
  const lengths = buffers.map(({ elements, stride }) => Math.floor(elements.length / stride));
  const most = Math.max(0, ...lengths);
  const rows = Array.from({ length: Math.min(ROWS, most) }, (_, i) =>
    element(
      "tr",
      {},
      element("th", { scope: "row" }, String(i)),
      ...buffers.map(({ elements, lanes, stride }) =>
        element(
          "td",
          {},
          Array.from({ length: lanes }, (_unused, lane) => text(elements[i * stride + lane] ?? Number.NaN)).join(", "),
        ),
      ),
    ),
  );
  const head = element(
    "tr",
    {},
    element("th", { scope: "col" }, "#"),
    ...buffers.map(({ name }) => element("th", { scope: "col" }, name)),
  );
  const more = most > ROWS ? [element("caption", {}, `the first ${ROWS} of ${most} elements`)] : [];
  parent.replaceChildren(
    element("table", { class: "mk-table" }, ...more, element("thead", {}, head), element("tbody", {}, ...rows)),
  );
}
