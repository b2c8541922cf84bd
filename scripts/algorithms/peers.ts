// SPDX-License-Identifier: Apache-2.0
// The process that runs other libraries' algorithms (peers.py): requests and answers are lines of JSON.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

import type { Size } from "./cases.ts";
import type { Time } from "./report.ts";

/** Python as Debian installs it: another one does not have its packages. */
const PYTHON = "/usr/bin/python3";

/** How each library is installed. */
const PACKAGES: Readonly<Record<string, string>> = {
  Python: "python3",
  NumPy: "python3-numpy",
  PyOpenCL: "python3-pyopencl python3-mako",
  PoCL: "pocl-opencl-icd",
  CLBlast: "libclblast1",
  clFFT: "libclfft2",
};

/** What the process says first. */
interface Hello {
  readonly here: Readonly<Record<string, string>>;
  readonly missing: Readonly<Record<string, string>>;
}

/** Other libraries' algorithms, in a process of their own. */
export interface Peers {
  /** The libraries that are here, with their versions. */
  readonly here: readonly string[];
  /** Makes the arrays of a size; gives the algorithms of each library. */
  readonly prepare: (size: Size) => Promise<Readonly<Record<string, readonly string[]>>>;
  /** Runs an algorithm once. Error: the library's own. */
  readonly run: (side: string, name: string) => Promise<Time>;
  readonly close: () => void;
}

/** Starts the process, and says on standard error which libraries are missing. Null: there is no Python. */
export async function openPeers(): Promise<Peers | null> {
  const child = spawn(PYTHON, [fileURLToPath(new URL("peers.py", import.meta.url))], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const next = async (): Promise<unknown> => {
    const { done, value } = await lines.next();
    if (done === true) throw new Error("peers.py ended; what it wrote on standard error says why");
    return JSON.parse(value) as unknown;
  };
  const ask = async (request: object): Promise<unknown> => {
    child.stdin.write(`${JSON.stringify(request)}\n`);
    return await next();
  };
  const [started] = (await Promise.race([once(child, "error"), once(child, "spawn")])) as [Error | undefined];
  if (started !== undefined) {
    sayMissing("Python", started.message);
    return null;
  }
  const { here, missing } = (await next()) as Hello;
  for (const [name, why] of Object.entries(missing)) sayMissing(name, why);
  return {
    here: Object.values(here),
    prepare: async ({ length, side, matrix, transforms }) => {
      const answer = (await ask({ size: { length, side, matrix, transforms } })) as {
        readonly sides: Readonly<Record<string, readonly string[]>>;
        readonly failed: Readonly<Record<string, string>>;
      };
      for (const [name, why] of Object.entries(answer.failed)) console.error(`!! ${name} failed: ${why}`);
      return answer.sides;
    },
    run: async (side, name) => {
      const answer = (await ask({ run: name, side })) as Time | { readonly failed: string };
      if ("failed" in answer) throw new Error(`${side}: ${answer.failed}`);
      return answer;
    },
    close: () => {
      child.stdin.end();
    },
  };
}

function sayMissing(name: string, why: string): void {
  console.error(`!! ${name} is missing and not compared with (${why}); apt-get install ${PACKAGES[name] ?? name}`);
}
