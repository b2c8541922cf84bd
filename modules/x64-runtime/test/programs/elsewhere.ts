// SPDX-License-Identifier: Apache-2.0
// A fault that is not a kernel's must end the process as ever. Arguments: the folder, where it comes from.
import { makeMemory, open } from "./open.ts";

const [folder = "", origin = ""] = process.argv.slice(2);
const bridge = open(folder, makeMemory());
if (origin === "sent") process.kill(process.pid, "SIGSEGV");
else {
  // An address where no code is.
  bridge.setCode(64);
  bridge.call(0, 0, 0, 0, 0, 0);
}
process.stdout.write("still here\n");
