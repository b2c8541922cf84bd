// SPDX-License-Identifier: Apache-2.0
// The command that starts the server: a program and its arguments, ended by NULL. NULL: unspecified.
//
// MUXKIT_ICD_SERVER holds them one a line; else the file `libmuxkit_icd.server` next to the library does.
#ifndef MUXKIT_ICD_SERVER_COMMAND_H
#define MUXKIT_ICD_SERVER_COMMAND_H

char **server_command(void);

#endif
