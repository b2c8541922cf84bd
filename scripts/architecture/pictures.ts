// SPDX-License-Identifier: Apache-2.0
// The pictures of ARCHITECTURE.md, in Mermaid: packages by layer, and the way from a source text to a running kernel.

/** Which layers each layer may import from, as in tools/build/layers.json. */
export type Layers = Readonly<Record<string, readonly string[]>>;

/** A package: its name, its layer, and the packages that it imports. */
export interface PackageNode {
  readonly name: string;
  readonly layer: string;
  readonly imports: readonly string[];
}

/** A step of data: what goes from one package to another. */
export type Flow = readonly [from: string, data: string, to: string];

/**
 * The way of a program. Packages without their scope; what begins with a capital letter or a blank is a person, a file
 * or memory. The steps are written by hand, `flowPicture` refuses names of packages that do not exist.
 */
export const FLOW: readonly Flow[] = [
  ["Your program", "OpenCL C, arrays", "muxkit"],
  ["Your program", "OpenCL calls", "opencl"],
  ["Native program", "C calls", "icd"],
  ["icd", "frames", "opencl"],
  ["muxkit", "source text", "loader"],
  ["opencl", "source text", "loader"],
  ["loader", "source text, unless the executable is known", "compiler-base"],
  ["compiler-base", "text", "opencl-c"],
  ["opencl-c", "IR with calls of built-ins", "passes"],
  ["builtins", "IR of the library", "passes"],
  ["passes", "finalized IR", "work-item-lowering"],
  ["work-item-lowering", "body of a kernel", "vecz"],
  ["vecz", "vectorised variant", "work-item-lowering"],
  ["work-item-lowering", "functions by the kernel ABI", "wasm"],
  ["wasm", "WebAssembly", "metadata"],
  ["metadata", "executable", "mux"],
  ["muxkit", "launches", "mux"],
  ["opencl", "command buffers", "mux"],
  ["mux", "checked calls", "host"],
  ["host", "work-groups", "Worker threads"],
];

/**
 * Layers and their packages, bottom up, with the imports that no other import implies. Throws for packages of unknown
 * layers.
 */
export function packagePicture(layers: Layers, packages: readonly PackageNode[]): string {
  const lines = ["```mermaid", "flowchart BT"];
  for (const layer of Object.keys(layers)) {
    const names = packages.filter((node) => node.layer === layer).map(({ name }) => unscoped(name));
    lines.push(`  ${layer}["<b>${layer}</b><br/>${inRows(names.toSorted())}"]`);
  }
  const unknown = packages.filter(({ layer }) => layers[layer] === undefined);
  if (unknown.length > 0)
    throw new Error(`no such layer: ${unknown.map(({ name, layer }) => `${name} (${layer})`).join(", ")}`);
  for (const [from, to] of layerImports(layers, packages)) lines.push(`  ${from} --> ${to}`);
  return [...lines, "```"].join("\n");
}

/** Imports between layers, of the packages as they are, without those that follow from others. */
export function layerImports(layers: Layers, packages: readonly PackageNode[]): readonly (readonly [string, string])[] {
  const layerOf = new Map(packages.map(({ name, layer }) => [name, layer] as const));
  const imports = new Map<string, Set<string>>(Object.keys(layers).map((layer) => [layer, new Set()]));
  for (const { layer, imports: names } of packages)
    for (const name of names) {
      const target = layerOf.get(name);
      if (target !== undefined && target !== layer) imports.get(layer)?.add(target);
    }
  const reaches = (from: string, to: string, direct: boolean): boolean =>
    [...(imports.get(from) ?? [])].some((next) => (next === to ? direct : reaches(next, to, true)));
  return [...imports].flatMap(([from, targets]) =>
    [...targets].filter((to) => !reaches(from, to, false)).map((to) => [from, to] as const),
  );
}

/** The way of a program through the packages. Throws where a package does not exist. */
export function flowPicture(flow: readonly Flow[], packages: readonly PackageNode[]): string {
  const names = new Set(packages.map(({ name }) => unscoped(name)));
  const ids = new Map<string, string>();
  const node = (name: string): string => {
    const isPackage = /^[a-z]/u.test(name);
    if (isPackage && !names.has(name)) throw new Error(`the flow of data names ${name}, which is no package`);
    const known = ids.get(name);
    if (known !== undefined) return known;
    const id = `n${String(ids.size)}`;
    ids.set(name, id);
    return isPackage ? `${id}["${name}"]` : `${id}(["${name}"])`;
  };
  const lines = flow.map(([from, data, to]) => `  ${node(from)} -->|${data}| ${node(to)}`);
  return ["```mermaid", "flowchart TD", ...lines, "```"].join("\n");
}

/** A text whose part between the two marks of a name is replaced. Throws where the marks are missing. */
export function replacePart(text: string, name: string, part: string): string {
  const begin = `<!-- ${name}: begin -->\n`;
  const end = `\n<!-- ${name}: end -->`;
  const from = text.indexOf(begin);
  const to = text.indexOf(end, from);
  if (from < 0 || to < 0) throw new Error(`the marks of "${name}" are missing`);
  return text.slice(0, from + begin.length) + part + text.slice(to);
}

function unscoped(name: string): string {
  return name.replace(/^@muxkit\//u, "");
}

/** Names of a row of a box: a text in quotes may go on in the next line. */
const ROW = 6;

function inRows(names: readonly string[]): string {
  const rows: string[] = [];
  for (let at = 0; at < names.length; at += ROW) rows.push(names.slice(at, at + ROW).join(", "));
  return rows.join(",<br/>\n    ");
}
