// Bit flags and statuses with OpenCL's own numbers (CL/cl.h). Info tokens are strings: their types name what each answers.

/** Devices that a platform prefers. @public */
export const CL_DEVICE_TYPE_DEFAULT = 1;
/** Processors. @public */
export const CL_DEVICE_TYPE_CPU = 2;
/** Graphics processors. @public */
export const CL_DEVICE_TYPE_GPU = 4;
/** Other accelerators. @public */
export const CL_DEVICE_TYPE_ACCELERATOR = 8;
/** Devices without a compiler. @public */
export const CL_DEVICE_TYPE_CUSTOM = 16;
/** Every kind. @public */
export const CL_DEVICE_TYPE_ALL = 0xffff_ffff;

/** Kernels read and write. @public */
export const CL_MEM_READ_WRITE = 1;
/** Kernels write only. @public */
export const CL_MEM_WRITE_ONLY = 2;
/** Kernels read only. @public */
export const CL_MEM_READ_ONLY = 4;
/** The caller's array holds the bytes while they are mapped. @public */
export const CL_MEM_USE_HOST_PTR = 8;
/** Memory that the host can map; all of ours can be. @public */
export const CL_MEM_ALLOC_HOST_PTR = 16;
/** The caller's array gives the first contents. @public */
export const CL_MEM_COPY_HOST_PTR = 32;
/** The host writes only. @public */
export const CL_MEM_HOST_WRITE_ONLY = 128;
/** The host reads only. @public */
export const CL_MEM_HOST_READ_ONLY = 256;
/** The host does neither. @public */
export const CL_MEM_HOST_NO_ACCESS = 512;

/** Shared virtual memory that host and kernels use at once. @public */
export const CL_MEM_SVM_FINE_GRAIN_BUFFER = 1024;
/** With atomic operations of both. @public */
export const CL_MEM_SVM_ATOMICS = 2048;

/** Allocations of shared virtual memory that are mapped. @public */
export const CL_DEVICE_SVM_COARSE_GRAIN_BUFFER = 1;
/** Allocations that host and kernels use at once. @public */
export const CL_DEVICE_SVM_FINE_GRAIN_BUFFER = 2;
/** The host's own memory. @public */
export const CL_DEVICE_SVM_FINE_GRAIN_SYSTEM = 4;
/** Atomic operations of both. @public */
export const CL_DEVICE_SVM_ATOMICS = 8;

/** Kernels read and write in one launch: asked of the formats of read_write images. @public */
export const CL_MEM_KERNEL_READ_AND_WRITE = 4096;

/** Map to read. @public */
export const CL_MAP_READ = 1;
/** Map to write. @public */
export const CL_MAP_WRITE = 2;
/** Map to write everything: what was there need not be shown. @public */
export const CL_MAP_WRITE_INVALIDATE_REGION = 4;

/** Migrate to the host. @public */
export const CL_MIGRATE_MEM_OBJECT_HOST = 1;
/** Migrate without the contents. @public */
export const CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED = 2;

/** Commands may overtake each other: our queues keep their order, which the specification allows. @public */
export const CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE = 1;
/** Events tell their times. @public */
export const CL_QUEUE_PROFILING_ENABLE = 2;

/** The queue belongs to kernels. @public */
export const CL_QUEUE_ON_DEVICE = 4;
/** It is the one that kernels find by themselves. @public */
export const CL_QUEUE_ON_DEVICE_DEFAULT = 8;

/** Before others (cl_khr_priority_hints). @public */
export const CL_QUEUE_PRIORITY_HIGH_KHR = 1;
/** As usual. @public */
export const CL_QUEUE_PRIORITY_MED_KHR = 2;
/** After others. @public */
export const CL_QUEUE_PRIORITY_LOW_KHR = 4;
/** At full speed (cl_khr_throttle_hints). @public */
export const CL_QUEUE_THROTTLE_HIGH_KHR = 1;
/** As usual. @public */
export const CL_QUEUE_THROTTLE_MED_KHR = 2;
/** With little power. @public */
export const CL_QUEUE_THROTTLE_LOW_KHR = 4;

/** The command is done. @public */
export const CL_COMPLETE = 0;
/** The command runs. @public */
export const CL_RUNNING = 1;
/** The device has the command. @public */
export const CL_SUBMITTED = 2;
/** The queue has the command. @public */
export const CL_QUEUED = 3;
