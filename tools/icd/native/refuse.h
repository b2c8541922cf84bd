// SPDX-License-Identifier: Apache-2.0
// Errors: a code for the caller, a sentence for people.
#ifndef MUXKIT_ICD_REFUSE_H
#define MUXKIT_ICD_REFUSE_H

#include "connection.h"
#include "objects.h"

// Tells the log (MUXKIT_ICD_LOG=1: stderr) and the notify function of the context, if there is one, why a call fails.
// Gives the code back.
cl_int refuse(cl_context context, cl_int code, const char *call, const char *why);
// Whether failing calls are logged (MUXKIT_ICD_LOG).
bool refuse_is_logged(void);
// The same for a reply of the server, whose body is the sentence.
cl_int refuse_reply(cl_context context, const char *call, struct reply *reply);
// The server is gone.
cl_int refuse_lost(cl_context context, const char *call);

// Sends a frame and waits for the reply: on CL_SUCCESS the caller reads and frees it, any other code is refused
// already.
cl_int ask_server(cl_context context, const char *call, struct wire_writer *writer, struct reply *reply);
// Sends a frame that nobody waits for; any code but CL_SUCCESS is refused already.
cl_int tell_server(cl_context context, const char *call, struct wire_writer *writer);

// In functions that answer a code: what must hold, else this error.
#define REQUIRE(context, condition, code, why) \
  do { \
    if (!(condition)) return refuse(context, code, __func__, why); \
  } while (0)

// In functions that answer an object and have a parameter errcode_ret.
#define REQUIRE_OBJECT(context, condition, code, why) \
  do { \
    if (!(condition)) { \
      cl_int refused_code = refuse(context, code, __func__, why); \
      if (errcode_ret != NULL) *errcode_ret = refused_code; \
      return NULL; \
    } \
  } while (0)

#endif
