// SPDX-License-Identifier: Apache-2.0
// construct: a large right-hand side of differential equations, with many exponentials and an array of states

#define STATES 16
#define RATE(a, b, c, v) ((a) * exp((b) * ((v) + (c))))
#define GATE(i, alpha, beta) dy[i] = (alpha) * (1.0f - y[i]) - (beta) * y[i]

void right_hand_side(const float *y, float *dy, constant float *k, float t) {
  float v = y[0];
  float am = fabs(v + 47.0f) < 1e-3f ? 10.0f : -(v + 47.0f) / (exp(-0.1f * (v + 47.0f)) - 1.0f);
  GATE(1, am, RATE(40.0f, -0.056f, 72.0f, v));
  GATE(2, RATE(0.126f, -0.25f, 77.0f, v), 1.7f / (exp(-0.082f * (v + 22.5f)) + 1.0f));
  GATE(3, RATE(0.055f, -0.25f, 78.0f, v) / (exp(-0.2f * (v + 78.0f)) + 1.0f), 0.3f / (exp(-0.1f * (v + 32.0f)) + 1.0f));
  GATE(4, RATE(0.095f, -0.01f, -5.0f, v) / (exp(-0.072f * (v - 5.0f)) + 1.0f), RATE(0.07f, -0.017f, 44.0f, v));
  GATE(5, RATE(0.012f, -0.008f, 28.0f, v) / (exp(0.15f * (v + 28.0f)) + 1.0f), RATE(0.0065f, -0.02f, 30.0f, v));
  GATE(6, RATE(0.0005f, 0.083f, 50.0f, v) / (exp(0.057f * (v + 50.0f)) + 1.0f), RATE(0.0013f, -0.06f, 20.0f, v));
  float es = -82.3f - 13.0287f * log(fmax(y[7], 1e-9f));
  float is = 0.09f * y[4] * y[5] * (v - es);
  float ina = (k[0] * y[1] * y[1] * y[1] * y[2] * y[3] + 0.003f) * (v - 50.0f);
  float ix = y[6] * 0.8f * (exp(0.04f * (v + 77.0f)) - 1.0f) / exp(0.04f * (v + 35.0f));
  float ik = 0.35f * (4.0f * (exp(0.04f * (v + 85.0f)) - 1.0f) / (exp(0.08f * (v + 53.0f)) + exp(0.04f * (v + 53.0f))) +
                      0.2f * (v + 23.0f) / (1.0f - exp(-0.04f * (v + 23.0f))));
  dy[7] = -1e-7f * is + 0.07f * (1e-7f - y[7]);
  for (int i = 8; i < STATES; i++)
    dy[i] = k[i] * (y[i - 1] - y[i]) + pow(fabs(y[i]), 0.3f) * sin(t * i);
  dy[0] = -(ina + is + ix + ik) / k[1] + (fmod(t, 500.0f) < 2.0f ? 25.0f : 0.0f);
}

kernel void integrate_cells(global float *states, constant float *k, float t, float h, int steps, int n) {
  int i = get_global_id(0);
  if (i >= n)
    return;
  float y[STATES], k1[STATES], k2[STATES], k3[STATES], k4[STATES], z[STATES];
  for (int j = 0; j < STATES; j++)
    y[j] = states[j * n + i];
  for (int s = 0; s < steps; s++, t += h) {
    right_hand_side(y, k1, k, t);
    for (int j = 0; j < STATES; j++)
      z[j] = y[j] + 0.5f * h * k1[j];
    right_hand_side(z, k2, k, t + 0.5f * h);
    for (int j = 0; j < STATES; j++)
      z[j] = y[j] + 0.5f * h * k2[j];
    right_hand_side(z, k3, k, t + 0.5f * h);
    for (int j = 0; j < STATES; j++)
      z[j] = y[j] + h * k3[j];
    right_hand_side(z, k4, k, t + h);
    for (int j = 0; j < STATES; j++)
      y[j] += h / 6.0f * (k1[j] + 2.0f * (k2[j] + k3[j]) + k4[j]);
  }
  for (int j = 0; j < STATES; j++)
    states[j * n + i] = y[j];
}
