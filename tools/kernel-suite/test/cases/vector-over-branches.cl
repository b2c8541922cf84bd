// The engine that joins vectors to 32 bytes gives work-item 8 other lanes: docs/decisions/012-engine-features.md
// launch: {"kernel":"k","options":"-cl-std=CL1.2","global":[32],"local":[32],"offset":[0],"widths":[8,16],"arguments":[{"zeros":16640}]}
kernel void k(global uchar* out) {
  uint lid = (uint)get_local_id(0), lin = (uint)get_global_id(0);
  global uchar* mine = out + lin * 384u;
  uint8 v = (uint8)(lid);
  if ((float)lin == 0.0f) {
    if (lid >= 12u) *(global uint*)mine = 0u;
    else if ((lid & 1u) == 2u) v.hi += (uint4)(0u);
  }
  *(global uint8*)(mine + 288) = v;
}
