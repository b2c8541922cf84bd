// Files of include directories: read where there is a file system, found nowhere else.

/** The text of a file; null when there is none, or no file system (a browser). */
export function readIncludeFile(path: string): string | null {
  const files = globalThis.process?.getBuiltinModule?.("node:fs");
  if (files === undefined || !files.existsSync(path) || !files.statSync(path).isFile()) return null;
  return files.readFileSync(path, "utf8");
}
