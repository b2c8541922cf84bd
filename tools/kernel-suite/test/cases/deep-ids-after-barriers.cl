// An id that takes more steps than are worth repeating, and the barrier's record of what follows from it: neither is the same for the group.
// launch: {"kernel":"k","options":"","global":[4,2,6],"local":[2,2,3],"offset":[0,0,0],"widths":[2,2],"arguments":[{"zeros":192}],"expected":["0c0000000b0100000a02000009030000080400000705000006060000050700000408000003090000020a0000010b00000c0000000b0100000a02000009030000080400000705000006060000050700000408000003090000020a0000010b00000c0000000b0100000a02000009030000080400000705000006060000050700000408000003090000020a0000010b00000c0000000b0100000a02000009030000080400000705000006060000050700000408000003090000020a0000010b0000"]}
kernel void k(global uint* out) {
  uint lid = (uint)(get_local_id(0) + get_local_size(0) * (get_local_id(1) + get_local_size(1) * get_local_id(2)));
  uint lsize = (uint)(get_local_size(0) * get_local_size(1) * get_local_size(2));
  uint group = (uint)(get_group_id(0) + get_num_groups(0) * (get_group_id(1) + get_num_groups(1) * get_group_id(2)));
  local uchar t[12];
  for (uint z = lid; z < 12u; z += lsize) t[z] = (uchar)(0);
  barrier(CLK_LOCAL_MEM_FENCE);
  t[lid] = (uchar)((short)(lid) + (uchar)1);
  barrier(CLK_LOCAL_MEM_FENCE);
  out[group * lsize + lid] = t[lsize - 1u - lid] + ((uint)(short)(lid) << 8);
}
