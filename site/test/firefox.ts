// SPDX-License-Identifier: Apache-2.0
// Drives Firefox by WebDriver BiDi, which it speaks itself: Playwright takes only builds of its own. Commands are JSON
// on a web socket; an answer has the number of its command, events have none (https://w3c.github.io/webdriver-bidi).
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";

import { findBrowser, startBrowser } from "../../scripts/browsers/browser.ts";

const PATIENCE = 30_000;
/** ms between two looks at a page. */
const PAUSE = 50;

/** A key of WebDriver that is no character. */
export const KEYS: Readonly<Record<"control" | "delete" | "escape", string>> = {
  control: "\uE009",
  delete: "\uE017",
  escape: "\uE00C",
};

/** A page of Firefox. */
export interface FirefoxPage {
  /** Opens an address, loaded anew. */
  readonly open: (url: string) => Promise<void>;
  /** The value of an expression in the page, which may be a promise. Throws what it throws. */
  readonly evaluate: <T>(expression: string) => Promise<T>;
  /** Waits until an expression is true. Throws an Error where that takes too long. */
  readonly until: (what: string, expression: string) => Promise<void>;
  /** Keys in turn; a key after "control" is pressed with it. */
  readonly press: (keys: readonly string[]) => Promise<void>;
  /** Errors and warnings of the console and of scripts, until now. */
  readonly complaints: () => readonly string[];
  readonly close: () => Promise<void>;
}

interface Message {
  readonly id?: number;
  readonly type?: string;
  readonly method?: string;
  readonly message?: string;
  readonly params?: { readonly level?: string; readonly text?: string };
  readonly result?: unknown;
}

type Ask = (method: string, params: object) => Promise<unknown>;

/** The web socket that a starting Firefox names. */
async function started(program: string, folder: string): Promise<{ readonly url: string; readonly kill: () => void }> {
  const address = Promise.withResolvers<string>();
  const { ended, kill } = startBrowser("firefox", program, folder, "about:blank", {
    args: ["--remote-debugging-port", "0"],
    heard: (line) => {
      const url = /WebDriver BiDi listening on (ws:\S+)/u.exec(line)?.[1];
      if (url !== undefined) address.resolve(url);
    },
  });
  void ended.then((said) => address.reject(new Error(`firefox has ended: ${said}`)));
  return { url: `${await address.promise}/session`, kill };
}

/** A connection: what asks, and what was complained of. */
async function connect(url: string): Promise<{ readonly ask: Ask; readonly complaints: string[] }> {
  const socket = new WebSocket(url);
  const waiting = new Map<number, { resolve: (value: unknown) => void; reject: (error: Error) => void }>();
  const complaints: string[] = [];
  let last = 0;
  socket.addEventListener("message", ({ data }) => {
    const message = JSON.parse(String(data)) as Message;
    const waits = message.id === undefined ? undefined : waiting.get(message.id);
    if (waits !== undefined && message.type === "error") waits.reject(new Error(message.message));
    else if (waits !== undefined) waits.resolve(message.result);
    else if (message.method === "log.entryAdded" && /warn|error/u.test(message.params?.level ?? ""))
      complaints.push(`${message.params?.level ?? ""}: ${message.params?.text ?? ""}`);
  });
  await new Promise((resolve, reject) => {
    socket.addEventListener("open", resolve);
    socket.addEventListener("error", () => reject(new Error(`${url} does not answer`)));
  });
  const ask: Ask = (method, params) =>
    new Promise((resolve, reject) => {
      last += 1;
      waiting.set(last, { resolve, reject });
      socket.send(JSON.stringify({ id: last, method, params }));
    });
  return { ask, complaints };
}

/** What keys are for `input.performActions`. */
function keyActions(keys: readonly string[]): readonly object[] {
  return keys.flatMap((value, i) => {
    if (value === KEYS.control) return [{ type: "keyDown", value }];
    const isHeld = keys[i - 1] === KEYS.control;
    const up = [{ type: "keyUp", value }, ...(isHeld ? [{ type: "keyUp", value: KEYS.control }] : [])];
    return [{ type: "keyDown", value }, ...up];
  });
}

/** Starts Firefox, headless, with a page; null: it is not installed. */
export async function startFirefox(): Promise<FirefoxPage | null> {
  const program = findBrowser("firefox");
  if (program === null) return null;
  const folder = mkdtempSync(join(tmpdir(), "muxkit-firefox-"));
  const { url, kill } = await started(program, folder);
  const { ask, complaints } = await connect(url);
  await ask("session.new", { capabilities: {} });
  await ask("session.subscribe", { events: ["log.entryAdded"] });
  const { contexts } = (await ask("browsingContext.getTree", {})) as { contexts: readonly { context: string }[] };
  const context = contexts[0]?.context ?? "";

  const evaluate = async <T>(expression: string): Promise<T> => {
    const whole = `Promise.resolve(${expression}).then((value) => JSON.stringify({ value }))`;
    const answer = (await ask("script.evaluate", {
      expression: whole,
      target: { context },
      awaitPromise: true,
    })) as { result?: { value: string }; exceptionDetails?: { text: string } };
    if (answer.result === undefined) throw new Error(answer.exceptionDetails?.text ?? `no answer to ${expression}`);
    return (JSON.parse(answer.result.value) as { value: T }).value;
  };
  return {
    open: async (address) => {
      // An address that differs only in its fragment would not load the page.
      await ask("browsingContext.navigate", { context, url: "about:blank", wait: "complete" });
      await ask("browsingContext.navigate", { context, url: address, wait: "interactive" });
    },
    evaluate,
    until: async (what, expression) => {
      for (const begin = performance.now(); performance.now() - begin < PATIENCE;) {
        // A page that is loaded again cannot answer meanwhile.
        // oxlint-disable-next-line no-await-in-loop
        if (await evaluate<boolean>(expression).catch(() => false)) return;
        // oxlint-disable-next-line no-await-in-loop
        await wait(PAUSE);
      }
      throw new Error(`${what}: not within ${String(PATIENCE / 1000)} s`);
    },
    press: async (keys) => {
      const actions = [{ type: "key", id: "keyboard", actions: keyActions(keys) }];
      await ask("input.performActions", { context, actions });
    },
    complaints: () => complaints,
    close: async () => {
      await ask("session.end", {}).catch(() => {});
      kill();
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}
