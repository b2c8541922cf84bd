#!/usr/bin/env node
// The executable: nothing but the edge.
import { main } from "./command/main.ts";

process.exitCode = main(process.argv.slice(2), {
  out: (text) => {
    process.stdout.write(text);
  },
  error: (text) => {
    process.stderr.write(text);
  },
});
