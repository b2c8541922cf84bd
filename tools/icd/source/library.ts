// SPDX-License-Identifier: Apache-2.0
// The library on disk: compiled from native/ with the machine's compiler, registered where loaders of OpenCL look.
import { execFileSync, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  copyFileSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  rmdirSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { homedir, tmpdir } from "node:os";
import { dirname, isAbsolute, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

import { makeFolder } from "muxkit/start";

/** An error that the user can fix: the cause and the remedy. @public */
export class InstallError extends Error {
  /** `InstallError`. */
  override readonly name = "InstallError";
}

/** The file that names the library to a loader. */
export const VENDOR_FILE = "muxkit.icd";
const LIBRARY = "libmuxkit_icd.so";
/** The driver of Vulkan, and what names it to Vulkan's loader. */
const VULKAN_LIBRARY = "libmuxkit_vulkan.so";
const VULKAN_FILE = "muxkit_vulkan.json";
/** Files that both libraries are made of; each has its own besides. */
const SHARED_SOURCES: ReadonlySet<string> = new Set(
  ["channel", "connection", "device_map", "server_command", "stage", "trace", "wire"].map((name) => `${name}.c`),
);
/** What the server loads, next to the library, which tells its server where it is (native/server_command.c). */
const ADDON = "muxkit_icd.node";
/** Most time that a server gets to run once, in ms. */
const PRACTICE_MS = 30_000;
/** The facts of an installation that the next one and its removal need. */
const RECORD = "installed.json";
// Threads of the library may run when a program unloads it: it stays (nodelete).
const FLAGS = ["-std=c11", "-O2", "-fPIC", "-fvisibility=hidden", "-shared"];
const LIBRARY_FLAGS = [...FLAGS, "-Wl,-z,defs,-z,nodelete"];
/** The library's sources: next to this file's folder, or next to the folder of bundles. */
const SOURCES: string =
  ["../native/", "../../native/"]
    .map((folder) => fileURLToPath(new URL(folder, import.meta.url)))
    .find((folder) => existsSync(join(folder, "wire.c"))) ?? "native";

/** Paths of the installation. @public */
export interface Places {
  /** Folder of the library and of the file that specifies how its server is started. */
  readonly folder: string;
  /** The library. */
  readonly library: string;
  /** Folder of the file that names the library to loaders. */
  readonly vendors: string;
  /** The file that names the driver of Vulkan to its loader. */
  readonly manifest: string;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** The user's own folders: below XDG_DATA_HOME when that is an absolute path, else below ~/.local/share. @public */
export function places(environment: Environment): Places {
  const data = environment["XDG_DATA_HOME"] ?? "";
  const folder = join(isAbsolute(data) ? data : join(homedir(), ".local", "share"), "muxkit", "icd");
  return {
    folder,
    library: join(folder, LIBRARY),
    vendors: join(folder, "vendors"),
    manifest: join(folder, "vulkan", VULKAN_FILE),
  };
}

/**
 * The folders for all users, where loaders look by themselves; below `prefix` instead of the root of the file system.
 *
 * @public
 */
export function systemPlaces(prefix = "/"): Places {
  const folder = resolve(prefix, "usr", "local", "lib", "muxkit-icd");
  return {
    folder,
    library: join(folder, LIBRARY),
    vendors: resolve(prefix, "etc", "OpenCL", "vendors"),
    manifest: resolve(prefix, "etc", "vulkan", "icd.d", VULKAN_FILE),
  };
}

/** Folder next to the library where the engine's code cache for the server is kept. */
const CODE_FOLDER = "code";

/**
 * The words that start a server: this Node and the bundled server, or, where there is none, the program with `serve`.
 */
export function serverCommand(program: string, folder: string): readonly string[] {
  const bundled = join(dirname(program), "..", "program", "start.cjs");
  return existsSync(bundled)
    ? [process.execPath, bundled, join(folder, CODE_FOLDER)]
    : [process.execPath, ...process.execArgv, program, "serve"];
}

function lines(words: readonly string[]): string {
  return words.map((word) => `${word}\n`).join("");
}

/**
 * Lets a bundled server run once, so that the engine's code cache is there when programs start it. Without that
 * they start later, and otherwise as well.
 */
function practise(words: readonly string[]): void {
  const [node = "", server, code] = words;
  if (server?.endsWith(".cjs") === true)
    spawnSync(node, [server, code ?? "", "practise"], { stdio: "ignore", timeout: PRACTICE_MS });
}

/** The library's sources and headers. */
function sourceFiles(): readonly string[] {
  return readdirSync(SOURCES, { recursive: true, encoding: "utf8" })
    .filter((file) => /\.[ch]$/u.test(file))
    .toSorted();
}

/** What Vulkan's loader reads of a driver. */
function manifestOf(folder: string): string {
  const ICD = { library_path: join(folder, VULKAN_LIBRARY), api_version: "1.3.0" };
  return `${JSON.stringify({ file_format_version: "1.0.0", ICD }, null, 2)}\n`;
}

/** True for sources of what the server loads; the others are the library's. */
const isOfAddon = (file: string): boolean => file.startsWith("addon/");

const isOfVulkan = (file: string): boolean => file.startsWith("vulkan/");

/** Compiles files of the sources' folder to a target. A missing compiler is reported with what to install. */
function compile(target: string, compiler: string, flags: readonly string[], files: readonly string[]): void {
  const [command = "cc", ...words] = compiler.trim().split(/\s+/u);
  const sources = files.filter((file) => file.endsWith(".c")).map((file) => join(SOURCES, file));
  try {
    execFileSync(command, [...flags, ...words, "-o", target, ...sources, "-lpthread", "-ldl"], {
      stdio: ["ignore", "ignore", "pipe"],
      encoding: "utf8",
    });
  } catch (error) {
    const { code, stderr } = error as NodeJS.ErrnoException & { readonly stderr?: string };
    if (code === "ENOENT")
      throw new InstallError(
        `there is no C compiler "${command}": install one (Debian and Ubuntu: apt install ` +
          "gcc libc6-dev; Fedora: dnf install gcc; Alpine: apk add gcc musl-dev), or name " +
          "yours in CC",
      );
    throw new InstallError(`${compiler} could not compile the library:\n${stderr ?? String(error)}`);
  }
}

/** Compiles the library and the server's addon into a folder. */
function compileAll(folder: string, compiler: string): void {
  const files = sourceFiles();
  compile(
    join(folder, LIBRARY),
    compiler,
    LIBRARY_FLAGS,
    files.filter((file) => !isOfAddon(file) && !isOfVulkan(file)),
  );
  compile(
    join(folder, VULKAN_LIBRARY),
    compiler,
    LIBRARY_FLAGS,
    files.filter((file) => isOfVulkan(file) || SHARED_SOURCES.has(file)),
  );
  compile(join(folder, ADDON), compiler, FLAGS, files.filter(isOfAddon));
}

/** The identity of a library: its sources, and how its server is started. */
function stampOf({ folder }: Places, program: string): string {
  const hash = createHash("sha256").update(JSON.stringify([LIBRARY_FLAGS, serverCommand(program, folder)]));
  for (const file of sourceFiles()) hash.update(`\0${file}\0`).update(readFileSync(join(SOURCES, file)));
  return hash.digest("hex");
}

const stampFile = ({ library }: Places): string => library.replace(/\.so$/u, ".stamp");

interface Installation {
  /** Folders that were made: the outermost and the innermost of each path. */
  readonly made: readonly (readonly [first: string, last: string])[];
}

function readRecord(folder: string): Installation | null {
  try {
    return JSON.parse(readFileSync(join(folder, RECORD), "utf8")) as Installation;
  } catch {
    // The file is missing or has other content: then nothing is known.
    return null;
  }
}

/** Performs a write; a refusal by the system is reported with the path and a remedy. */
function writing(what: string, work: () => void): void {
  try {
    work();
  } catch (error) {
    const { code, path } = error as NodeJS.ErrnoException;
    if (code === undefined || error instanceof InstallError) throw error;
    const advice =
      code === "EACCES" || code === "EPERM"
        ? "for all users (--system) run it as root; for yourself (--user) XDG_DATA_HOME may name another folder"
        : "XDG_DATA_HOME may name another folder";
    throw new InstallError(`${path ?? what} cannot be written (${code}): ${advice}`);
  }
}

/** A file takes its name when it is whole: programs may be reading the old one. */
function put(file: string, text: string): void {
  const fresh = `${file}.${process.pid}`;
  writeFileSync(fresh, text);
  renameSync(fresh, file);
}

/**
 * Compiles the library, writes how its server is started next to it, and registers it with loaders. All take their
 * names when they are whole.
 *
 * @public
 */
export function build(where: Places, program: string, environment: Environment): void {
  const { folder, library, vendors, manifest } = where;
  if (process.platform !== "linux") throw new InstallError(`the driver is for Linux, and this is ${process.platform}`);
  const scratch = mkdtempSync(join(tmpdir(), "muxkit-icd-"));
  try {
    // Nothing is written before it is known to compile.
    compileAll(scratch, environment["CC"] ?? "cc");
    writing(folder, () => {
      const made = [folder, vendors, dirname(manifest)].flatMap((last): (readonly [string, string])[] => {
        const first = makeFolder(last);
        return first === undefined ? [] : [[first, last]];
      });
      put(
        join(folder, RECORD),
        JSON.stringify({ made: [...(readRecord(folder)?.made ?? []), ...made] } satisfies Installation),
      );
      for (const name of [ADDON, VULKAN_LIBRARY, LIBRARY]) {
        const fresh = join(folder, `${name}.${process.pid}`);
        copyFileSync(join(scratch, name), fresh);
        renameSync(fresh, join(folder, name));
      }
      const words = serverCommand(program, folder);
      practise(words);
      put(library.replace(/\.so$/u, ".server"), lines(words));
      put(join(folder, VULKAN_LIBRARY.replace(/\.so$/u, ".server")), lines(words));
      put(manifest, manifestOf(folder));
      put(join(vendors, VENDOR_FILE), `${library}\n`);
      put(stampFile(where), stampOf(where, program));
    });
  } finally {
    rmSync(scratch, { recursive: true });
  }
}

/** True when {@link build} has been there. @public */
export function isBuilt({ library }: Places): boolean {
  return existsSync(library);
}

/**
 * True when {@link build} of this release has been there for this program: another release, or a project that is gone
 * since, may have left a library that finds no server.
 *
 * @public
 */
export function isCurrent(where: Places, program: string): boolean {
  const server = where.library.replace(/\.so$/u, ".server");
  const isThere = isBuilt(where) && existsSync(server) && existsSync(stampFile(where));
  return (
    isThere &&
    readFileSync(server, "utf8") === lines(serverCommand(program, where.folder)) &&
    readFileSync(stampFile(where), "utf8") === stampOf(where, program)
  );
}

/** Folders of this path that others may not enter: programs of other users cannot start a server there. @public */
export function isClosedToOthers(program: string): boolean {
  const folders = [];
  for (let folder = dirname(resolve(program)); dirname(folder) !== folder; folder = dirname(folder))
    folders.push(folder);
  return folders.some((folder) => (statSync(folder).mode & 0o001) === 0);
}

/**
 * Takes away everything that {@link build} made: the files, and the folders that were not there before and are empty
 * now.
 *
 * @public
 */
export function remove({ folder, library, vendors, manifest }: Places): void {
  const made = readRecord(folder)?.made ?? [];
  writing(folder, () => {
    const file = join(vendors, VENDOR_FILE);
    // Somebody else's file of this name stays.
    if (existsSync(file) && readFileSync(file, "utf8") === `${library}\n`) rmSync(file);
    if (existsSync(manifest) && readFileSync(manifest, "utf8") === manifestOf(folder)) rmSync(manifest);
    rmSync(folder, { recursive: true, force: true });
    for (const [first, last] of made.toReversed()) removeEmpty(first, last);
  });
}

function removeEmpty(first: string, last: string): void {
  try {
    if (existsSync(last)) rmdirSync(last);
  } catch (error) {
    // Something else is in it by now.
    if ((error as NodeJS.ErrnoException).code === "ENOTEMPTY") return;
    throw error;
  }
  if (last !== first) removeEmpty(first, dirname(last));
}
