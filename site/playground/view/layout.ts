// SPDX-License-Identifier: Apache-2.0
// The elements of the playground: what they are called, and what they show.
import type { Finding } from "../engine/protocol.ts";
import { type Entry, SHOWS, type Setup, type Show } from "../model/setup.ts";
import { element } from "./dom.ts";

/** What buttons do. */
export interface LayoutHooks {
  readonly open: (name: string) => void;
  readonly run: () => void;
  readonly play: () => void;
  readonly restart: () => void;
  readonly share: () => void;
  readonly compare: () => void;
  readonly show: (kind: Show["kind"], buffer: string) => void;
  readonly picture: (file: Blob) => void;
  /** A tab of the editor: the kernel, or plain TypeScript. */
  readonly tab: (isPlain: boolean) => void;
  readonly explore: (() => void) | null;
}

/** The elements, and what they are told to show. */
export interface Layout {
  readonly editor: HTMLElement;
  readonly controls: HTMLElement;
  readonly canvas: HTMLCanvasElement;
  readonly table: HTMLElement;
  readonly showEntry: (entry: Entry | null, plain: string) => void;
  readonly showPlain: (isPlain: boolean) => void;
  readonly showFindings: (findings: readonly Finding[]) => void;
  /** `why` says why the page is not isolated; empty: nothing is known of it. */
  readonly showThreads: (threads: number, why: string) => void;
  readonly showStatus: (text: string) => void;
  readonly showBuild: (time: number) => void;
  readonly showTime: (time: number) => void;
  readonly showComparison: (times: { readonly kernel: number; readonly plain: number } | null) => void;
  readonly showPlaying: (isPlaying: boolean, animates: boolean) => void;
  readonly showChoices: (setup: Setup, show: Show) => void;
  readonly showCanvas: (isShown: boolean, isMoved: boolean) => void;
  readonly showPrinted: (text: string) => void;
  readonly showError: (message: string | null) => void;
  readonly showLink: (link: string, isCopied: boolean) => void;
}

function milliseconds(time: number): string {
  return `${time < 10 ? time.toFixed(2) : time < 100 ? time.toFixed(1) : time.toFixed(0)} ms`;
}

function words(count: number, word: string): readonly string[] {
  return count === 0 ? [] : [`${count} ${word}${count === 1 ? "" : "s"}`];
}

