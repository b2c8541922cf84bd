// SPDX-License-Identifier: Apache-2.0
// The playground: editor, controls, result, and the thread that runs what is typed.
import type { EditorView } from "@codemirror/view";

import { median } from "../../../scripts/median.ts";
import type { Finding, ReadBuffer, Requests } from "../engine/protocol.ts";
import { NoAnswer, WorkerClient } from "../engine/worker-client.ts";
import { ENTRIES } from "../gallery/entries.ts";
import { textsOf } from "../gallery/sources.ts";
import type { Pixels } from "../model/contents.ts";
import type { Entry, Passed, Setup, Show } from "../model/setup.ts";
import { drawHistogram, drawPlot } from "./chart-view.ts";
import { showControls } from "./controls.ts";
import { type Layout, createLayout } from "./layout.ts";
import { readPicture } from "./own-picture.ts";
import { type PictureState, firstState, isDriven, listenToPicture } from "./picture-input.ts";
import { drawPicture } from "./picture-view.ts";
import { type Shared, fragmentOf, sharedOf } from "./share-link.ts";
import { addStyle } from "./style.ts";
import { showTable } from "./table-view.ts";

/** ms that a launch may take. */
export const DEADLINE = 3000;
/** ms more until a thread that does not answer is ended. */
const GRACE = 3000;

/** How a playground begins. */
export interface PlaygroundOptions {
  /** The fragment of the page's address, which may hold a program. Absent: that of the page. */
  readonly fragment?: string;
  /** False: one thread, also on isolated pages. Absent: as many as there are. */
  readonly threads?: boolean;
  /** Why the page is not isolated, for readers. Absent or empty: nothing is known of it. */
  readonly notIsolated?: string;
  /** Shows a text in the explorer; absent: there is no button for it. */
  readonly explore?: (source: string) => void;
}

/** A playground in a page. */
export interface Playground {
  /** Runs a number of frames from the start, without animation; resolves when the last is drawn. For tests. */
  readonly settle: (frames: number) => Promise<void>;
  readonly open: (name: string) => Promise<void>;
  readonly destroy: () => void;
}

