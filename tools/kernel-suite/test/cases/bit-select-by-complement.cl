// Seed 5120: buffer 0, byte 0: interpreter has 1, unoptimised 0
// launch: {"kernel":"k","options":"-cl-std=CL1.2","global":[4],"local":[4],"offset":[0],"widths":[2,1],"arguments":[{"zeros":16}]}
kernel void k(global uint* out) {
  uint lid = (uint)get_local_id(0);
  out[lid] = (uint)as_long(bitselect((uint2)(0u), (uint2)(1u), ~(uint2)(lid)));
}
