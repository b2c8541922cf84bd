// SPDX-License-Identifier: Apache-2.0
// Who makes modules: the registered tools, by the number in the upper half of the header's third word.

/** The registered names of tools; those that are not here are `Unknown(N)`. */
export const GENERATORS: readonly string[] = [
  "Khronos",
  "LunarG",
  "Valve",
  "Codeplay",
  "NVIDIA",
  "ARM",
  "Khronos LLVM/SPIR-V Translator",
  "Khronos SPIR-V Tools Assembler",
  "Khronos Glslang Reference Front End",
  "Qualcomm",
  "AMD",
  "Intel",
  "Imagination",
  "Google Shaderc over Glslang",
  "Google spiregg",
  "Google rspirv",
  "X-LEGEND Mesa-IR/SPIR-V Translator",
  "Khronos SPIR-V Tools Linker",
  "Wine VKD3D Shader Compiler",
  "Tellusim Clay Shader Compiler",
  "W3C WebGPU Group WHLSL Shader Translator",
  "Google Clspv",
  "Google MLIR SPIR-V Serializer",
  "Google Tint Compiler",
  "Google ANGLE Shader Compiler",
  "Netease Games Messiah Shader Compiler",
  "Xenia Xenia Emulator Microcode Translator",
  "Embark Studios Rust GPU Compiler Backend",
  "gfx-rs community Naga",
  "Mikkosoft Productions MSP Shader Compiler",
  "SpvGenTwo community SpvGenTwo SPIR-V IR Tools",
  "Google Skia SkSL",
  "TornadoVM SPIRV Beehive Toolkit",
  "DragonJoker ShaderWriter",
  "Rayan Hatout SPIRVSmith",
  "Saarland University Shady",
  "Taichi Graphics Taichi",
];

/** The tool of a header's third word, as assembly says it. */
export function generatorName(generator: number): string {
  const tool = generator >>> 16;
  return GENERATORS[tool] ?? `Unknown(${tool})`;
}

/** The number of a tool by its name; -1: nobody is called so. */
export function generatorNumber(name: string): number {
  const [, unknown] = /^Unknown\((\d+)\)$/u.exec(name) ?? [];
  return unknown === undefined ? GENERATORS.indexOf(name) : Number(unknown);
}
