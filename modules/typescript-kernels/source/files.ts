// SPDX-License-Identifier: Apache-2.0
// The TypeScript files of a translation: parsed once, with their declarations, and names resolved through imports. No
// type checker runs: it knows a number only, and an editor has said by then what it has to say.
import { type SourceFile, type Span, createSourceFile } from "@muxkit/report";
import ts from "typescript";

/** Packages whose names are the language of kernels. */
export const LIBRARY: ReadonlySet<string> = new Set([
  "muxkit/sycl",
  "muxkit/sycl/runtime",
  "muxkit/run",
  "@muxkit/sycl",
  "@muxkit/kernel-library",
]);

/** Where files come from. Paths are absolute, with slashes. */
export interface FileAccess {
  /** The text of a file; null: there is none. */
  readonly read: (path: string) => string | null;
}

/** A declaration at the level of a module. */
export type Declaration =
  | ts.VariableDeclaration
  | ts.FunctionDeclaration
  | ts.TypeAliasDeclaration
  | ts.EnumDeclaration
  | ts.InterfaceDeclaration
  | ts.ClassDeclaration;

/** What a name stands for. */
export type Binding =
  | { readonly kind: "library"; readonly name: string }
  | { readonly kind: "declaration"; readonly file: ParsedFile; readonly node: Declaration }
  | { readonly kind: "namespace"; readonly file: ParsedFile }
  | { readonly kind: "library-namespace" }
  | { readonly kind: "foreign"; readonly specifier: string }
  | { readonly kind: "missing-file"; readonly specifier: string }
  | { readonly kind: "missing-export"; readonly specifier: string };

interface Import {
  readonly specifier: string;
  /** Null: the namespace. */
  readonly exported: string | null;
}

/** A file. */
export interface ParsedFile {
  readonly path: string;
  readonly syntax: ts.SourceFile;
  readonly text: SourceFile;
  readonly declarations: ReadonlyMap<string, Declaration>;
  readonly imports: ReadonlyMap<string, Import>;
  /** `export { a as b } from "./c"`, and `export { a as b }` with an empty specifier. */
  readonly exports: ReadonlyMap<string, Import>;
  /** `export * from "./c"`. */
  readonly stars: readonly string[];
}

/** Files by path, read when they are needed. */
export class Files {
  private readonly parsed = new Map<string, ParsedFile | null>();
  private readonly access: FileAccess;

  constructor(access: FileAccess) {
    this.access = access;
  }

  /** Paths of the files that were read. */
  get paths(): readonly string[] {
    return [...this.parsed].flatMap(([path, file]) => (file === null ? [] : [path]));
  }

  /** A file with a text that is given. */
  add(path: string, text: string): ParsedFile {
    const file = parseFile(path, text);
    this.parsed.set(path, file);
    return file;
  }

  /** The binding of a name in a file; null: the file does not know it. */
  resolve(file: ParsedFile, name: string): Binding | null {
    const node = file.declarations.get(name);
    if (node !== undefined) return { kind: "declaration", file, node };
    const imported = file.imports.get(name);
    return imported === undefined ? null : this.follow(file, imported, new Set());
  }

  /** The binding of what a file exports under a name. */
  exported(file: ParsedFile, name: string, seen: Set<string> = new Set()): Binding | null {
    const key = `${file.path}\0${name}`;
    if (seen.has(key)) return null;
    seen.add(key);
    const explicit = file.exports.get(name);
    if (explicit !== undefined)
      return explicit.specifier === ""
        ? this.resolve(file, explicit.exported ?? name)
        : this.follow(file, explicit, seen);
    const node = file.declarations.get(name);
    if (node !== undefined) return { kind: "declaration", file, node };
    for (const specifier of file.stars) {
      const found = this.follow(file, { specifier, exported: name }, seen);
      if (found !== null && !found.kind.startsWith("missing")) return found;
    }
    return null;
  }

  private follow(file: ParsedFile, { specifier, exported }: Import, seen: Set<string>): Binding | null {
    if (LIBRARY.has(specifier))
      return exported === null ? { kind: "library-namespace" } : { kind: "library", name: exported };
    if (!specifier.startsWith(".")) return { kind: "foreign", specifier };
    const target = this.find(file.path, specifier);
    if (target === null) return { kind: "missing-file", specifier };
    if (exported === null) return { kind: "namespace", file: target };
    return this.exported(target, exported, seen) ?? { kind: "missing-export", specifier };
  }

