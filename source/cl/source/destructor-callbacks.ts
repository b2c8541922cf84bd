// SPDX-License-Identifier: Apache-2.0
// Callbacks for the end of an object (OpenCL 3.0, 4.4 and 5.5.6), called in reverse order of registration.
import { ensure } from "./error.ts";
import { MemoryObject } from "./memory-object.ts";
import { live, onDestroy } from "./object.ts";
import { Context } from "./platform.ts";

function checkCallback(call: string, callback: unknown): void {
  ensure(typeof callback === "function", "CL_INVALID_VALUE", call, "the callback is not a function");
}

/**
 * Calls `callback` when the object is gone: the user holds no reference and no command needs it, and its bytes are
 * still there. Callbacks are called in reverse order. Errors: CL_INVALID_MEM_OBJECT, CL_INVALID_VALUE.
 *
 * @public
 */
export function clSetMemObjectDestructorCallback(object: MemoryObject, callback: (object: MemoryObject) => void): void {
  const call = "clSetMemObjectDestructorCallback";
  live(object, MemoryObject, "CL_INVALID_MEM_OBJECT", call);
  checkCallback(call, callback);
  onDestroy(object, () => {
    callback(object);
  });
}

/**
 * Calls `callback` when the context and all that was made of it are gone, in reverse order. Errors: CL_INVALID_CONTEXT,
 * CL_INVALID_VALUE.
 *
 * @public
 */
export function clSetContextDestructorCallback(context: Context, callback: (context: Context) => void): void {
  const call = "clSetContextDestructorCallback";
  live(context, Context, "CL_INVALID_CONTEXT", call);
  checkCallback(call, callback);
  onDestroy(context, () => {
    callback(context);
  });
}
