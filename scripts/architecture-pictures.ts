// SPDX-License-Identifier: Apache-2.0
// Writes the pictures of ARCHITECTURE.md from tools/build/layers.json and the package.json files. With --check, only
// compares.
import { globSync, readFileSync, writeFileSync } from "node:fs";

import {
  FLOW,
  type Layers,
  type PackageNode,
  flowPicture,
  packagePicture,
  replacePart,
} from "./architecture/pictures.ts";

const PAGE = "ARCHITECTURE.md";

interface Manifest {
  readonly name: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly nx?: { readonly tags?: readonly string[] };
}

const layers = JSON.parse(readFileSync("tools/build/layers.json", "utf8")) as Layers;
const packages = globSync("{modules,source,tools}/*/package.json")
  .toSorted()
  .map((file): PackageNode => {
    const { name, dependencies = {}, nx } = JSON.parse(readFileSync(file, "utf8")) as Manifest;
    const tag = nx?.tags?.find((one) => one.startsWith("layer:")) ?? "layer:none";
    return { name, layer: tag.slice("layer:".length), imports: Object.keys(dependencies) };
  });
const old = readFileSync(PAGE, "utf8");
const withPackages = replacePart(old, "packages", packagePicture(layers, packages));
const text = replacePart(withPackages, "data", flowPicture(FLOW, packages));
if (text !== old) {
  if (process.argv.includes("--check")) {
    console.error(`${PAGE} is stale: run npm run architecture-pictures`);
    process.exitCode = 1;
  } else {
    writeFileSync(PAGE, text);
  }
}
