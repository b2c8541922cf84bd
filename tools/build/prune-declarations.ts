// SPDX-License-Identifier: Apache-2.0
// Removes declarations of one package, the working directory, whose sources are gone: the compiler leaves them, and
// they would be published.
import { existsSync, globSync, rmSync } from "node:fs";

for (const file of globSync("dist/types/**/*.d.ts")) {
  if (!existsSync(file.replace(/^dist[/\\]types/u, "source").replace(/\.d\.ts$/u, ".ts"))) rmSync(file);
}
