// SPDX-License-Identifier: Apache-2.0
// The explorer: a kernel and what the compiler makes of it, side by side. A line that is pointed at is marked in all
// panes, with everything that comes from it.
import { StateEffect, StateField } from "@codemirror/state";
import { Decoration, type DecorationSet, EditorView } from "@codemirror/view";

import { createEditor } from "../editor/editor.ts";
import type { Explored, TraceLine } from "../engine/protocol.ts";
import { WorkerClient } from "../engine/worker-client.ts";
import { element } from "../view/dom.ts";
import { addStyle } from "../view/style.ts";

const SOURCE = `kernel void saxpy(global float* y, global const float* x, float a, int n) {
  int i = get_global_id(0);
  if (i < n)
    y[i] += a * x[i];
}

kernel void collatz(global int* steps) {
  uint value = get_global_id(0) + 1;
  int count = 0;
  while (value != 1) {
    value = value % 2 ? 3 * value + 1 : value / 2;
    count++;
  }
  steps[get_global_id(0)] = count;
}
`;

const PAUSE = 300;
/** Lines that a pane shows at most: more make the page slow, and nobody reads them. */
const MOST_LINES = 6000;
const STAGES = [
  ["ir", "IR"],
  ["vectors", "Vectorised IR"],
  ["wasm", "WebAssembly"],
] as const;

/** How an explorer begins. */
export interface ExplorerOptions {
  /** The text. Absent: an example. */
  readonly source?: string;
}

/** An explorer in a page. */
export interface Explorer {
  readonly show: (source: string) => void;
  readonly destroy: () => void;
}

const marked = StateEffect.define<number>();
const LINKED = Decoration.line({ class: "mk-linked" });

const MARKS = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update: (marks, transaction) => {
    for (const effect of transaction.effects)
      if (effect.is(marked)) {
        const { doc } = transaction.state;
        if (effect.value < 1 || effect.value > doc.lines) return Decoration.none;
        return Decoration.set([LINKED.range(doc.line(effect.value).from)]);
      }
    return transaction.docChanged ? Decoration.none : marks;
  },
  provide: (field) => EditorView.decorations.from(field),
});

/** The first line of a function. */
const HEAD = /^(func|kernel) /;
/** Where a line of the IR defines masks: by an instruction, or as parameters. */
const DEFINED_MASK = /^\s*(%[\w.]+) = .*: <\d+ x i1>$/;
const MASK_PARAMETER = /(%[\w.]+): <\d+ x i1>/g;
/** Numbers of lines in a remark: "line 3", "lines 3, 4". */
const LINE_NUMBER = /((?<=\blines? (?:\d+, )*)\d+)/;

/** Adds the masks that a line defines. */
function seeMasks(text: string, masks: Set<string>): void {
  if (HEAD.test(text)) masks.clear();
  const defined = DEFINED_MASK.exec(text)?.[1];
  if (defined !== undefined) masks.add(defined);
  if (HEAD.test(text) || text.startsWith("^"))
    for (const [, name = ""] of text.matchAll(MASK_PARAMETER)) masks.add(name);
}

/** The line, with the names in it marked that are masks of the function so far. */
function lineElement({ text, line }: TraceLine, masks: Set<string>): HTMLElement {
  const isNote = text.startsWith(";");
  seeMasks(text, masks);
  const parts = text
    .split(/(%[\w.]+)/)
    .map((part): Node | string =>
      masks.has(part) ? element("span", { class: "mk-mask", title: "a mask: which work-items take part" }, part) : part,
    );
  const made = element("div", isNote ? { class: "mk-note" } : {}, ...parts);
  if (line > 0) {
    made.dataset["line"] = String(line);
    made.style.setProperty("--mk-hue", String(line));
  }
  return made;
}

