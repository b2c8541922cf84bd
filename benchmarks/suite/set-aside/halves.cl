// Two pictures of halves, four channels, blended by the first one's opacity and a factor.
kernel void half_blend(float factor, global const half *front, global const half *back, global half *out) {
  size_t i = get_global_id(0);
  float4 f = vload_half4(i, front), b = vload_half4(i, back);
  vstore_half4(mix(b, f, factor * f.w), i, out);
}