/** Fills an element. */
// One tree of elements: names for its parts would only be passed around.
// oxlint-disable-next-line max-lines-per-function
export function createLayout(parent: HTMLElement, entries: readonly Entry[], hooks: LayoutHooks): Layout {
  const cards = new Map(
    entries.map(({ name, title }) => [
      name,
      element(
        "button",
        { type: "button", class: "mk-card", "data-entry": name, onclick: () => hooks.open(name) },
        title,
      ),
    ]),
  );
  const gallery = element("nav", { class: "mk-gallery", "aria-label": "Gallery" }, ...cards.values());
  const title = element("h2", { class: "mk-title" });
  const about = element("p", { class: "mk-about" });

  const tab = (text: string, isPlain: boolean): HTMLButtonElement =>
    element(
      "button",
      { type: "button", role: "tab", "aria-selected": String(!isPlain), onclick: () => hooks.tab(isPlain) },
      text,
    );
  const tabs = [tab("OpenCL C", false), tab("Plain TypeScript", true)] as const;
  const problems = element("span", { class: "mk-problems", role: "status" });
  const run = element(
    "button",
    { type: "button", class: "mk-primary", title: "Ctrl+Enter", onclick: hooks.run },
    "Run",
  );
  const share = element("button", { type: "button", onclick: hooks.share }, "Share");
  const explore = hooks.explore;
  const code = element("div", { class: "mk-editor", role: "tabpanel", "aria-label": "OpenCL C" });
  const plain = element("pre", { class: "mk-plain", hidden: true, tabindex: "0", "aria-label": "Plain TypeScript" });
  const bar = element(
    "div",
    { class: "mk-bar" },
    element("div", { role: "tablist", class: "mk-tabs", "aria-label": "Source" }, ...tabs),
    problems,
    ...(explore === null
      ? []
      : [element("button", { type: "button", class: "mk-explore", onclick: explore }, "Explore")]),
    share,
    run,
  );
  const link = element("input", { type: "text", readonly: true, class: "mk-link", "aria-label": "Link", hidden: true });
  const left = element("section", { class: "mk-source", "aria-label": "Source" }, bar, link, code, plain);

  const canvas = element("canvas", { class: "mk-canvas", tabindex: "0", role: "img", "aria-label": "Result" });
  const table = element("div", { class: "mk-tables", hidden: true });
  const error = element("pre", { class: "mk-error", role: "alert", hidden: true });
  const printed = element("pre", { class: "mk-printed", "aria-label": "Output of printf", hidden: true });
  const play = element("button", { type: "button", class: "mk-play", onclick: hooks.play }, "Pause");
  const restart = element("button", { type: "button", class: "mk-restart", onclick: hooks.restart }, "Restart");
  const kind = element("select", { "aria-label": "Show as" }, ...SHOWS.map((name) => element("option", {}, name)));
  const buffer = element("select", { "aria-label": "Buffer that is shown" });
  const choose = (): void => hooks.show(kind.value as Show["kind"], buffer.value);
  kind.addEventListener("change", choose);
  buffer.addEventListener("change", choose);
  const file = element("input", {
    type: "file",
    accept: "image/*",
    class: "mk-file",
    "aria-label": "Your own picture",
  });
  file.addEventListener("change", () => {
    const [chosen] = file.files ?? [];
    if (chosen !== undefined) hooks.picture(chosen);
  });
  const own = element("label", { class: "mk-own", hidden: true }, "Your picture", file);
  const time = element("strong", { class: "mk-time" }, "–");
  const against = element("span", { class: "mk-against" });
  const build = element("span", { class: "mk-build" });
  const threads = element("span", { class: "mk-threads" });
  const again = element("button", { type: "button", class: "mk-again", onclick: hooks.compare }, "Compare again");
  const facts = element("div", { class: "mk-facts" }, time, against, again, build, threads);
  const controls = element("div", { class: "mk-controls", role: "group", "aria-label": "Arguments" });
  const stage = element("div", { class: "mk-stage" }, canvas, table);
  stage.addEventListener("dragover", (event) => event.preventDefault());
  stage.addEventListener("drop", (event) => {
    event.preventDefault();
    const [dropped] = event.dataTransfer?.files ?? [];
    if (dropped !== undefined) hooks.picture(dropped);
  });
  const right = element(
    "section",
    { class: "mk-result", "aria-label": "Result" },
    element("div", { class: "mk-bar" }, play, restart, kind, buffer, own),
    stage,
    error,
    facts,
    printed,
    controls,
  );
  parent.classList.add("mk-root");
  parent.replaceChildren(
    gallery,
    element("header", { class: "mk-head" }, title, about),
    element("div", { class: "mk-panes" }, left, right),
  );

  return {
    editor: code,
    controls,
    canvas,
    table,
    showEntry: (entry, text) => {
      title.textContent = entry?.title ?? "Your kernel";
      about.textContent = entry?.about ?? "";
      plain.textContent = text;
      tabs[1].hidden = text === "";
      for (const [name, card] of cards) card.toggleAttribute("aria-current", name === entry?.name);
      const current = cards.get(entry?.name ?? "");
      if (current !== undefined)
        gallery.scrollTo({ left: current.offsetLeft - gallery.clientWidth / 2 + current.offsetWidth / 2 });
      hooks.tab(false);
    },
    showPlain: (isPlain) => {
      code.hidden = isPlain;
      plain.hidden = !isPlain;
      tabs[0].setAttribute("aria-selected", String(!isPlain));
      tabs[1].setAttribute("aria-selected", String(isPlain));
    },
    showFindings: (findings) => {
      const errors = findings.filter(({ severity }) => severity === "error").length;
      const warnings = findings.filter(({ severity }) => severity === "warning").length;
      problems.textContent = [...words(errors, "error"), ...words(warnings, "warning")].join(", ");
      problems.classList.toggle("mk-bad", errors > 0);
    },
    showThreads: (count, why) => {
      const isAlone = count === 1 && !crossOriginIsolated;
      threads.textContent = `${count === 1 ? "1 thread" : `${count} threads`}${isAlone ? ", not isolated" : ""}`;
      threads.title = isAlone
        ? `The page is not isolated from others, so the browser gives it no shared memory. ${why}`.trim()
        : "The page is isolated, so work-groups are shared among threads.";
    },
    showStatus: (text) => {
      build.textContent = text;
    },
    showBuild: (duration) => {
      build.textContent = `compiled in ${milliseconds(duration)}`;
    },
    showTime: (duration) => {
      time.textContent = milliseconds(duration);
    },
    showComparison: (times) => {
      again.hidden = times === null;
      against.textContent = "";
      if (times === null) return;
      // The first launch also waited for the kernel's code.
      time.textContent = milliseconds(times.kernel);
      const factor = times.plain / times.kernel;
      against.append(
        element("b", {}, `${factor < 10 ? factor.toFixed(1) : factor.toFixed(0)}×`),
        ` as fast as plain TypeScript (${milliseconds(times.kernel)} beside ${milliseconds(times.plain)})`,
      );
    },
    showPlaying: (isPlaying, animates) => {
      play.hidden = !animates;
      restart.hidden = !animates;
      play.textContent = isPlaying ? "Pause" : "Play";
    },
    showChoices: (setup, show) => {
      const shown = show.kind === "table" ? (show.buffers[0] ?? "") : show.buffer;
      kind.value = show.kind;
      buffer.replaceChildren(...Object.keys(setup.buffers).map((name) => element("option", {}, name)));
      buffer.value = shown;
      buffer.hidden = show.kind === "table";
      own.hidden = !Object.values(setup.buffers).some(({ content }) => content.kind === "picture");
      canvas.setAttribute("aria-label", `${title.textContent ?? ""}: ${show.kind} of the buffer ${shown}`);
    },
    showCanvas: (isShown, isMoved) => {
      canvas.hidden = !isShown;
      table.hidden = isShown;
      canvas.classList.toggle("mk-moved", isMoved);
    },
    showPrinted: (text) => {
      printed.hidden = text === "";
      printed.textContent = text;
    },
    showError: (message) => {
      error.hidden = message === null;
      error.textContent = message ?? "";
      stage.classList.toggle("mk-dim", message !== null);
    },
    showLink: (address, isCopied) => {
      link.hidden = false;
      link.value = address;
      link.select();
      share.textContent = isCopied ? "Copied" : "Share";
      setTimeout(() => {
        share.textContent = "Share";
      }, 2000);
    },
  };
}
