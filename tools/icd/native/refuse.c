// SPDX-License-Identifier: Apache-2.0
#include "refuse.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "callbacks.h"
#include "transfers.h"

const char *error_name(cl_int code);

bool refuse_is_logged(void) {
  static _Atomic int known; // 0 not asked, 1 no, 2 yes
  if (known == 0) {
    const char *value = getenv("MUXKIT_ICD_LOG");
    known = value != NULL && value[0] != 0 && strcmp(value, "0") != 0 ? 2 : 1;
  }
  return known == 2;
}

cl_int refuse(cl_context context, cl_int code, const char *call, const char *why) {
  bool logs = refuse_is_logged(), notifies = object_is(context, KIND_CONTEXT) && context->notify != NULL;
  if (!logs && !notifies) return code;
  char sentence[1024];
  snprintf(sentence, sizeof sentence, "%s: %s: %s", call, error_name(code), why);
  if (logs) fprintf(stderr, "muxkit: %s\n", sentence);
  if (notifies) callback_notify(context, sentence);
  return code;
}

cl_int refuse_reply(cl_context context, const char *call, struct reply *reply) {
  char why[900];
  uint32_t length;
  const uint8_t *text = wire_read_bytes(&reply->reader, &length);
  snprintf(why, sizeof why, "%.*s", (int)(length < sizeof why ? length : sizeof why - 1), (const char *)text);
  cl_int code = reply->error;
  connection_free_reply(reply);
  return refuse(context, code, call, why);
}

cl_int refuse_lost(cl_context context, const char *call) {
  transfers_stop();
  return refuse(context, CL_OUT_OF_RESOURCES, call, "the server is gone");
}

cl_int ask_server(cl_context context, const char *call, struct wire_writer *writer, struct reply *reply) {
  if (!connection_call(writer, reply)) return refuse_lost(context, call);
  return reply->error == CL_SUCCESS ? CL_SUCCESS : refuse_reply(context, call, reply);
}

cl_int tell_server(cl_context context, const char *call, struct wire_writer *writer) {
  return connection_send(writer) ? CL_SUCCESS : refuse_lost(context, call);
}
