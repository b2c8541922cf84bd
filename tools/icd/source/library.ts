// The library on disk: compiled from native/ with the machine's compiler, registered where loaders of OpenCL look.
import { createHash } from "node:crypto";
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** What the user can mend: what is wrong and what to do. @public */
export class InstallError extends Error {
  /** `InstallError`. */
  override readonly name = "InstallError";
}

/** Where the system's loaders look for drivers. */
export const SYSTEM_VENDORS = "/etc/OpenCL/vendors";
/** The file that names the library to a loader. */
export const VENDOR_FILE = "muxkit.icd";
const LIBRARY = "libmuxkit_icd.so";
/** Most time that a server gets to run once, in ms. */
const PRACTICE_MS = 30_000;
// Threads of the library may run when a program unloads it: it stays (nodelete).
const FLAGS = ["-std=c11", "-O2", "-fPIC", "-fvisibility=hidden", "-shared", "-Wl,-z,defs,-z,nodelete"];
/** The library's sources: beside this file's folder, or beside the folder of bundles. */
const SOURCES: string = ["../native/", "../../native/"].map((folder) => fileURLToPath(new URL(folder, import.meta.url))).find((folder) => existsSync(join(folder, "wire.c"))) ?? "native";

/** Where things are. @public */
export interface Places {
  /** Folder of the library and of the file that says how its server is started. */
  readonly folder: string;
  /** The library. */
  readonly library: string;
  /** Folder of the user's own vendor file. */
  readonly vendors: string;
}

/** The places for an environment: below XDG_DATA_HOME, or ~/.local/share. @public */
export function places(environment: Readonly<Record<string, string | undefined>>): Places {
  const data = environment["XDG_DATA_HOME"] ?? "";
  const folder = join(data === "" ? join(homedir(), ".local", "share") : data, "muxkit", "icd");
  return { folder, library: join(folder, LIBRARY), vendors: join(folder, "vendors") };
}

/** Folder beside the library where the engine's form of the server's code is kept. */
const CODE_FOLDER = "code";

/** The words that start a server: this Node and the bundled server, or, where there is none, the program with `serve`. */
export function serverCommand(program: string, folder: string): readonly string[] {
  const bundled = join(dirname(program), "..", "program", "start.cjs");
  return existsSync(bundled) ? [process.execPath, bundled, join(folder, CODE_FOLDER)] : [process.execPath, ...process.execArgv, program, "serve"];
}

/** Lets a bundled server run once, so that the engine's form of its code is there when programs start it. Without that they start later, and otherwise as well. */
function practise(words: readonly string[]): void {
  const [node = "", server, code] = words;
  if (server?.endsWith(".cjs") === true) spawnSync(node, [server, code ?? "", "practise"], { stdio: "ignore", timeout: PRACTICE_MS });
}

/** What cc said; a compiler that is not there is told with what to install. */
function compile(target: string, compiler: string): void {
  const sources = [...globSync("*.c", { cwd: SOURCES }), ...globSync("generated/*.c", { cwd: SOURCES })].toSorted().map((file) => join(SOURCES, file));
  try {
    execFileSync(compiler, [...FLAGS, "-o", target, ...sources, "-lpthread", "-ldl"], { stdio: ["ignore", "ignore", "pipe"], encoding: "utf8" });
  } catch (error) {
    const { code, stderr } = error as NodeJS.ErrnoException & { readonly stderr?: string };
    if (code === "ENOENT") throw new InstallError(`there is no C compiler "${compiler}": install one (Debian and Ubuntu: apt install gcc libc6-dev; Fedora: dnf install gcc; Alpine: apk add gcc musl-dev), or name yours in CC`);
    throw new InstallError(`${compiler} could not compile the library:\n${stderr ?? String(error)}`);
  }
}

/** What a library is known by: its sources, and how its server is started. */
function stampOf({ folder }: Places, program: string): string {
  const hash = createHash("sha256").update(JSON.stringify(serverCommand(program, folder)));
  for (const file of globSync("**/*.{c,h}", { cwd: SOURCES }).toSorted()) hash.update(file).update(readFileSync(join(SOURCES, file)));
  return hash.digest("hex");
}

const stampFile = ({ library }: Places): string => library.replace(/\.so$/u, ".stamp");

/** Compiles the library and says beside it how its server is started; both take their names when they are whole. @public */
export function build(where: Places, program: string, environment: Readonly<Record<string, string | undefined>>): void {
  const { folder, library, vendors } = where;
  if (process.platform !== "linux") throw new InstallError(`the driver is for Linux, and this is ${process.platform}`);
  mkdirSync(vendors, { recursive: true });
  const scratch = mkdtempSync(join(tmpdir(), "muxkit-icd-"));
  try {
    const fresh = join(folder, `.${process.pid}.so`);
    compile(join(scratch, LIBRARY), environment["CC"] ?? "cc");
    execFileSync("cp", [join(scratch, LIBRARY), fresh]);
    renameSync(fresh, library);
  } finally {
    rmSync(scratch, { recursive: true });
  }
  const words = serverCommand(program, folder);
  practise(words);
  writeFileSync(library.replace(/\.so$/u, ".server"), words.map((word) => `${word}\n`).join(""));
  writeFileSync(join(vendors, VENDOR_FILE), `${library}\n`);
  writeFileSync(stampFile(where), stampOf(where, program));
}

/** True when {@link build} has been there. @public */
export function isBuilt({ library }: Places): boolean {
  return existsSync(library);
}

/** True when {@link build} of this release has been there for this program: another release, or a project that is gone since, may have left a library that finds no server. @public */
export function isCurrent(where: Places, program: string): boolean {
  return isBuilt(where) && existsSync(stampFile(where)) && readFileSync(stampFile(where), "utf8") === stampOf(where, program);
}

/** Registers the library for all users, or takes that back; without the right to write there the error says what to do. @public */
export function registerSystem({ library }: Places, isThere: boolean): string {
  const file = join(SYSTEM_VENDORS, VENDOR_FILE);
  try {
    if (isThere) {
      mkdirSync(SYSTEM_VENDORS, { recursive: true });
      writeFileSync(file, `${library}\n`);
    } else rmSync(file, { force: true });
  } catch (error) {
    throw new InstallError(`${file} cannot be written (${(error as NodeJS.ErrnoException).code ?? "error"}): run it as root, or install it for yourself with --user`);
  }
  return file;
}

/** Removes library, server file and the user's vendor file. @public */
export function remove({ folder }: Places): void {
  rmSync(folder, { recursive: true, force: true });
}
