// SPDX-License-Identifier: Apache-2.0
// Queues with a list of properties (OpenCL 3.0, 5.1), and the calls on queues that a device without queues of its own
// refuses.
import {
  CL_QUEUE_ON_DEVICE,
  CL_QUEUE_ON_DEVICE_DEFAULT,
  CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE,
  CL_QUEUE_PRIORITY_HIGH_KHR,
  CL_QUEUE_PRIORITY_LOW_KHR,
  CL_QUEUE_PRIORITY_MED_KHR,
  CL_QUEUE_PROFILING_ENABLE,
  CL_QUEUE_THROTTLE_HIGH_KHR,
  CL_QUEUE_THROTTLE_LOW_KHR,
  CL_QUEUE_THROTTLE_MED_KHR,
} from "./generated/constants.ts";
import { OpenCLError, ensure } from "./error.ts";
import { live } from "./object.ts";
import { checkCounters } from "./performance-counters.ts";
import { Context, Device } from "./platform.ts";
import { CommandQueue, type QueuePropertyList } from "./queue.ts";

const HOST_BITS = CL_QUEUE_PROFILING_ENABLE | CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE;
const PRIORITIES: ReadonlySet<number> = new Set([
  CL_QUEUE_PRIORITY_HIGH_KHR,
  CL_QUEUE_PRIORITY_MED_KHR,
  CL_QUEUE_PRIORITY_LOW_KHR,
]);
const THROTTLES: ReadonlySet<number> = new Set([
  CL_QUEUE_THROTTLE_HIGH_KHR,
  CL_QUEUE_THROTTLE_MED_KHR,
  CL_QUEUE_THROTTLE_LOW_KHR,
]);

function checkBits(call: string, bits: number): void {
  ensure(
    Number.isInteger(bits) && (bits & ~(HOST_BITS | CL_QUEUE_ON_DEVICE | CL_QUEUE_ON_DEVICE_DEFAULT)) === 0,
    "CL_INVALID_VALUE",
    call,
    `the properties 0x${bits.toString(16)} are not supported`,
  );
  const onDevice = (bits & CL_QUEUE_ON_DEVICE) !== 0;
  ensure(
    !onDevice || (bits & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE) !== 0,
    "CL_INVALID_VALUE",
    call,
    "CL_QUEUE_ON_DEVICE requires CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE",
  );
  ensure(
    onDevice || (bits & CL_QUEUE_ON_DEVICE_DEFAULT) === 0,
    "CL_INVALID_VALUE",
    call,
    "CL_QUEUE_ON_DEVICE_DEFAULT requires CL_QUEUE_ON_DEVICE",
  );
}

function isOnDevice(list: QueuePropertyList): boolean {
  return ((list.CL_QUEUE_PROPERTIES ?? 0) & CL_QUEUE_ON_DEVICE) !== 0;
}

/** A check for each property that there is. */
const CHECKS: {
  readonly [Name in keyof QueuePropertyList]-?: (
    call: string,
    value: NonNullable<QueuePropertyList[Name]>,
    list: QueuePropertyList,
    device: Device,
  ) => void;
} = {
  CL_QUEUE_PROPERTIES: checkBits,
  CL_QUEUE_SIZE: (call, value, list) => {
    ensure(
      isOnDevice(list) && Number.isInteger(value) && value > 0,
      "CL_INVALID_VALUE",
      call,
      "CL_QUEUE_SIZE is a size in bytes and requires CL_QUEUE_ON_DEVICE",
    );
  },
  CL_QUEUE_PRIORITY_KHR: (call, value) => {
    ensure(
      PRIORITIES.has(value),
      "CL_INVALID_VALUE",
      call,
      `the priority ${value} is not one of CL_QUEUE_PRIORITY_HIGH_KHR, ` +
        "CL_QUEUE_PRIORITY_MED_KHR, CL_QUEUE_PRIORITY_LOW_KHR",
    );
  },
  CL_QUEUE_THROTTLE_KHR: (call, value) => {
    ensure(
      THROTTLES.has(value),
      "CL_INVALID_VALUE",
      call,
      `the throttle ${value} is not one of CL_QUEUE_THROTTLE_HIGH_KHR, ` +
        "CL_QUEUE_THROTTLE_MED_KHR, CL_QUEUE_THROTTLE_LOW_KHR",
    );
  },
  CL_QUEUE_PERFORMANCE_COUNTERS_MUXKIT: (call, value, list, device) => {
    checkCounters(call, device, value, ((list.CL_QUEUE_PROPERTIES ?? 0) & CL_QUEUE_PROFILING_ENABLE) !== 0);
  },
};