  private find(from: string, specifier: string): ParsedFile | null {
    const base = joinPath(from, specifier);
    const candidates = [
      ...(/\.[cm]?tsx?$/u.test(base) ? [base] : []),
      ...(/\.([cm]?)js(x?)$/u.test(base) ? [base.replace(/\.([cm]?)js(x?)$/u, ".$1ts$2"), base] : []),
      `${base}.ts`,
      `${base}.tsx`,
      `${base}/index.ts`,
    ];
    for (const path of candidates) {
      let file = this.parsed.get(path);
      if (file === undefined) {
        const text = this.access.read(path);
        file = text === null ? null : parseFile(path, text);
        this.parsed.set(path, file);
      }
      if (file !== null) return file;
    }
    return null;
  }
}

/** The path of a relative specifier. */
function joinPath(from: string, specifier: string): string {
  const parts = from.split("/").slice(0, -1);
  for (const part of specifier.split("/")) {
    if (part === "..") parts.pop();
    else if (part !== ".") parts.push(part);
  }
  return parts.join("/");
}

function parseFile(path: string, text: string): ParsedFile {
  const kind = path.endsWith("x") ? ts.ScriptKind.TSX : ts.ScriptKind.TS;
  const syntax = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true, kind);
  const declarations = new Map<string, Declaration>();
  const imports = new Map<string, Import>();
  const exports = new Map<string, Import>();
  const stars: string[] = [];
  for (const statement of syntax.statements) {
    if (ts.isVariableStatement(statement)) {
      for (const node of statement.declarationList.declarations)
        if (ts.isIdentifier(node.name)) declarations.set(node.name.text, node);
    } else if (
      ts.isFunctionDeclaration(statement) ||
      ts.isTypeAliasDeclaration(statement) ||
      ts.isEnumDeclaration(statement) ||
      ts.isInterfaceDeclaration(statement) ||
      ts.isClassDeclaration(statement)
    ) {
      // A type and a value may share a name: the value is found by it, its type by way of the value.
      const name = statement.name?.text;
      const before = name === undefined ? undefined : declarations.get(name);
      const isType = ts.isTypeAliasDeclaration(statement) || ts.isInterfaceDeclaration(statement);
      if (name !== undefined && (before === undefined || !isType)) declarations.set(name, statement);
      if (name !== undefined && isType) declarations.set(typeKey(name), statement);
    } else if (ts.isImportDeclaration(statement)) readImport(statement, imports);
    else if (ts.isExportDeclaration(statement)) {
      const specifier = statement.moduleSpecifier;
      const from = specifier !== undefined && ts.isStringLiteral(specifier) ? specifier.text : "";
      if (statement.exportClause === undefined) stars.push(from);
      else if (ts.isNamedExports(statement.exportClause))
        for (const { name, propertyName } of statement.exportClause.elements)
          exports.set(name.text, { specifier: from, exported: (propertyName ?? name).text });
    }
  }
  return { path, syntax, text: createSourceFile(path, text), declarations, imports, exports, stars };
}

/** The key of a type among the declarations, which a value of its name does not hide. */
export function typeKey(name: string): string {
  return `type ${name}`;
}

function readImport(node: ts.ImportDeclaration, imports: Map<string, Import>): void {
  const { moduleSpecifier, importClause } = node;
  if (!ts.isStringLiteral(moduleSpecifier) || importClause === undefined) return;
  const specifier = moduleSpecifier.text;
  if (importClause.name !== undefined) imports.set(importClause.name.text, { specifier, exported: "default" });
  const { namedBindings } = importClause;
  if (namedBindings === undefined) return;
  if (ts.isNamespaceImport(namedBindings)) imports.set(namedBindings.name.text, { specifier, exported: null });
  else
    for (const { name, propertyName } of namedBindings.elements)
      imports.set(name.text, { specifier, exported: (propertyName ?? name).text });
}

/** The span of a node. */
export function spanOf(file: ParsedFile, node: ts.Node): Span {
  return { file: file.text, start: node.getStart(file.syntax), end: node.getEnd() };
}
