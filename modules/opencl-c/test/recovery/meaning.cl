// Mistakes of meaning that have nothing to do with each other.
struct point { int x; int y; };
int f01(void) { return undeclared_a; } //! CL2001
int f02(int* p) { return p.x; } //! CL2009
int f03(float4 v) { return (int)v.q; } //! CL2010
void f04(int a) { a + 1 = 2; } //! CL2007
int f05(int a) { return a(1); } //! CL2003
float f06(float a) { return a % 2.0f; } //! CL2006
void f07(void) { break; } //! CL2017
void f08(void) { goto nowhere; } //! CL2020
int f09(int n) { int list[n]; return list[0]; } //! CL2015
float4 f10(void) { return (float4)(1, 2, 3); } //! CL2016
void f11(constant int* c) { *c = 1; } //! CL2008
int f12(int n) { switch (n) { case 1: return 1; case 1: return 2; } return 0; } //! CL2019
void f13(int4 v) { if (v) return; } //! CL2035
int f14(void) { struct point p = { 1, 2 }; return p.z; } //! CL2009
int f15(int a) { int a2 = 1; int a2 = 2; return a2 + a; } //! CL2002
int f16(int a) { return f15(1, a); } //! CL2004
kernel int f17(void) { return 1; } //! CL2022
kernel void f18(bool on) {} //! CL2023
int f19(int a) { return *a; } //! CL2011
int f20(global int* p) { int* q = p; return *q; } //! CL2024
int f21(int n) { return f21(n - 1); } //! CL2025
int f22(int4 v) { return popcount((float4)(1.0f)).x + v.x; } //! CL2012
kernel void f23(global int* o) {
  int t = missing; //! CL2001
  o[0] = t + missing + missing * t;
  o[1] = f01 + t; //! CL2060
  o[2] = get_gobal_id(0) + get_gobal_id(1); //! CL2001
  struct nothing s; //! CL2031
  o[3] = s.a + s.b;
  float4 v = (int4)(1); //! CL2005
  o[4] = v.x > 1.0f;
}
kernel void f24(float* x) { *x = 1.0f; } //! CL2023
int counter = 0; //! CL2030
