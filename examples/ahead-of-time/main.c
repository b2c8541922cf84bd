// SPDX-License-Identifier: Apache-2.0
// A program in C that runs a kernel of OpenCL C. It needs no Muxkit and no compiler when it runs.
#include <stdio.h>

#include "mandelbrot.cl.h"

int main(void) {
  const uint32_t width = 78, height = 24;
  muxkit_memory memory;
  muxkit_program program;
  int result = muxkit_reserve(&memory, 1 << 20);
  if (result == MUXKIT_DONE) result = mandelbrot_load(&program, &memory);
  if (result == MUXKIT_DONE) {
    struct mandelbrot_args args;
    args.letters = muxkit_allocate(&memory, width * height);
    args.left = -2.1f;
    args.top = -1.05f;
    args.step = 0.04f;
    result = mandelbrot_run(&program, &args, muxkit_make_size(width, height, 1), muxkit_make_size(width, 1, 1));
    for (uint32_t y = 0; result == MUXKIT_DONE && y < height; y++)
      printf("%.*s\n", (int)width, (const char *)muxkit_pointer(&memory, args.letters + y * width));
  }
  muxkit_release(&memory);
  if (result != MUXKIT_DONE) fprintf(stderr, "%s\n", muxkit_message(result));
  return result;
}
