typedef struct { int a; float4 b; char c[3]; } Pair;
constant float table[4] = {1.5f, 2.5f, 3.5f, 4.5f};
constant float* constant second = table + 1;
global int counter = 5;
float helper(Pair pair, float x) { return pair.b.y * x + pair.c[1]; }
Pair made(int i) { Pair p; p.a = i; p.b = (float4)(i, i * 2, 3, 4); p.c[0] = 1; p.c[1] = 2; p.c[2] = i; return p; }
kernel void various(global float* out, global int* bits, long n, float4 v, Pair p, local int* l) {
  local int tile[8];
  size_t i = get_global_id(0), k = get_local_id(0);
  tile[k] = (int)i; l[k] = (int)(i * 3);
  barrier(CLK_LOCAL_MEM_FENCE);
  Pair q = i & 1 ? p : made((int)i);
  float sum = helper(q, v.z) + table[i & 3] + second[1] + tile[7 - k] + l[7 - k];
  switch (n + (long)i) {
    case 4294967296L: sum += 100; break;
    case 4294967298L: sum += 200;
    case 3: sum += 300; break;
    default: sum -= 1;
  }
  for (long j = 0; j < (n & 7) + (long)i; j++) sum = fma(sum, 1.01f, sin((float)j));
  out[i] = sum + length(v) + convert_float(convert_uchar_sat(sum * 10));
  int4 w = (int4)(i, i * 2, -1, 4) << (int4)(1, 2, 3, 4);
  bits[i] = w.x ^ w.y ^ w.z ^ w.w ^ popcount((uint)i) ^ clz((uint)i)
      ^ (int)mul_hi(n, (long)i) ^ add_sat((char)120, (char)i) ^ rotate((int)i, 5);
  atomic_add(&bits[8], (int)i); atomic_max(&bits[9], (int)i); bits[10] = counter;
  vstore_half4(v, i, (global half*)(bits + 16));
  event_t e = async_work_group_copy(l, bits + 48, 8, 0); wait_group_events(1, &e);
}
