// A condition that whole groups take or do not, and another barrier for all after it (PoCL #1998).
// launch: {"kernel":"k","options":"","global":[36],"local":[9],"offset":[0],"widths":[4,8,16,4,8,16],"arguments":[{"zeros":144}],"expected":["00000000fffffffffefffffffdfffffffcfffffffbfffffffafffffff9fffffff8ffffff68000000690000006a0000006b0000006c00000064000000650000006600000067000000fefffffffdfffffffcfffffffbfffffffafffffff9fffffff8fffffff7fffffff6ffffff30010000310100003201000033010000340100002c0100002d0100002e0100002f010000"]}
kernel void k(global int* out) {
  local int tile[9];
  int id = get_local_id(0), group = get_group_id(0), result = -id - group;
  tile[id] = group * 100 + id;
  if (group & 1) {
    barrier(CLK_LOCAL_MEM_FENCE);
    result = tile[(id + 4) % 9];
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  tile[id] = result;
  barrier(CLK_LOCAL_MEM_FENCE);
  out[get_global_id(0)] = tile[8 - (8 - id)];
}
