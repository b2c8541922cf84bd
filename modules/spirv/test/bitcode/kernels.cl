// SPDX-License-Identifier: Apache-2.0
// clang-14 -x cl -target spir -O0 -cl-std=CL1.2 -cl-kernel-arg-info -Xclang -finclude-default-header
//   -emit-llvm -c kernels.cl -o kernels.bc
typedef struct {
  int first;
  float parts[3];
} pair;

constant int table[4] = {1, 2, 3, 5};

int twice(int x) { return x * 2; }

__attribute__((reqd_work_group_size(4, 1, 1)))
kernel void sums(global int* out, pair value, local int* scratch, int n) {
  int i = get_global_id(0);
  int l = get_local_id(0);
  int sum = value.first;
  for (int k = 0; k < n; k++) {
    switch (k & 3) {
      case 0: sum += twice(i); break;
      case 1: sum -= table[k & 3];
      default: sum ^= k; break;
    }
  }
  scratch[l] = sum;
  barrier(CLK_LOCAL_MEM_FENCE);
  int4 v = (int4)(sum, scratch[l ^ 1], i < 2, (int)value.parts[1]);
  v = v.yxwz + (i > 1 ? 3 : 4);
  atomic_add(out + 4, v.x);
  out[i] = v.x + v.y * 10 + v.z * 100 + v.w;
}
