// SPDX-License-Identifier: Apache-2.0
// Starts browsers of this machine, headless, with a new profile each time, and ends them with all their processes. They
// show one page, which reports by itself, so nothing has to drive them.
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { createInterface } from "node:readline";

/** Kinds of browsers. */
export type BrowserName = "chromium" | "firefox";

interface BrowserRow {
  /** What the program may be called, the likeliest first. */
  readonly programs: readonly string[];
  readonly args: (profile: string, url: string) => readonly string[];
  readonly prepare: (profile: string) => void;
}

/** No requests to the network, no first-run pages, no limit on how long scripts take. */
const FIREFOX_PREFERENCES: Readonly<Record<string, boolean | number | string>> = {
  "app.normandy.enabled": false,
  "app.update.disabledForTesting": true,
  "browser.shell.checkDefaultBrowser": false,
  "browser.aboutwelcome.enabled": false,
  "browser.safebrowsing.update.enabled": false,
  "browser.startup.homepage_override.mstone": "ignore",
  "datareporting.policy.dataSubmissionEnabled": false,
  "dom.max_script_run_time": 0,
  "extensions.getAddons.cache.enabled": false,
  "extensions.update.enabled": false,
  "network.captive-portal-service.enabled": false,
  "network.connectivity-service.enabled": false,
  "services.settings.server": "data:,",
  "toolkit.telemetry.enabled": false,
};

const BROWSERS: Readonly<Record<BrowserName, BrowserRow>> = {
  chromium: {
    programs: ["chromium", "chromium-browser", "google-chrome"],
    args: (profile, url) => [
      "--headless",
      "--no-sandbox",
      "--disable-gpu",
      "--disable-dev-shm-usage",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
      "--disable-extensions",
      "--disable-background-timer-throttling",
      `--user-data-dir=${profile}`,
      url,
    ],
    prepare: () => {},
  },
  firefox: {
    programs: ["firefox-esr", "firefox"],
    args: (profile, url) => ["--headless", "--no-remote", "--profile", profile, url],
    prepare: (profile) => {
      mkdirSync(profile, { recursive: true });
      writeFileSync(
        join(profile, "user.js"),
        Object.entries(FIREFOX_PREFERENCES)
          .map(([name, value]) => `user_pref(${JSON.stringify(name)}, ${JSON.stringify(value)});\n`)
          .join(""),
      );
    },
  },
};

/** All kinds. */
export const BROWSER_NAMES: readonly BrowserName[] = Object.keys(BROWSERS) as BrowserName[];

/** Where a browser is; null where it is not installed. */
export function findBrowser(name: BrowserName): string | null {
  const folders = (process.env["PATH"] ?? "").split(delimiter);
  const paths = BROWSERS[name].programs.flatMap((program) => folders.map((folder) => join(folder, program)));
  return paths.find((path) => existsSync(path)) ?? null;
}

/** A running browser. */
export interface Browser {
  /** Resolves with what it wrote to its standard error, when it has ended. */
  readonly ended: Promise<string>;
  readonly kill: () => void;
}

/** Lines of a browser's standard error that are kept. */
const KEPT = 20;

/** What a start may have besides a page. */
export interface StartOptions {
  /** More arguments. */
  readonly args?: readonly string[];
  /** Gets each line of its standard error. */
  readonly heard?: (line: string) => void;
}

/** Shows a page; `folder` is the browser's alone. */
export function startBrowser(
  name: BrowserName,
  program: string,
  folder: string,
  url: string,
  { args = [], heard }: StartOptions = {},
): Browser {
  const row = BROWSERS[name];
  const profile = join(folder, "profile");
  row.prepare(profile);
  // A group of its own: browsers are many processes.
  const child: ChildProcess = spawn(program, [...args, ...row.args(profile, url)], {
    detached: true,
    stdio: ["ignore", "ignore", "pipe"],
    env: { ...process.env, HOME: folder, XDG_CACHE_HOME: folder, XDG_CONFIG_HOME: folder },
  });
  let lines: string[] = [];
  if (child.stderr !== null)
    createInterface({ input: child.stderr }).on("line", (line) => {
      if (line === "") return;
      lines = [...lines, line].slice(-KEPT);
      heard?.(line);
    });
  const ended = new Promise<string>((resolve) => {
    child.once("error", (error) => resolve(error.message));
    child.once("exit", () => resolve(lines.join("\n")));
  });
  return {
    ended,
    kill: () => {
      if (child.pid === undefined) return;
      try {
        process.kill(-child.pid, "SIGKILL");
      } catch {
        // It has ended by itself.
      }
    },
  };
}
