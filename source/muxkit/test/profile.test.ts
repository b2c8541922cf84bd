// SPDX-License-Identifier: Apache-2.0
// Profiles: what each kernel took.
import { openDeviceSync } from "muxkit";
import { expect, test } from "vitest";

test("a row for each kernel, with calls, times and bytes; nothing before and after", async () => {
  const device = openDeviceSync({ threads: 1 });
  const { little, much } = device.build(`
    kernel void little(global float* x) { x[get_global_id(0)] += 1; }
    kernel void much(global float* x) {
      float v = x[get_global_id(0)];
      for (int i = 0; i < 2000; i++) v = v * 0.5f + 1.0f;
      x[get_global_id(0)] = v;
    }`);
  const array = device.array(Float32Array, 65_536);
  little(65_536, array);
  const profile = device.profile();
  // More than one submission can measure.
  for (let i = 0; i < 200; i++) little(1024, array);
  for (let i = 0; i < 3; i++) much(65_536, array);
  const trace = JSON.parse(await profile.trace()) as {
    readonly traceEvents: readonly { readonly name: string; readonly ts: number; readonly dur: number }[];
  };
  const rows = await profile.stop();
  little(65_536, array);
  await device.finish();
  expect(rows.map(({ name, calls }) => [name, calls])).toEqual([
    ["much", 3],
    ["little", 200],
  ]);
  for (const row of rows) {
    expect(row.least).toBeGreaterThan(0);
    expect(row.mean).toBeCloseTo(row.total / row.calls);
    expect(row["GB/s"]).toBeCloseTo((row.calls * 65_536 * 4) / row.total / 1e6);
  }
  expect(trace.traceEvents).toHaveLength(203);
  // Commands of a device run one after the other.
  const overlaps = trace.traceEvents.filter(({ ts }, i) => {
    const before = trace.traceEvents[i - 1];
    return before !== undefined && ts < before.ts + before.dur - 0.001;
  });
  expect(overlaps).toEqual([]);
  expect(String(profile)).toBe("Profile of 203 commands");
  device.close();
});
