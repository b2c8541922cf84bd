// Built-in functions of OpenCL C 1.2 that this version does not have: a program that calls one deserves to hear that, not that the name is unknown.

const MISSING: ReadonlySet<string> = new Set([
  "read_imagef", "read_imagei", "read_imageui", "write_imagef", "write_imagei", "write_imageui", "get_image_width", "get_image_height", "get_image_depth", "get_image_dim", "get_image_array_size",
  "get_image_channel_data_type", "get_image_channel_order",
]);

/** True for a built-in function of the language that is not there yet. */
export function isMissingBuiltin(name: string): boolean {
  return MISSING.has(name);
}
