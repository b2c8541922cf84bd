// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "server_command.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_WORDS = 32, MOST_BYTES = 8192 };

static char **words_of(char *text) {
  static char *words[MOST_WORDS + 1];
  int count = 0;
  for (char *rest = NULL, *line = strtok_r(text, "\n", &rest); line != NULL && count < MOST_WORDS;
      line = strtok_r(NULL, "\n", &rest))
    words[count++] = line;
  words[count] = NULL;
  return count == 0 ? NULL : words;
}

char **server_command(void) {
  static char text[MOST_BYTES];
  const char *given = getenv("MUXKIT_ICD_SERVER");
  if (given != NULL && given[0] != 0) {
    snprintf(text, sizeof text, "%s", given);
    return words_of(text);
  }
  Dl_info where;
  if (dladdr((void *)server_command, &where) == 0 || where.dli_fname == NULL) return NULL;
  char path[4096];
  snprintf(path, sizeof path, "%s", where.dli_fname);
  char *dot = strrchr(path, '.');
  if (dot == NULL || (size_t)(dot - path) + sizeof ".server" > sizeof path) return NULL;
  strcpy(dot, ".server");
  FILE *file = fopen(path, "re");
  if (file == NULL) return NULL;
  size_t length = fread(text, 1, sizeof text - 1, file);
  fclose(file);
  text[length] = 0;
  return words_of(text);
}
