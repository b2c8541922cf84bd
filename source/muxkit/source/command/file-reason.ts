// SPDX-License-Identifier: Apache-2.0
// Why a file cannot be read or written, in words for people.

/** What the system says of a file that cannot be read or written, in words. */
const REASONS: Readonly<Record<string, string>> = {
  ENOENT: "there is no such file or folder",
  EISDIR: "it is a folder",
  ENOTDIR: "a part of its path is not a folder",
  EEXIST: "a part of its path is not a folder",
  EACCES: "permission denied",
  EPERM: "permission denied",
  EROFS: "the file system is read-only",
  ENOSPC: "no space is left",
  ENAMETOOLONG: "its name is too long",
  ELOOP: "its symbolic links form a cycle",
  EAGAIN: "nothing can be read now",
  EMFILE: "too many files are open",
  ERR_FS_FILE_TOO_LARGE: "it is larger than 2 GiB",
};

/** Why a file cannot be read or written. */
export function fileReason(error: unknown): string {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  return REASONS[code] ?? (error instanceof Error ? error.message : String(error));
}
