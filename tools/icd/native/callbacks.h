// SPDX-License-Identifier: Apache-2.0
// Functions of the application that the library calls, in the order in which the server requests it, on a thread of
// their own: they may call everything, blocking calls too.
#ifndef MUXKIT_ICD_CALLBACKS_H
#define MUXKIT_ICD_CALLBACKS_H

#include "objects.h"
#include "wire.h"

enum callback_kind { CALLBACK_NONE, CALLBACK_PROGRAM, CALLBACK_EVENT, CALLBACK_DESTRUCTOR, CALLBACK_NOTIFY };

// Keeps a function until the server requests it, and a use of programs and events; its number, or 0: no memory.
// `status` is what an event's callback was registered for.
uint32_t callback_new(enum callback_kind kind, void (*function)(void), void *object, void *user_data, cl_int status);
// Takes back what the server never heard of, or will not ask for again.
void callback_forget(uint32_t callback);
// The server requests it (connection.h).
void callback_arrived(uint32_t callback, int32_t error, struct wire_reader *body);
// The server has ended: calls that wait for events or programs return an error.
void callback_server_lost(void);
// Between them no callback begins: what it may ask for is not kept yet.
void callbacks_delay(void);
void callbacks_go_on(void);
// Around a fork (forks.h). Nothing that is due is called in the child.
void callbacks_hold(void);
void callbacks_let_go(bool in_child);
// Tells a context's notify function a sentence.
void callback_notify(cl_context context, const char *sentence);

#endif