/** A remark: names in backquotes as code, numbers of lines as what leads to them. */
function remarkParts(text: string): readonly (Node | string)[] {
  return text
    .split(/`([^`]*)`/)
    .flatMap((part, i): readonly (Node | string)[] =>
      i % 2 === 1
        ? [element("code", {}, part)]
        : part
            .split(LINE_NUMBER)
            .map((piece, k) => (k % 2 === 1 ? element("a", { "data-line": piece, tabindex: "0" }, piece) : piece)),
    );
}

/** Shows lines in place of what a pane has. */
function fill(pane: HTMLElement, lines: readonly TraceLine[]): void {
  const masks = new Set<string>();
  const shown = lines.slice(0, MOST_LINES).map((line) => lineElement(line, masks));
  const more = lines.length - shown.length;
  pane.replaceChildren(
    ...shown,
    ...(more > 0 ? [element("div", { class: "mk-note" }, `; and ${more} lines more`)] : []),
  );
}

function linesPane(label: string): HTMLElement {
  return element("div", { class: "mk-lines", tabindex: "0", "aria-label": label });
}

function heading(text: string, ...more: readonly Node[]): HTMLElement {
  return element("h3", {}, text, ...more);
}

class ExplorerView {
  readonly #parent: HTMLElement;
  readonly #compiler = new WorkerClient("muxkit compiler");
  readonly #editor: EditorView;
  readonly #panes: Readonly<Record<(typeof STAGES)[number][0], HTMLElement>>;
  readonly #remarks = element("ul", { class: "mk-remarks", "aria-live": "polite" });
  readonly #list = element("nav", { class: "mk-pass-list", "aria-label": "Passes that changed something" });
  readonly #changes = element("div", { class: "mk-lines", tabindex: "0", "aria-label": "What the pass changed" });
  readonly #width = element(
    "select",
    { "aria-label": "Work-items at once" },
    ...[0, 2, 4, 8, 16].map((width) =>
      element("option", { value: width }, width === 0 ? "as a build" : `${width} at once`),
    ),
  );
  #timer = 0;
  #linked = 0;
  #generation = 0;

  constructor(parent: HTMLElement, { source = SOURCE }: ExplorerOptions) {
    this.#parent = parent;
    this.#panes = { ir: linesPane("IR"), vectors: linesPane("Vectorised IR"), wasm: linesPane("WebAssembly") };
    const code = element("div", { class: "mk-editor" });
    parent.classList.add("mk-root");
    parent.replaceChildren(
      element(
        "div",
        { class: "mk-stages" },
        element("section", { class: "mk-pane", "aria-label": "OpenCL C" }, heading("OpenCL C"), code),
        ...STAGES.map(([name, label]) =>
          element(
            "section",
            { class: "mk-pane", "aria-label": label },
            name === "vectors" ? heading(label, this.#width) : heading(label),
            this.#panes[name],
          ),
        ),
      ),
      element(
        "section",
        { class: "mk-pane", "aria-label": "Remarks" },
        heading("What the vectoriser says"),
        this.#remarks,
      ),
      element(
        "section",
        { class: "mk-pane", "aria-label": "Passes" },
        heading("Pass by pass"),
        element("div", { class: "mk-passes" }, this.#list, this.#changes),
      ),
    );
    this.#editor = createEditor(code, source, {
      check: async (text) => (await this.#compiler.ask("check", { source: text })).findings,
      changed: () => this.#later(),
      run: () => void this.#explore(),
    });
    this.#editor.dispatch({ effects: StateEffect.appendConfig.of(MARKS) });
    this.#width.addEventListener("change", () => void this.#explore());
    parent.addEventListener("pointerover", (event) => this.#pointed(event));
    parent.addEventListener("focusin", (event) => this.#pointed(event));
    this.#editor.contentDOM.addEventListener("keyup", () => this.#link(this.#lineOfCursor()));
    void this.#explore();
  }

  show(source: string): void {
    const { doc } = this.#editor.state;
    this.#editor.dispatch({ changes: { from: 0, to: doc.length, insert: source } });
  }

  destroy(): void {
    clearTimeout(this.#timer);
    this.#compiler.end();
    this.#editor.destroy();
    this.#parent.replaceChildren();
  }

  #later(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#explore(), PAUSE) as unknown as number;
  }

  async #explore(): Promise<void> {
    const generation = ++this.#generation;
    const source = this.#editor.state.doc.toString();
    try {
      const explored = await this.#compiler.ask("explore", { source, width: Number(this.#width.value) });
      if (generation !== this.#generation) return;
      if (explored === null) this.#say("The text has errors, which the editor underlines.");
      else this.#fill(explored);
    } catch (error) {
      if (generation === this.#generation) this.#say(error instanceof Error ? error.message : String(error));
    }
  }

  #say(text: string): void {
    this.#remarks.replaceChildren(element("li", {}, text));
  }

  #fill(explored: Explored): void {
    for (const [name] of STAGES) fill(this.#panes[name], explored[name]);
    this.#remarks.replaceChildren(
      ...explored.remarks.map(({ text, line }) => {
        return element("li", line > 0 ? { "data-line": line, tabindex: "0" } : {}, ...remarkParts(text));
      }),
    );
    const buttons = explored.passes.map(({ name, changes }) => {
      const button = element("button", { type: "button" }, name);
      button.addEventListener("click", () => {
        for (const other of buttons) other.toggleAttribute("aria-current", other === button);
        this.#showChanges(changes);
      });
      return button;
    });
    this.#list.replaceChildren(...buttons);
    buttons[0]?.click();
  }

  #showChanges(changes: string): void {
    this.#changes.replaceChildren(
      ...changes
        .trimEnd()
        .split("\n")
        .slice(0, MOST_LINES)
        .map((line) =>
          element(
            "div",
            line.startsWith("+") ? { class: "mk-added" } : line.startsWith("-") ? { class: "mk-removed" } : {},
            line,
          ),
        ),
    );
  }

  #lineOfCursor(): number {
    const { state } = this.#editor;
    return state.doc.lineAt(state.selection.main.head).number;
  }

  #pointed({ target }: Event): void {
    if (!(target instanceof Element)) return;
    const line = target.closest<HTMLElement>("[data-line]");
    if (line !== null) {
      this.#link(Number(line.dataset["line"]));
      return;
    }
    const code = target.closest(".cm-line");
    if (code !== null) this.#link(this.#editor.state.doc.lineAt(this.#editor.posAtDOM(code)).number);
  }

  /** Marks a line and what comes from it. */
  #link(line: number): void {
    if (line === this.#linked) return;
    this.#linked = line;
    this.#editor.dispatch({ effects: marked.of(line) });
    for (const pane of Object.values(this.#panes)) {
      for (const old of pane.querySelectorAll(".mk-linked")) old.classList.remove("mk-linked");
      const found = pane.querySelectorAll(`[data-line="${line}"]`);
      for (const one of found) one.classList.add("mk-linked");
      const [first] = found;
      if (first instanceof HTMLElement && !pane.matches(":hover"))
        pane.scrollTop = Math.max(0, first.offsetTop - pane.offsetTop - pane.clientHeight / 3);
    }
  }
}

/** Fills an element with an explorer. */
export function mountExplorer(parent: HTMLElement, options: ExplorerOptions = {}): Explorer {
  addStyle();
  const view = new ExplorerView(parent, options);
  return { show: (source) => view.show(source), destroy: () => view.destroy() };
}
