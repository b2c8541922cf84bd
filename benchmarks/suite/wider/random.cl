// Systematic resampling of particles: each slot looks for its weight among the sums of weights by bisection and copies
// the particle that it finds.
kernel void particle_resample(uint n, uint offset, global const uint *sums, global const float4 *particles,
                              global float4 *chosen, global uint *ancestor) {
  uint i = get_global_id(0);
  if (i >= n) return;
  uint wanted = (uint)(((ulong)i * 1024u + offset) * sums[n] / ((ulong)n * 1024u));
  uint low = 0, high = n;
  while (high - low > 1u) {
    uint middle = (low + high) / 2u;
    if (sums[middle] <= wanted) low = middle;
    else high = middle;
  }
  ancestor[i] = low;
  chosen[i] = particles[low];
}
