// SPDX-License-Identifier: Apache-2.0
// Opens the device that each list of options chooses, runs a kernel there, and tells the name or the error.
import { type DeviceOptions, openDeviceSync } from "muxkit";

const list = JSON.parse(process.argv[2] ?? "[]") as readonly DeviceOptions[];
const told = list.map((options) => {
  try {
    using device = openDeviceSync(options);
    const { twice } = device.build("kernel void twice(global int* p) { p[get_global_id(0)] *= 2; }");
    const array = device.array(Int32Array.of(1, 2, 3));
    twice({ global: 3 }, array);
    return [device.name, ...array.readSync()].join(" ");
  } catch (error) {
    return String(error);
  }
});
console.log(JSON.stringify(told));
