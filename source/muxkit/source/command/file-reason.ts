// SPDX-License-Identifier: Apache-2.0
// Why a file cannot be read or written, in words for people.

/** What the system says of a file that cannot be read or written, in words. */
const REASONS: Readonly<Record<string, string>> = {
  ENOENT: "there is no such file or folder",
  EISDIR: "it is a folder",
  ENOTDIR: "a part of its path is no folder",
  EEXIST: "a part of its path is no folder",
  EACCES: "it is not allowed",
  EPERM: "it is not allowed",
  EROFS: "the file system is read-only",
  ENOSPC: "there is no room left",
  ENAMETOOLONG: "its name is too long",
  ELOOP: "its links go round in circles",
  EAGAIN: "nothing can be read now",
  EMFILE: "too many files are open",
  ERR_FS_FILE_TOO_LARGE: "it is larger than 2 GiB",
};

/** Why a file cannot be read or written. */
export function fileReason(error: unknown): string {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  return REASONS[code] ?? (error instanceof Error ? error.message : String(error));
}
