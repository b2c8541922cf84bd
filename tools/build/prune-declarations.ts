// SPDX-License-Identifier: Apache-2.0
// Completes the declarations of one package, the working directory: those that the compiler wrote for sources that are
// gone are removed, and those that are written by hand, which the compiler only reads, are copied next to the others.
import { cpSync, existsSync, globSync, rmSync } from "node:fs";

function sourceOf(declaration: string): string {
  return declaration.replace(/^dist[/\\]types/u, "source");
}

for (const file of globSync("dist/types/**/*.d.ts")) {
  const source = sourceOf(file);
  if (!existsSync(source.replace(/\.d\.ts$/u, ".ts")) && !existsSync(source)) rmSync(file);
}
for (const file of globSync("source/**/*.d.ts")) cpSync(file, file.replace(/^source/u, "dist/types"));