/** See the file's head. */
class PlaygroundView {
  readonly layout: Layout;
  readonly #options: PlaygroundOptions;
  #language: WorkerClient | null = null;
  #runner: WorkerClient | null = null;
  #opened: Promise<unknown> = Promise.resolve();
  #editor: EditorView | null = null;
  /** What the editor begins with. */
  #text = "";
  /** Resolves when there is a picture, or an error in its place. What is not needed for it waits until then. */
  readonly #shown = Promise.withResolvers<void>();
  #entry: Entry | null = null;
  /** The setup that the next load asks for; null: what follows from the kernels. */
  #asked: Setup | null = null;
  /** What is loaded; null: nothing is. */
  #setup: Setup | null = null;
  #original = "";
  #values: Record<string, Passed> = {};
  #state: PictureState = firstState({
    buffers: {},
    parameters: {},
    start: [],
    frame: [],
    animates: false,
    show: { kind: "table", buffers: [] },
  });
  #own: Pixels | null = null;
  #show: Show | null = null;
  #frame = 0;
  #restart = true;
  #isPlaying = false;
  #isBusy = false;
  /** The frame that is being made. */
  #current: Promise<void> = Promise.resolve();
  #isStale = false;
  #times: number[] = [];
  #wasCompared = false;
  #generation = 0;
  #isGone = false;
  #timer = 0;

  constructor(parent: HTMLElement, options: PlaygroundOptions) {
    this.#options = options;
    this.layout = createLayout(parent, ENTRIES, {
      open: (name) => void this.open(name),
      run: () => void this.reload(),
      play: () => this.#play(!this.#isPlaying),
      restart: () => this.#startAgain(),
      share: () => void this.#share(),
      compare: () => void this.#compare(),
      show: (kind, buffer) => this.#showAs(kind, buffer),
      picture: (file) => void this.#takePicture(file),
      tab: (isPlain) => this.layout.showPlain(isPlain),
      explore: options.explore === undefined ? null : () => options.explore?.(this.#source()),
    });
    listenToPicture(
      this.layout.canvas,
      () => this.#setup,
      () => this.#state,
      () => this.#redraw(),
    );
  }

  #source(): string {
    return this.#editor?.state.doc.toString() ?? this.#text;
  }

  /** Begins with what the address says, or with the first entry. */
  async begin(): Promise<void> {
    // The editor's code comes while the kernel's picture is made.
    const ends = await Promise.allSettled([this.#openFirst(), this.#openEditor()]);
    for (const end of ends) if (end.status === "rejected") this.#fail(end.reason);
  }

  async #openFirst(): Promise<void> {
    const fragment = this.#options.fragment ?? location.hash;
    const shared = await sharedOf(fragment);
    const named = ENTRIES.find(({ name }) => fragment === `#${name}`);
    if (shared === null) await this.open(named?.name ?? ENTRIES[0]?.name ?? "");
    else await this.#openShared(shared);
  }

  async #openEditor(): Promise<void> {
    const { createEditor } = await import("../editor/editor.ts");
    if (this.#isGone) return;
    this.#editor = createEditor(this.layout.editor, this.#text, {
      check: (source) => this.#check(source),
      changed: () => this.#typed(),
      run: () => void this.reload(),
    });
  }

  async #check(source: string): Promise<readonly Finding[]> {
    if (source === "") return [];
    await this.#shown.promise;
    if (this.#isGone) return [];
    this.#language ??= new WorkerClient("muxkit language");
    const { findings } = await this.#language.ask("check", { source });
    this.layout.showFindings(findings);
    return findings;
  }

  async #openShared(shared: Shared): Promise<void> {
    const entry = ENTRIES.find(({ name }) => name === shared.entry) ?? null;
    const texts = entry === null ? { kernel: "", plain: "" } : await textsOf(entry.name);
    this.#take(entry, texts, shared.source ?? texts.kernel, shared.setup ?? entry?.setup ?? null);
    this.#values = { ...shared.parameters };
    if (shared.view !== undefined) {
      this.#state.centre = [shared.view.x, shared.view.y];
      this.#state.scale = shared.view.scale;
    }
    await this.reload();
  }

  /** Opens an entry of the gallery. */
  async open(name: string): Promise<void> {
    const entry = ENTRIES.find((known) => known.name === name);
    if (entry === undefined) return;
    const texts = await textsOf(name);
    this.#take(entry, texts, texts.kernel, entry.setup);
    if (this.#options.fragment === undefined) history.replaceState(null, "", `#${name}`);
    await this.reload();
  }

  #take(
    entry: Entry | null,
    texts: { readonly kernel: string; readonly plain: string },
    source: string,
    setup: Setup | null,
  ): void {
    this.#entry = entry;
    this.#asked = setup;
    this.#original = texts.kernel;
    this.#text = source;
    this.#values = {};
    this.#show = setup?.show ?? null;
    if (setup !== null) this.#state = firstState(setup);
    this.#setup = null;
    this.layout.showEntry(entry, texts.plain);
    clearTimeout(this.#timer);
    const editor = this.#editor;
    editor?.dispatch({ changes: { from: 0, to: editor.state.doc.length, insert: source }, selection: { anchor: 0 } });
    clearTimeout(this.#timer);
  }

  /** After a pause, what was typed runs. */
  #typed(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.reload(), 700) as unknown as number;
  }

  #running(): WorkerClient {
    if (this.#runner === null) {
      this.#runner = new WorkerClient("muxkit kernels");
      const threads = this.#options.threads !== false;
      this.#opened = this.#runner.ask("open", { deadline: DEADLINE, threads }).then((opened) => {
        this.layout.showThreads(opened.threads, this.#options.notIsolated ?? "");
      });
    }
    return this.#runner;
  }

  /** Builds what is in the editor and starts it. */
  async reload(): Promise<void> {
    const generation = ++this.#generation;
    this.#play(false);
    try {
      const runner = this.#running();
      this.layout.showStatus("compiling …");
      await this.#opened;
      const loaded = await runner.ask(
        "load",
        { source: this.#source(), setup: this.#asked, own: this.#own },
        DEADLINE * 4,
      );
      if (generation !== this.#generation) return;
      this.#setup = loaded.setup;
      const isShown = this.#shownBuffer() in loaded.setup.buffers;
      if (!isShown) this.#show = null;
      this.#show ??= loaded.setup.show;
      this.layout.showBuild(loaded.build);
      showControls(this.layout.controls, loaded.setup, this.#values, {
        parameter: (name, value, restarts) => {
          this.#values[name] = value;
          if (restarts) this.#startAgain();
          else this.#redraw();
        },
        buffer: (name, buffer) => {
          this.#asked = { ...loaded.setup, buffers: { ...(this.#asked ?? loaded.setup).buffers, [name]: buffer } };
          if (this.#asked.frame.length === 1 && name === this.#shownBuffer())
            this.#asked = {
              ...this.#asked,
              frame: this.#asked.frame.map((step) => ({ ...step, range: buffer.shape })),
            };
          void this.reload();
        },
      });
      const show = this.#show ?? loaded.setup.show;
      this.layout.showChoices(loaded.setup, show);
      this.#wasCompared = false;
      this.layout.showComparison(null);
      this.#startAgain();
      this.#play(loaded.setup.animates && !this.#isStill());
    } catch (error) {
      if (generation === this.#generation) this.#fail(error);
    }
  }

  /** True: the reader asks for little motion. */
  #isStill(): boolean {
    return matchMedia("(prefers-reduced-motion: reduce)").matches;
  }

  #shownBuffer(): string {
    const show = this.#show;
    return show === null ? "" : show.kind === "table" ? (show.buffers[0] ?? "") : show.buffer;
  }

  #startAgain(): void {
    this.#restart = true;
    this.#frame = 0;
    this.#times = [];
    this.#redraw();
  }

  #play(isOn: boolean): void {
    this.#isPlaying = isOn && this.#setup !== null;
    this.layout.showPlaying(this.#isPlaying, this.#setup?.animates === true);
    if (this.#isPlaying) this.#next();
  }

  #next(): void {
    requestAnimationFrame(() => {
      if (this.#isPlaying && !document.hidden) void this.#step(1);
      else if (this.#isPlaying) setTimeout(() => this.#next(), 200);
    });
  }

  /** A picture for what has changed. A program that goes on shows it in its next frame. */
  #redraw(): void {
    if (this.#setup === null) return;
    if (this.#isBusy) this.#isStale = true;
    else if (!this.#isPlaying) void this.#step(1);
  }

  #frameValues(): Requests["frame"]["ask"]["values"] {
    const { centre, scale, orbit, pointer } = this.#state;
    return { frame: this.#frame, pointer, centre, scale, orbit, parameters: this.#values };
  }

  #step(count: number): Promise<void> {
    if (!this.#isBusy) this.#current = this.#stepNow(count);
    return this.#current;
  }

  async #stepNow(count: number): Promise<void> {
    const [setup, show, runner] = [this.#setup, this.#show, this.#runner];
    if (setup === null || show === null || runner === null || this.#isBusy) return;
    const generation = this.#generation;
    this.#isBusy = true;
    this.#isStale = false;
    try {
      const restart = this.#restart;
      this.#restart = false;
      const buffers = show.kind === "table" ? show.buffers : [show.buffer];
      const answer = await runner.ask(
        "frame",
        { values: this.#frameValues(), restart, count, buffers },
        DEADLINE * count + GRACE,
      );
      if (generation !== this.#generation) return;
      this.#frame += setup.animates ? count : 0;
      const { pointer } = this.#state;
      if (pointer.length > 0) this.#state.pointer = [pointer[0] ?? 0, pointer[1] ?? 0, 0, 0];
      this.#draw(setup, show, answer.buffers);
      this.#shown.resolve();
      this.#measure(answer.time);
      this.layout.showPrinted(answer.printed);
      this.layout.showError(null);
    } catch (error) {
      if (generation === this.#generation) this.#fail(error);
    } finally {
      this.#isBusy = false;
    }
    if (this.#isPlaying) this.#next();
    else if (this.#isStale) void this.#step(1);
    if (!this.#wasCompared && this.#times.length >= (this.#setup?.animates === true ? 20 : 1)) void this.#compare();
  }

  #draw(setup: Setup, show: Show, buffers: readonly ReadBuffer[]): void {
    const { canvas, table } = this.layout;
    const [buffer] = buffers;
    this.layout.showCanvas(show.kind !== "table", isDriven(setup, "centre") || isDriven(setup, "orbit"));
    if (show.kind === "table") showTable(table, buffers);
    else if (buffer === undefined) throw new Error(`no kernel has the buffer "${show.buffer}", which is shown`);
    else if (show.kind === "plot") drawPlot(canvas, buffer);
    else if (show.kind === "histogram") drawHistogram(canvas, buffer);
    else drawPicture(canvas, buffer, setup.buffers[show.buffer]?.shape ?? [buffer.elements.length / buffer.stride, 1]);
  }

  #measure(time: number): void {
    this.#times = [...this.#times.slice(-19), time];
    this.layout.showTime(median(this.#times));
  }

  async #compare(): Promise<void> {
    const runner = this.#runner;
    if (this.#entry === null || runner === null || this.#setup === null) return;
    this.#wasCompared = true;
    if (this.#source() !== this.#original) {
      this.layout.showComparison(null);
      return;
    }
    const generation = this.#generation;
    const ask = { entry: this.#entry.name, values: this.#frameValues(), own: this.#own };
    try {
      const compared = await runner.ask("compare", ask, 60_000);
      if (generation === this.#generation) this.layout.showComparison(compared);
    } catch (error) {
      if (generation === this.#generation) this.#fail(error);
    }
  }

  #showAs(kind: Show["kind"], buffer: string): void {
    const names = Object.keys(this.#setup?.buffers ?? {});
    const show: Show = kind === "table" ? { kind, buffers: names.slice(0, 6) } : { kind, buffer };
    this.#show = show;
    if (this.#setup !== null) this.layout.showChoices(this.#setup, show);
    this.#redraw();
  }

  async #takePicture(file: Blob): Promise<void> {
    try {
      this.#own = await readPicture(file);
      await this.reload();
    } catch (error) {
      this.#fail(error);
    }
  }

  async #share(): Promise<void> {
    const source = this.#source();
    const entry = this.#entry;
    const isOwnSetup = this.#asked !== null && this.#asked !== entry?.setup;
    const { centre, scale } = this.#state;
    const fragment = await fragmentOf({
      entry: entry?.name ?? "",
      ...(source === this.#original ? {} : { source }),
      ...(isOwnSetup && this.#asked !== null ? { setup: this.#asked } : {}),
      ...(Object.keys(this.#values).length === 0 ? {} : { parameters: this.#values }),
      ...(this.#setup !== null && isDriven(this.#setup, "centre")
        ? { view: { x: centre[0], y: centre[1], scale } }
        : {}),
    });
    if (this.#options.fragment === undefined) history.replaceState(null, "", fragment);
    const link = new URL(fragment, location.href).href;
    const isCopied = await navigator.clipboard.writeText(link).then(
      () => true,
      () => false,
    );
    this.layout.showLink(link, isCopied);
  }

  #fail(error: unknown): void {
    this.#play(false);
    this.#shown.resolve();
    this.layout.showStatus("");
    this.layout.showError(error instanceof Error ? error.message : String(error));
    // A thread that had to be ended takes the device with it; the next run has a new one.
    if (error instanceof NoAnswer) this.#runner = null;
  }

  /** Runs a number of frames from the start. */
  async settle(frames: number): Promise<void> {
    this.#play(false);
    await this.#current;
    this.#wasCompared = true;
    this.#frame = 0;
    this.#restart = true;
    await this.#step(frames);
  }

  destroy(): void {
    this.#isGone = true;
    this.#shown.resolve();
    this.#generation++;
    this.#play(false);
    clearTimeout(this.#timer);
    this.#language?.end();
    this.#runner?.end();
    this.#editor?.destroy();
  }
}

/** Fills an element with a playground. */
export function mountPlayground(parent: HTMLElement, options: PlaygroundOptions = {}): Playground {
  addStyle();
  const view = new PlaygroundView(parent, options);
  void view.begin();
  return {
    settle: (frames) => view.settle(frames),
    open: (name) => view.open(name),
    destroy: () => {
      view.destroy();
      parent.replaceChildren();
    },
  };
}
