// SPDX-License-Identifier: Apache-2.0
// The command that starts the server: a program and its arguments, ended by NULL. NULL: unspecified.
//
// MUXKIT_ICD_SERVER holds them one a line; else the file `libmuxkit_icd.server` next to the library does.
#ifndef MUXKIT_ICD_SERVER_COMMAND_H
#define MUXKIT_ICD_SERVER_COMMAND_H

char **server_command(void);

// The environment of the server: ours, with MUXKIT_ICD_ADDON, the path of the addon next to the library. A value that
// is set stays: the path of another one, or `off`. NULL: no memory. It belongs to the caller.
char **server_environment(void);

// What the library speaks, as the server's environment tells it: each library has its own.
extern const char SERVER_API[];

#endif
