//= C99 6.4.4.1: integer literals of all forms
//= ok
kernel void k(global long* o) { *o = 0 + 10 + 010 + 0x1F + 0Xab + 1u + 2U + 3l + 4L + 5ul + 6LU + 0xFFul + 0b101; }

//= C99 6.4.4.1: 8 is no octal digit
//= error 2
kernel void k(global int* o) {
  *o = 08;
}

//= C99 6.4.4.1: a hexadecimal literal without digits
//= error 2
kernel void k(global int* o) {
  *o = 0x;
}

//= C99 6.4.4.1: an unknown ending
//= error 2
kernel void k(global int* o) {
  *o = 12q;
}

//= C99 6.4.4.1: the ending lul
//= error 2
kernel void k(global long* o) {
  *o = 1lul;
}

//= C99 6.4.4.1: a literal that does not fit into 64 bits
//= error 2
kernel void k(global ulong* o) {
  *o = 99999999999999999999;
}

//= C99 6.4.4.1: the greatest literal
//= ok
kernel void k(global ulong* o) { *o = 18446744073709551615UL; }

//= C99 6.4.4.1: a decimal literal too great for int is a long
//= ok
constant int check[sizeof(4294967296) == 8 && sizeof(2147483648) == 8 && sizeof(2147483647) == 4 ? 1 : -1] = { 0 };
kernel void k(void) {}

//= C99 6.4.4.1: a hexadecimal literal may be an unsigned int
//= ok
constant int check[sizeof(0xffffffff) == 4 && 0xffffffff > 0 && sizeof(0x100000000) == 8 ? 1 : -1] = { 0 };
kernel void k(void) {}

//= C99 6.4.4.2: float literals of all forms
//= ok
kernel void k(global float* o) { *o = 1.0f + .5f + 2.f + 1e3f + 1.5e-3F + 0x1p4f + 0x1.8p-1f + 0x.8P2f; }

//= C99 6.4.4.2: a float literal without suffix is a double
//= ok
constant int check[sizeof(1.0) == 8 && sizeof(1.0f) == 4 ? 1 : -1] = { 0 };
kernel void k(void) {}

//= OpenCL C 5.8.4.2: -cl-single-precision-constant makes floats
//= options: -cl-single-precision-constant
//= ok
constant int check[sizeof(1.0) == 4 ? 1 : -1] = { 0 };
kernel void k(void) {}

//= C99 6.4.4.2: a hexadecimal float needs an exponent
//= error 2
kernel void k(global float* o) {
  *o = 0x1.8f;
}

//= C99 6.4.4.2: an exponent needs digits
//= error 2
kernel void k(global float* o) {
  *o = 1e;
}

//= C99 6.4.4.2: an integer with f is no float
//= error 2
kernel void k(global float* o) {
  *o = 1f;
}

//= C99 6.4.4.2: two points
//= error 2
kernel void k(global float* o) {
  *o = 1..2;
}

//= OpenCL C 6.9: long double literals
//= error 2
kernel void k(global double* o) {
  *o = 1.0L;
}

//= OpenCL C 6.1.1.1: half literals
//= ok
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
kernel void k(global half* o) { *o = 1.5h; }

//= C99 6.4.4.4: characters
//= ok
kernel void k(global int* o) { *o = 'a' + '\n' + '\\' + '\'' + '"' + '\"' + '\0' + '\x41' + '\101' + '\a' + '\b' + '\f' + '\r' + '\t' + '\v' + '\?'; }

//= C99 6.4.4.4: a character is an int
//= ok
constant int check[sizeof('a') == 4 ? 1 : -1] = { 0 };
kernel void k(void) {}

//= C99 6.4.4.4: a character of several letters
//= ok
kernel void k(global int* o) { *o = 'ab'; }

//= C99 6.4.4.4: the value of a character of several letters
//= ok
constant int check['ab' == 24930 && 'abcd' == 1633837924 ? 1 : -1] = { 0 };
kernel void k(void) {}

//= C99 6.4.4.4: an empty character
//= error 2
kernel void k(global int* o) {
  *o = '';
}

//= C99 6.4.4.4: a character that is not closed
//= error 2
kernel void k(global int* o) {
  *o = 'a;
}

//= C99 6.4.4.4: an escape sequence that does not exist is taken as its letter
//= ok
kernel void k(global int* o) { *o = '\q'; }

//= C99 6.4.4.4: \x needs digits
//= error 2
kernel void k(global int* o) {
  *o = '\x';
}

//= C99 6.4.4.4: an escape that is too great
//= error 2
kernel void k(global int* o) {
  *o = '\777';
}

//= C99 6.4.5: strings next to each other are one
//= ok
constant char text[] = "one" " two" "\x41" "\n";
kernel void k(global int* o) { *o = sizeof(text) + text[3]; }

//= C99 6.4.5: a string that is not closed
//= error 1
constant char text[] = "never;
kernel void k(void) {}

//= C99 6.4.5: a string literal is in constant memory
//= ok
kernel void k(global int* o) { constant char* s = "abc"; *o = s[1]; }

//= OpenCL C 6.9: a string literal is no private pointer
//= error 2
kernel void k(global int* o) {
  char* s = "abc";
}

//= C99 6.4.5: a string may be indexed
//= ok
kernel void k(global int* o) { *o = "abc"[1] + *"xyz" + sizeof("four"); }

//= C99 6.4.4.1: an enum constant is an int
//= ok
enum e { A, B = 10, C, D = B * 2, E = 'x' };
constant int check[A == 0 && C == 11 && D == 20 && sizeof(A) == 4 ? 1 : -1] = { 0 };
kernel void k(void) {}

//= OpenCL C 6.1.4: true and false
//= ok
kernel void k(global int* o) { bool b = true; *o = b + false; }

//= C99 6.4.4.2: a sum that looks like an exponent
//= error 2
kernel void k(global int* o) {
  *o = 0xe+1;
}

//= C99 6.4.4.1: long long literals are reserved
//= ok
kernel void k(global long* o) { *o = 1ll + 2LL; }
