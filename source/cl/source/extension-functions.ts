// Functions of extensions by name, and the compiler's rest (OpenCL 3.0, 5.8.4 and 9.2).
import { require } from "./error.ts";
import { Platform } from "./platform.ts";
import { clCreateCommandQueueWithPropertiesKHR } from "./queue-properties.ts";

/** Functions of extensions, by name. @public */
export interface ExtensionFunctions {
  /** Of cl_khr_create_command_queue. */
  readonly clCreateCommandQueueWithPropertiesKHR: typeof clCreateCommandQueueWithPropertiesKHR;
}

const FUNCTIONS: ExtensionFunctions = { clCreateCommandQueueWithPropertiesKHR };

/** A function of an extension by its name; null: there is none of that name. @public */
export type ExtensionFunction<Name extends string> = Name extends keyof ExtensionFunctions ? ExtensionFunctions[Name] : null;

/** A function of an extension, by its name; null: the platform has none of that name. Errors: CL_INVALID_PLATFORM. @public */
export function clGetExtensionFunctionAddressForPlatform<Name extends string>(platform: Platform, name: Name): ExtensionFunction<Name> {
  require(platform instanceof Platform, "CL_INVALID_PLATFORM", "clGetExtensionFunctionAddressForPlatform", "a platform is needed");
  return clGetExtensionFunctionAddress(name);
}

/** The same without a platform, of OpenCL 1.1. @public */
export function clGetExtensionFunctionAddress<Name extends string>(name: Name): ExtensionFunction<Name> {
  return (Object.hasOwn(FUNCTIONS, name) ? FUNCTIONS[name as keyof ExtensionFunctions] : null) as ExtensionFunction<Name>;
}

/** Says that no program will be built soon. The compiler keeps nothing between builds that would be worth giving back, so nothing happens. Errors: CL_INVALID_PLATFORM. @public */
export function clUnloadPlatformCompiler(platform: Platform): void {
  require(platform instanceof Platform, "CL_INVALID_PLATFORM", "clUnloadPlatformCompiler", "a platform is needed");
}

/** The same of OpenCL 1.1, for all platforms. @public */
export function clUnloadCompiler(): void {
  // There is one platform, and its compiler keeps nothing.
}
