// SPDX-License-Identifier: Apache-2.0
// construct: switch over chars, enumerations and longs, with ranges that fall through and nested in loops

typedef enum { ADD, SUBTRACT, MULTIPLY, NOTHING = 10 } operation;

int apply(operation o, int a, int b) {
  switch (o) {
  case ADD:
    return a + b;
  case SUBTRACT:
    return a - b;
  case MULTIPLY:
    return a * b;
  default:
    return a;
  }
}

kernel void calculate(global const uchar *text, global int *results, int length) {
  int a = 0, b = 0;
  operation o = NOTHING;
  for (int i = 0; i < length; i++) {
    uchar c = text[get_global_id(0) * length + i];
    switch (c) {
    case '0': case '1': case '2': case '3': case '4': case '5': case '6': case '7': case '8': case '9':
      b = b * 10 + (c - '0');
      continue;
    case '+':
      o = ADD;
      break;
    case '-':
      o = SUBTRACT;
      break;
    case '*':
      o = MULTIPLY;
      break;
    case ' ':
      continue;
    case 0:
      goto end;
    default:
      b = -1;
    }
    a = apply(o, a, b);
    b = 0;
  }
end:
  results[get_global_id(0)] = apply(o, a, b);
}

kernel void wide_switch(global const long *in, global int *out) {
  switch (in[get_global_id(0)]) {
  case 0x100000000L:
    out[get_global_id(0)] = 1;
    break;
  case -1L:
    out[get_global_id(0)] = 2;
  }
}
