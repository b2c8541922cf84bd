// Words and forms of other languages: each is one mistake, and what follows from it is silent.
#include "stdio.h" //! CL1106
using namespace std; //! CL1223
namespace physics { int mass(int a) { return a; } } //! CL1223
template <typename T> T twice(T a) { return a + a; } //! CL1223
class A { int x; }; //! CL1223
struct pair { int a, float b; }; //! CL1201
enum mode { FIRST; SECOND }; //! CL1201
constexpr int limit(int a) { return a; } //! CL1223
__device__ float half_of(float a) { return a * 0.5f; } //! CL1223
int by_reference(int& a) { return a + 1; } //! CL1223
int by_default(int a = 1) { return a; } //! CL1223
int no_comma(int a int b) { return a + b; } //! CL1201

kernel void f01(global int* o, int n) {
  auto a = n; //! CL1213
  o[0] = a + twice(n);
  A object; o[1] = object.x;
  std::vector<int> list; //! CL1223
  o[2] = list[0] + list[1];
  int* p = new int[3]; //! CL1223
  o[3] = p[0];
  delete p; //! CL1223
  __shared__ int tile[4]; //! CL1223
  o[4] = tile[0];
  if (n > 1) {
    o[5] = 1;
  } elif (n > 2) { //! CL1223
    o[5] = 2;
  }
  if (n > 3) then o[6] = 1; //! CL1223
  o[7] = 1: //! CL1201
  o[8] = 2;
}

kernel void f02(global int* o, float x) {
  o[0] = *(particle*)o; //! CL1209
  o[1] = sizeof(particle*); //! CL1209
  o[2] = (itn)x; //! CL1209
  o[3] = (vec4)(1.0f, 2.0f, 3.0f, 4.0f).x; //! CL1209
  o[4] = (flaot4)(x).y; //! CL1209
  uint32 y = 2; //! CL1209
  o[5] = y;
  o[6] = {1, 2}; //! CL1202
  barrier(); //! CL2004
  o[get_global_id()] = 1; //! CL2004
  o[7] = vec3(1.0f, 2.0f, x).x; //! CL2001
}
} //! CL1224
struct body { int mass; };
enum color { RED };
kernel void f04(global int* o, int n, global body* all) { //! CL1209
  body one; //! CL1209
  one.mass = all[0].mass + 1;
  color c = RED; //! CL1209
  o[0] = one.mass + c;
  if (n > 1 and n < 3) o[1] = 1; //! CL1223
  if (not n) o[1] = 1; //! CL1223
  for (int i : o) o[2] = i; //! CL1201
  o[3] = int; //! CL1202
}
kernel void f03(global int* o) { o[0] = by_reference(1) + no_comma(1, 2); }
