// SPDX-License-Identifier: Apache-2.0
// Runs a program with what the library starts its server with: an empty file in memory, as descriptor 6.
#define _GNU_SOURCE
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int main(int count, char **words) {
  unsigned flags = count > 2 && strcmp(words[1], "sealed") == 0 ? 0 : MFD_ALLOW_SEALING;
  int file = memfd_create("test", flags);
  if (file < 0 || dup2(file, 6) < 0) return 1;
  execv(words[2], words + 2);
  perror(words[2]);
  return 1;
}
