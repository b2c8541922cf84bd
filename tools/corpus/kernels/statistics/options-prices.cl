// SPDX-License-Identifier: Apache-2.0
// construct: closed formulas with many functions, binomial trees in local memory, Monte Carlo

float cumulative(float x) {
  const float a[] = {0.319381530f, -0.356563782f, 1.781477937f, -1.821255978f, 1.330274429f};
  float k = 1.0f / (1.0f + 0.2316419f * fabs(x)), sum = 0;
  for (int i = 4; i >= 0; i--)
    sum = (sum + a[i]) * k;
  float w = 1.0f - 0.39894228f * exp(-0.5f * x * x) * sum;
  return x < 0 ? 1.0f - w : w;
}

kernel void black_scholes(global float *call, global float *put, global const float *price, global const float *strike,
                          global const float *years, float rate, float volatility, unsigned n) {
  for (unsigned i = get_global_id(0); i < n; i += get_global_size(0)) {
    float root = sqrt(years[i]);
    float d1 = (log(price[i] / strike[i]) + (rate + 0.5f * volatility * volatility) * years[i]) / (volatility * root);
    float d2 = d1 - volatility * root, discount = exp(-rate * years[i]);
    call[i] = price[i] * cumulative(d1) - strike[i] * discount * cumulative(d2);
    put[i] = strike[i] * discount * cumulative(-d2) - price[i] * cumulative(-d1);
  }
}

kernel void binomial(int steps, global const float4 *options, global float4 *values, local float4 *a, local float4 *b) {
  int x = get_local_id(0), group = get_group_id(0);
  float4 o = options[group], price = (1.0f - o) * 5.0f + o * 30.0f, strike = (1.0f - o) + o * 100.0f;
  float4 years = (1.0f - o) * 0.25f + o * 10.0f, dt = years / (float)steps;
  float4 up = exp(0.3f * sqrt(dt)), down = 1.0f / up, growth = exp(0.02f * dt), p = (growth - down) / (up - down);
  a[x] = max(0.0f, price * exp(0.3f * sqrt(dt) * (2.0f * x - steps)) - strike);
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int j = steps; j > 0; j -= 2) {
    if (x < j)
      b[x] = (p * a[x] + (1.0f - p) * a[x + 1]) / growth;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (x < j - 1)
      a[x] = (p * b[x] + (1.0f - p) * b[x + 1]) / growth;
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (x == 0)
    values[group] = a[0];
}