function create(call: string, context: Context, device: Device, properties: QueuePropertyList | null): CommandQueue {
  live(context, Context, "CL_INVALID_CONTEXT", call);
  ensure(
    device instanceof Device && context.devices.includes(device),
    "CL_INVALID_DEVICE",
    call,
    "the device does not belong to this context",
  );
  const list = properties ?? {};
  for (const [name, value] of Object.entries<unknown>({ ...list })) {
    ensure(
      Object.hasOwn(CHECKS, name),
      "CL_INVALID_VALUE",
      call,
      `${name} is not a property of queues; the properties are ${Object.keys(CHECKS).join(", ")}`,
    );
    const check: (call: string, value: never, list: QueuePropertyList, device: Device) => void =
      CHECKS[name as keyof QueuePropertyList];
    check(call, value as never, list, device);
  }
  ensure(
    !isOnDevice(list),
    "CL_INVALID_QUEUE_PROPERTIES",
    call,
    "kernels of this device cannot enqueue commands, so it has no on-device queues",
  );
  return new CommandQueue(
    context,
    device,
    list.CL_QUEUE_PROPERTIES ?? 0,
    call,
    properties === null ? null : { ...list },
  );
}

/**
 * Makes a queue. Priority and throttle are hints, kept and without effect: all queues share one pool of threads.
 * Errors: CL_INVALID_CONTEXT, CL_INVALID_DEVICE, CL_INVALID_VALUE for properties that there are not or that do not go
 * together, CL_INVALID_QUEUE_PROPERTIES for a queue on the device.
 *
 * @public
 */
export function clCreateCommandQueueWithProperties(
  context: Context,
  device: Device,
  properties: QueuePropertyList | null = null,
): CommandQueue {
  return create("clCreateCommandQueueWithProperties", context, device, properties);
}

/** {@link clCreateCommandQueueWithProperties} by the name of cl_khr_create_command_queue. @public */
export function clCreateCommandQueueWithPropertiesKHR(
  context: Context,
  device: Device,
  properties: QueuePropertyList | null = null,
): CommandQueue {
  return create("clCreateCommandQueueWithPropertiesKHR", context, device, properties);
}

/**
 * Of OpenCL 1.0: properties of a queue do not change, as 1.1 allows, so this is always an error.
 * Errors: CL_INVALID_COMMAND_QUEUE, CL_INVALID_VALUE for unknown properties, CL_INVALID_OPERATION for known ones.
 *
 * @public
 */
export function clSetCommandQueueProperty(queue: CommandQueue, properties: number, enable: boolean): never {
  const call = "clSetCommandQueueProperty";
  live(queue, CommandQueue, "CL_INVALID_COMMAND_QUEUE", call);
  ensure(
    Number.isInteger(properties) && (properties & ~HOST_BITS) === 0,
    "CL_INVALID_VALUE",
    call,
    `the properties 0x${properties.toString(16)} are not supported`,
  );
  throw new OpenCLError(
    "CL_INVALID_OPERATION",
    call,
    `the properties of a queue cannot be ${enable ? "enabled" : "disabled"} later; create another queue`,
  );
}

/**
 * Kernels of our devices enqueue nothing, so there is no default queue to replace: this is always an error.
 * Errors: CL_INVALID_CONTEXT, CL_INVALID_DEVICE, CL_INVALID_OPERATION, whatever the queue is.
 *
 * @public
 */
export function clSetDefaultDeviceCommandQueue(context: Context, device: Device, queue: CommandQueue): never {
  const call = "clSetDefaultDeviceCommandQueue";
  live(context, Context, "CL_INVALID_CONTEXT", call);
  ensure(
    device instanceof Device && context.devices.includes(device),
    "CL_INVALID_DEVICE",
    call,
    "the device does not belong to this context",
  );
  throw new OpenCLError(
    "CL_INVALID_OPERATION",
    call,
    `the device has no default queue that ${queue instanceof CommandQueue ? "this one" : "another"} could replace: ` +
      "CL_DEVICE_DEVICE_ENQUEUE_CAPABILITIES is 0",
  );
}
