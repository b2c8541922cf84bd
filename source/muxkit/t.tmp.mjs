import { openDeviceSync } from "muxkit";
import fs from "node:fs";
const device = openDeviceSync({ threads: 1 });
for (const o of ["-cl-wfv=never", "-cl-wfv=auto", "-cl-wfv=always"]) {
const k = device.build(fs.readFileSync("/tmp/work/streams/d.cl", "utf8"), {options: o});
const out = device.array(Uint8Array, 256*32);
k.k({global: 32, local: 32}, out); 
const a = out.readSync();
console.log(o, [...a].flatMap((v,i)=>v?[`${i}:${v}`]:[]).slice(0,12).join());
}
device.close();
