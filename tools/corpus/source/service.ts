// SPDX-License-Identifier: Apache-2.0
// A process that answers one request after the other. What takes too long, or ends the process, is an answer too, and
// the next request gets a new process.
import { type ChildProcess, fork } from "node:child_process";

/** How a service is run. */
export interface ServiceOptions {
  /** Program of the process; it calls {@link serve}. */
  readonly file: string;
  readonly words: readonly string[];
  /** Time for one request, in ms. */
  readonly limitMs: number;
  /** Memory of the process, in MiB: a request that needs more ends it. */
  readonly memory: number;
}

/** An answer, or the reason why there is none. */
export type Answer<T> = { readonly answer: T } | { readonly failure: string };

/** Characters of the standard error of a process that died, to name the reason. */
const LAST_WORDS = 2000;

/** Lets a process answer the requests of its parent. */
export function serve(reply: (request: unknown) => unknown): void {
  process.on("message", (request) => {
    void (async (): Promise<void> => {
      process.send?.(await reply(request));
    })();
  });
}

/** The line of an engine's or a program's last words that names the reason. */
function reasonIn(words: string): string {
  const lines = words.split("\n").filter((line) => line.trim() !== "");
  return (lines.find((line) => /^(?:FATAL ERROR|\w*Error)\b/u.test(line)) ?? lines.at(-1) ?? "").trim();
}

/** Requests to a process, which is started when it is needed. */
export class Service<Request extends object, Reply> {
  readonly #options: ServiceOptions;
  #child: ChildProcess | null = null;
  #words = "";

  /** Nothing is started yet. */
  constructor(options: ServiceOptions) {
    this.#options = options;
  }

  #start(): ChildProcess {
    const { file, words, memory } = this.#options;
    const child = fork(file, [...words], {
      execArgv: ["--conditions=source", "--no-warnings", `--max-old-space-size=${memory}`],
      stdio: ["ignore", "ignore", "pipe", "ipc"],
    });
    this.#words = "";
    child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      this.#words = (this.#words + text).slice(-LAST_WORDS);
    });
    this.#child = child;
    return child;
  }

  /** The answer to a request. One request at a time. */
  async ask(request: Request): Promise<Answer<Reply>> {
    const child = this.#child ?? this.#start();
    const { limitMs } = this.#options;
    const result = await new Promise<Answer<Reply>>((done) => {
      const watch = setTimeout(() => {
        done({ failure: `no end within ${limitMs / 1000} s` });
        child.kill("SIGKILL");
      }, limitMs);
      const gone = (code: number | null, signal: string | null): void => {
        clearTimeout(watch);
        this.#child = null;
        done({ failure: `the process ended (${signal ?? `status ${code ?? 0}`}): ${reasonIn(this.#words)}` });
      };
      child.once("close", gone);
      child.once("message", (message) => {
        clearTimeout(watch);
        child.off("close", gone);
        done({ answer: message as Reply });
      });
      child.send(request);
    });
    if ("failure" in result) {
      child.removeAllListeners("message");
      this.#child = null;
    }
    return result;
  }

  /** Ends the process. */
  close(): void {
    this.#child?.kill();
    this.#child = null;
  }
}
