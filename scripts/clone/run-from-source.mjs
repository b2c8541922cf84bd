// SPDX-License-Identifier: Apache-2.0
// Runs a program of this clone from its TypeScript sources under the project's own Node, whatever Node npx was started
// with. Plain JavaScript without dependencies: it runs under Node 20.
import { spawn } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../..", import.meta.url));

/**
 * Starts a program, whose path is relative to the repository, with the arguments of this process, and ends as it ends.
 */
export function runFromSource(program) {
  const node = join(root, "node_modules", "node", "bin", process.platform === "win32" ? "node.exe" : "node");
  const child = spawn(node, ["--conditions=source", join(root, program), ...process.argv.slice(2)], {
    stdio: "inherit",
  });
  // A terminal sends SIGINT to both processes: the program decides what it means.
  process.on("SIGINT", () => undefined);
  for (const signal of ["SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
  child.on("error", (error) => {
    console.error(`${program} cannot be started: ${error.message}; npm start in ${root} installs what it needs`);
    process.exitCode = 1;
  });
  child.on("exit", (code, signal) => {
    if (signal === null) {
      process.exitCode = code ?? 1;
    } else {
      process.removeAllListeners(signal);
      process.kill(process.pid, signal);
    }
  });
}
