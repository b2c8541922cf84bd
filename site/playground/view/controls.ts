// SPDX-License-Identifier: Apache-2.0
// Controls for what kernels take: a slider for each number, a choice, shapes and contents of buffers.
import type { BufferSetup, Content, Parameter, Passed, Setup } from "../model/setup.ts";
import { element } from "./dom.ts";

/** What a hand changes. */
export interface ControlHooks {
  /** A parameter has another value; `restarts`: the program has to start again. */
  readonly parameter: (name: string, value: Passed, restarts: boolean) => void;
  readonly buffer: (name: string, buffer: BufferSetup) => void;
}

const COMPONENTS = "xyzwabcd";

function slider(
  label: string,
  value: number,
  { low, high, step }: { readonly low: number; readonly high: number; readonly step: number },
  changed: (value: number) => void,
): HTMLElement {
  const range = element("input", { type: "range", min: low, max: high, step, value, "aria-label": label });
  const number = element("input", { type: "number", step, value, "aria-label": `${label}, as a number` });
  const put = (from: HTMLInputElement, to: HTMLInputElement): void => {
    const now = Number(from.value);
    if (from.value === "" || !Number.isFinite(now)) return;
    to.value = from.value;
    changed(now);
  };
  range.addEventListener("input", () => put(range, number));
  number.addEventListener("input", () => put(number, range));
  return element("div", { class: "mk-control" }, element("span", { class: "mk-name" }, label), range, number);
}

function parameterControl(
  name: string,
  parameter: Parameter,
  now: Passed,
  hooks: ControlHooks,
): readonly HTMLElement[] {
  if (parameter.kind === "driven") return [];
  const restarts = parameter.restarts === true;
  if (parameter.kind === "choice") {
    const select = element(
      "select",
      { "aria-label": name },
      ...parameter.names.map((text, i) => element("option", { value: i, selected: i === now }, text)),
    );
    select.addEventListener("change", () => hooks.parameter(name, Number(select.value), restarts));
    return [element("div", { class: "mk-control" }, element("span", { class: "mk-name" }, name), select)];
  }
  if (typeof now === "number") return [slider(name, now, parameter, (value) => hooks.parameter(name, value, restarts))];
  const list = [...now];
  return list.map((value, i) =>
    slider(`${name}.${COMPONENTS[i] ?? i}`, value, parameter, (changed) => {
      list[i] = changed;
      hooks.parameter(name, [...list], restarts);
    }),
  );
}

const CONTENTS: readonly { readonly label: string; readonly content: Content }[] = [
  { label: "zeros", content: { kind: "zero" } },
  { label: "random, 0 to 1", content: { kind: "random", low: 0, high: 1, seed: 1 } },
  { label: "random, 0 to 255", content: { kind: "random", low: 0, high: 255, seed: 1 } },
  { label: "0, 1, 2, …", content: { kind: "ramp", step: 1 } },
  { label: "picture", content: { kind: "picture" } },
];

/** Sizes in a text like `512 × 512`; null: it holds none that a page should allocate. */
export function parseShape(text: string): readonly number[] | null {
  const sizes = text
    .split(/[^\d]+/)
    .filter((word) => word !== "")
    .map(Number);
  const count = sizes.reduce((product, size) => product * size, 1);
  return sizes.length > 0 && sizes.length <= 3 && count > 0 && count <= 1 << 24 ? sizes : null;
}

function bufferControl(name: string, buffer: BufferSetup, hooks: ControlHooks): HTMLElement {
  let now = buffer;
  const shape = element("input", { type: "text", value: buffer.shape.join(" × "), "aria-label": `sizes of ${name}` });
  shape.addEventListener("change", () => {
    const sizes = parseShape(shape.value);
    shape.setAttribute("aria-invalid", String(sizes === null));
    if (sizes === null) return;
    now = { ...now, shape: sizes };
    hooks.buffer(name, now);
  });
  const given = JSON.stringify(buffer.content);
  const isListed = CONTENTS.some(({ content }) => JSON.stringify(content) === given);
  const choices = isListed ? CONTENTS : [{ label: buffer.content.kind, content: buffer.content }, ...CONTENTS];
  const select = element(
    "select",
    { "aria-label": `first content of ${name}` },
    ...choices.map(({ label, content }, i) =>
      element("option", { value: i, selected: JSON.stringify(content) === given }, label),
    ),
  );
  select.addEventListener("change", () => {
    now = { ...now, content: choices[Number(select.value)]?.content ?? now.content };
    hooks.buffer(name, now);
  });
  return element("div", { class: "mk-control mk-buffer" }, element("span", { class: "mk-name" }, name), shape, select);
}

/** Shows the controls of a setup that is complete, in place of what the element has. */
export function showControls(
  parent: HTMLElement,
  setup: Setup,
  values: Readonly<Record<string, Passed>>,
  hooks: ControlHooks,
): void {
  const parameters = Object.entries(setup.parameters).flatMap(([name, parameter]) =>
    parameterControl(name, parameter, parameter.kind === "driven" ? 0 : (values[name] ?? parameter.value), hooks),
  );
  const buffers = Object.entries(setup.buffers).map(([name, buffer]) => bufferControl(name, buffer, hooks));
  const isOpen = parent.querySelector("details")?.open === true || parameters.length === 0;
  parent.replaceChildren(
    ...parameters,
    element("details", { open: isOpen }, element("summary", {}, `Buffers (${buffers.length})`), ...buffers),
  );
}
