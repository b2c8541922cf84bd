// Stands for an offline compiler in tests of program libraries: `-o OUT -d DEVICE [build options] FILE`.
import { readFileSync, writeFileSync } from "node:fs";

import { CL_DEVICE_TYPE_ALL, clBuildProgram, clCreateContext, clCreateProgramWithSource, clGetDeviceIDs, clGetPlatformIDs, clGetProgramInfo } from "muxkit/opencl";

const [, , dashO, output = "", dashD, name = "", ...rest] = process.argv;
const file = rest.pop() ?? "";
const [platform] = clGetPlatformIDs();
const devices = platform === undefined ? [] : clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL);
const device = devices.find(({ info }) => info.deviceName.includes(name));
if (dashO !== "-o" || dashD !== "-d" || device === undefined) throw new Error(`wrong arguments: ${process.argv.slice(2).join(" ")}`);
const program = clCreateProgramWithSource(clCreateContext([device]), [readFileSync(file, "utf8")]);
clBuildProgram(program, null, rest.map((word) => `"${word.replaceAll(/["\\]/gu, String.raw`\$&`)}"`).join(" "));
writeFileSync(output, clGetProgramInfo(program, "CL_PROGRAM_BINARIES")[0] ?? "");
