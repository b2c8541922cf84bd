// SPDX-License-Identifier: Apache-2.0
// What stands for `@muxkit/spirv` in the workers of the site. They compile OpenCL C only, and its readers, writers and
// tables would be a fifth of what a reader of the playground downloads. A name that is missing here fails the build.

function leftOut(): never {
  throw new Error("this page compiles OpenCL C only: SPIR-V is left out of it");
}

export {
  leftOut as describeSpirvError,
  leftOut as describeWriterError,
  leftOut as readSpir,
  leftOut as readSpirv,
  leftOut as reflectShader,
  leftOut as writeShader,
  leftOut as writeSpirv,
};
