// What stands under `id == 0` on both sides of a barrier in a function is done by one work-item, what stands between by all (PoCL #548, #1977).
// launch: {"kernel":"k","options":"","global":[51],"local":[17],"offset":[0],"widths":[4,8,16,4,8,16],"arguments":[{"zeros":204}],"expected":["690000004c040000340800001c0c000004100000ec130000d4170000bc1b0000a41f00008c230000742700005c2b0000442f00002c33000014370000fc3a0000e43e00006a0000004d040000350800001d0c000005100000ed130000d5170000bd1b0000a51f00008d230000752700005d2b0000452f00002d33000015370000fd3a0000e53e00006b0000004e040000360800001e0c000006100000ee130000d6170000be1b0000a61f00008e230000762700005e2b0000462f00002e33000016370000fe3a0000e63e0000"]}
void meet(local int* box, int by) {
  if (get_local_id(0) == 0) box[1] += by;
  barrier(CLK_LOCAL_MEM_FENCE);
}
kernel void k(global int* out) {
  int id = get_local_id(0);
  local int box[2];
  int own = 1000 * id;
  if (id == 0) { box[0] = 100; box[1] = 0; }
  barrier(CLK_LOCAL_MEM_FENCE);
  meet(box, (int)get_group_id(0));
  own += box[0];
  meet(box, 0);
  if (id == 0) own += 5;
  meet(box, 0);
  out[get_global_id(0)] = own + box[1];
}
