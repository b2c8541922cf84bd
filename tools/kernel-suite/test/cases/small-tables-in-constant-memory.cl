// Small tables in constant memory: bytes, shorts, ints and floats, in divergent code and across a barrier.
// launch: {"kernel":"k","options":"","global":[48],"local":[16],"offset":[0],"widths":[4,8,16,2],"arguments":[{"contents":"82b70eee7f1a5039bef07ec2347f066ed08f5dc7512447e3404300026b6e545594a065685d64c4980bb8d4544a8721a9"},{"zeros":192}],"expected":["82b70eee7f1a5039bef07ec2347f066ed08f5dc7512447e3404300026b6e545594a065685d64c4980bb8d4544a8721a9","0e0000005a000000020300000a0000001f6001002f3400001a00000017030000ef030000460000004a3000000000000002000000586001004f000000bd020000e98affff10000000090000005a0000000c00000017000000b1ba0000f2030000a1ba0000c38effff0d000000dc2f0100e5320100c602000007000000f0030000e3030000e58affffc1330100c902000006000000fefffffff10300009d320100880a000018000000db8affff1500000048300000250000002500000042300000"]}
constant uchar order[10] = {3, 1, 4, 1, 5, 9, 2, 6, 5, 3};
constant short halves[6] = {-5, 700, -30000, 12345, 1, 2};
constant int price[8] = {1000, 20, 3, 77777, 5, 6, 70, 8};
constant float coin[3] = {0.5f, -1.25f, 3.0f};
kernel void k(global const uchar *in, global int *out) {
  local uchar shown[16];
  size_t i = get_global_id(0), lid = get_local_id(0);
  uchar b = in[i];
  shown[lid] = b;
  int sum = order[b % 10] + halves[(b >> 3) % 6];
  if (b & 1) sum += price[b >> 5];
  constant int *kept = price;
  barrier(CLK_LOCAL_MEM_FENCE);
  uchar j = shown[(lid + 1) % 16];
  out[i] = sum + (int)(coin[j % 3] * 4.0f) + kept[j & 7];
}
