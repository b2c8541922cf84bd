// SPDX-License-Identifier: Apache-2.0
// Files as text, as Vite gives them.
declare module "*.cl?raw" {
  const text: string;
  export default text;
}
declare module "*.ts?raw" {
  const text: string;
  export default text;
}
declare module "*.css?inline" {
  const text: string;
  export default text;
}

interface ImportMeta {
  /** What Vite makes of a pattern: a loader for each file. */
  readonly glob: <T>(
    pattern: string,
    options: { readonly query: string; readonly import: string },
  ) => Readonly<Record<string, () => Promise<T>>>;
}
