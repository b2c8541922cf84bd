// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "server_command.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_WORDS = 32, MOST_BYTES = 8192, MOST_PATH = 4096 };
#define ADDON "MUXKIT_ICD_ADDON="

static char **words_of(char *text) {
  static char *words[MOST_WORDS + 1];
  int count = 0;
  for (char *rest = NULL, *line = strtok_r(text, "\n", &rest); line != NULL && count < MOST_WORDS;
      line = strtok_r(NULL, "\n", &rest))
    words[count++] = line;
  words[count] = NULL;
  return count == 0 ? NULL : words;
}

// The path next to the library whose name differs from its own behind the last slash, or dot; false: it is not known.
static bool beside(char mark, const char *rest, char *path, size_t most) {
  Dl_info where;
  if (dladdr((void *)server_command, &where) == 0 || where.dli_fname == NULL) return false;
  const char *last = strrchr(where.dli_fname, mark);
  if (last == NULL) return false;
  int length = snprintf(path, most, "%.*s%s", (int)(last - where.dli_fname), where.dli_fname, rest);
  return length > 0 && (size_t)length < most;
}

char **server_command(void) {
  static char text[MOST_BYTES];
  const char *given = getenv("MUXKIT_ICD_SERVER");
  if (given != NULL && given[0] != 0) {
    snprintf(text, sizeof text, "%s", given);
    return words_of(text);
  }
  char path[MOST_PATH];
  if (!beside('.', ".server", path, sizeof path)) return NULL;
  FILE *file = fopen(path, "re");
  if (file == NULL) return NULL;
  size_t length = fread(text, 1, sizeof text - 1, file);
  fclose(file);
  text[length] = 0;
  return words_of(text);
}

char **server_environment(void) {
  static char setting[sizeof ADDON + MOST_PATH] = ADDON;
  size_t count = 0;
  while (environ[count] != NULL) count++;
  char **all = malloc((count + 3) * sizeof *all);
  if (all == NULL) return NULL;
  all[0] = (char *)SERVER_API;
  memcpy(all + 1, environ, ++count * sizeof *all);
  bool is_known = beside('/', "/muxkit_icd.node", setting + sizeof ADDON - 1, MOST_PATH);
  if (is_known && getenv("MUXKIT_ICD_ADDON") == NULL) all[count++] = setting;
  all[count] = NULL;
  return all;
}
