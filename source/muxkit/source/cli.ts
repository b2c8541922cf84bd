#!/usr/bin/env node
// The executable: nothing but the edge.
import * as nodeModule from "node:module";

// Node keeps the compiled form of our code for the next start, where it can (since Node 22.8).
const { enableCompileCache } = nodeModule as { readonly enableCompileCache?: () => unknown };
enableCompileCache?.();
const { wantsColor } = await import("@muxkit/report");
const { main } = await import("./command/main.ts");

process.exitCode = main(process.argv.slice(2), {
  out: (text) => {
    process.stdout.write(text);
  },
  error: (text) => {
    process.stderr.write(text);
  },
  wantsColor: wantsColor(process.env, process.stderr.isTTY),
});
