// SPDX-License-Identifier: Apache-2.0
// The texts of the gallery's kernels and of their plain versions, each loaded when it is shown.

/** Texts by entry. */
export interface Texts {
  readonly kernel: string;
  readonly plain: string;
}

const KERNELS = import.meta.glob<string>("./*/kernel.cl", { query: "?raw", import: "default" });
const PLAIN = import.meta.glob<string>("./*/twin.ts", { query: "?raw", import: "default" });

/** A text without the line of its licence. */
function bare(text: string): string {
  return text.replace(/^\/\/ SPDX[^\n]*\n/, "");
}

/** The texts of an entry. Throws an Error for one that there is not. */
export async function textsOf(name: string): Promise<Texts> {
  const kernel = KERNELS[`./${name}/kernel.cl`];
  const plain = PLAIN[`./${name}/twin.ts`];
  if (kernel === undefined || plain === undefined) throw new Error(`the gallery has no kernel "${name}"`);
  return { kernel: bare(await kernel()), plain: bare(await plain()) };
}
