// SPDX-License-Identifier: Apache-2.0
// What goes wrong with buffers, accessors, copies and fills.
import { Buffer, type DeviceAccessor, id, range } from "@muxkit/sycl";

import { MODES, touch, twice, untyped } from "./memory.table.ts";
import { type ErrorRow, counting, kernel, queue } from "./rig.ts";

/** All errors. */
export const MEMORY_ERRORS: readonly ErrorRow[] = [
  {
    id: "errors/buffer-empty",
    what: "a buffer over no elements",
    code: "invalid",
    message: /one element at least/u,
    run: () => new Buffer(new Int32Array(0)),
  },
  {
    id: "errors/buffer-range-empty",
    what: "a buffer of an empty range",
    code: "invalid",
    message: /one element at least/u,
    run: () => new Buffer(Int32Array, range(4, 0)),
  },
  {
    id: "errors/buffer-range-size",
    what: "a range of another size than the array",
    code: "invalid",
    message: /array has 4 elements, and the range 6/u,
    run: () => new Buffer(new Int32Array(4), range(2, 3)),
  },
  {
    id: "errors/buffer-source",
    what: "a buffer over an object",
    code: "invalid",
    message: /typed array, or of the class of one and a range/u,
    run: () => new Buffer(untyped({})),
  },
  {
    id: "errors/buffer-view",
    what: "a buffer over a DataView",
    code: "invalid",
    message: /typed array/u,
    run: () => new Buffer(untyped(new DataView(new ArrayBuffer(8)))),
  },
  {
    id: "errors/buffer-disposed",
    what: "an accessor to a buffer that is gone",
    code: "invalid",
    message: /buffer has been disposed of/u,
    run: () => {
      const buffer = new Buffer(counting(4));
      buffer[Symbol.dispose]();
      return twice(buffer);
    },
  },
  {
    id: "errors/buffer-disposed-sub",
    what: "an accessor to a part of a buffer that is gone",
    code: "invalid",
    message: /disposed of/u,
    run: () => {
      const buffer = new Buffer(counting(4));
      const part = buffer.subBuffer(id(0), range(2));
      buffer[Symbol.dispose]();
      return twice(part);
    },
  },
  {
    id: "errors/buffer-disposed-host",
    what: "a host accessor to a buffer that is gone",
    code: "invalid",
    message: /disposed of/u,
    run: () => {
      const buffer = new Buffer(counting(4));
      buffer[Symbol.dispose]();
      return buffer.getHostAccess();
    },
  },
  {
    id: "errors/buffer-final-data",
    what: "final data that is too short",
    code: "invalid",
    message: /array has 2 elements, and the buffer 4/u,
    run: () => {
      using buffer = new Buffer(counting(4));
      buffer.setFinalData(new Int32Array(2));
    },
  },
  {
    id: "errors/sub-of-sub",
    what: "a part of a part",
    code: "invalid",
    message: /no sub-buffers/u,
    run: () => new Buffer(counting(4)).subBuffer(id(0), range(3)).subBuffer(id(0), range(2)),
  },
  {
    id: "errors/sub-outside",
    what: "a part that ends outside",
    code: "accessor",
    message: /elements 2 to 5 in dimension 0 are not all among the 4/u,
    run: () => new Buffer(counting(4)).subBuffer(id(2), range(3)),
  },
  {
    id: "errors/sub-columns",
    what: "a part of columns",
    code: "invalid",
    message: /one after the other/u,
    run: () => new Buffer(counting(12), range(3, 4)).subBuffer(id(0, 1), range(3, 2)),
  },
  {
    id: "errors/access-mode",
    what: "a mode that there is not",
    code: "accessor",
    message: /"append" is no access mode/u,
    run: () =>
      queue.submit((handler) => {
        new Buffer(counting(4)).getAccess(handler, untyped("append"));
      }),
  },
  ...MODES.map((mode) => ({
    id: `errors/access-outside-${mode}`,
    what: `an accessor that ends outside (${mode})`,
    code: "accessor",
    message: /elements 3 to 6 in dimension 0/u,
    run: () => touch(new Buffer(counting(4)), mode, 3, 3),
  })),
  {
    id: "errors/access-empty",
    what: "an accessor of no elements",
    code: "accessor",
    message: /elements 4 to 4/u,
    run: () => touch(new Buffer(counting(4)), "read", 4, 0),
  },
  {
    id: "errors/access-dimensions",
    what: "an offset of other dimensions",
    code: "accessor",
    message: /buffer has 1 dimensions/u,
    run: () =>
      queue.submit((handler) => {
        new Buffer(counting(4)).getAccess(handler, "read", { offset: untyped(id(0, 0)) });
      }),
  },
  {
    id: "errors/access-other-group",
    what: "an accessor of another group",
    code: "accessor",
    message: /belongs to another command group/u,
    run: () => {
      const buffer = new Buffer(counting(4));
      let kept: DeviceAccessor<Int32Array> | null = null;
      queue.submit((handler) => {
        kept = buffer.getAccess(handler, "read_write") as unknown as DeviceAccessor<Int32Array>;
      });
      return queue.parallelFor(range(4), kernel("twice"), kept);
    },
  },
  {
    id: "errors/access-after-group",
    what: "an accessor with the handler of a group that is over",
    code: "invalid",
    message: /use the handler inside of it only/u,
    run: () => {
      const handlers: Parameters<Parameters<typeof queue.submit>[0]>[0][] = [];
      queue.submit((handler) => {
        handlers.push(handler);
      });
      return new Buffer(counting(4)).getAccess(handlers[0] ?? untyped(null), "read");
    },
  },
  {
    id: "errors/host-mode",
    what: "a host accessor in a mode that there is not",
    code: "accessor",
    message: /"append" is no access mode/u,
    run: () => new Buffer(counting(4)).getHostAccess(untyped("append")),
  },
  {
    id: "errors/host-write",
    what: "writing by a host accessor that reads",
    code: "accessor",
    message: /is for reading/u,
    run: () => {
      new Buffer(counting(4)).getHostAccess("read").set(1, 0);
    },
  },
  {
    id: "errors/host-place",
    what: "an element outside",
    code: "accessor",
    message: /coordinate 4 in dimension 0 is not among 0 to 3/u,
    run: () => new Buffer(counting(4)).getHostAccess("read").get(4),
  },
  {
    id: "errors/host-coordinates",
    what: "one coordinate for two dimensions",
    code: "accessor",
    message: /1 coordinates were passed for 2 dimensions/u,
    run: () => new Buffer(counting(4), range(2, 2)).getHostAccess("read").get(1),
  },
  {
    id: "errors/host-disposed",
    what: "a host accessor that is gone",
    code: "accessor",
    message: /host accessor has been disposed of/u,
    run: () => {
      const host = new Buffer(counting(4)).getHostAccess("read");
      host[Symbol.dispose]();
      return host.array;
    },
  },
  {
    id: "errors/host-twice",
    what: "a host accessor that waits for another one",
    code: "event",
    message: /would wait for ever: a host accessor/u,
    run: () => {
      const buffer = new Buffer(counting(4));
      buffer.getHostAccess("read_write");
      return buffer.getHostAccess("read");
    },
  },
  {
    id: "errors/host-twice-async",
    what: "the same without blocking",
    code: "event",
    message: /would wait for ever: a host accessor/u,
    run: async () => {
      const buffer = new Buffer(counting(4));
      buffer.getHostAccess("read_write");
      return await buffer.getHostAccessAsync("read");
    },
  },
  {
    id: "errors/host-deadlock",
    what: "waiting for a group that a host accessor keeps back",
    code: "event",
    message: /dispose of the accessor first/u,
    run: () => {
      const buffer = new Buffer(counting(4));
      buffer.getHostAccess("read_write");
      twice(buffer).wait();
    },
  },
  {
    id: "errors/host-deadlock-await",
    what: "awaiting it",
    code: "event",
    message: /dispose of the accessor first/u,
    run: async () => {
      const buffer = new Buffer(counting(4));
      buffer.getHostAccess("read_write");
      await twice(buffer);
    },
  },
  {
    id: "errors/copy-read-target",
    what: "a copy into an accessor that reads",
    code: "accessor",
    message: /target is written, and its accessor is for reading/u,
    run: () =>
      queue.submit((handler) => {
        handler.copy(counting(4), new Buffer(counting(4)).getAccess(handler, "read"));
      }),
  },
  {
    id: "errors/copy-write-source",
    what: "a copy out of an accessor that writes",
    code: "accessor",
    message: /source is read, and its accessor is for writing/u,
    run: () =>
      queue.submit((handler) => {
        handler.copy(new Buffer(counting(4)).getAccess(handler, "write"), new Int32Array(4));
      }),
  },
  {
    id: "errors/copy-too-large",
    what: "a copy into fewer elements",
    code: "invalid",
    message: /source has 4 elements, and the target 3/u,
    run: () =>
      queue.submit((handler) => {
        handler.copy(new Buffer(counting(4)).getAccess(handler, "read"), new Int32Array(3));
      }),
  },
  {
    id: "errors/copy-types",
    what: "a copy between elements of different types",
    code: "accessor",
    message: /elements of Int32Array, and the target of Float32Array/u,
    run: () =>
      queue.submit((handler) => {
        handler.copy(new Buffer(counting(4)).getAccess(handler, "read"), untyped(new Float32Array(4)));
      }),
  },
  {
    id: "errors/copy-arrays",
    what: "a copy between arrays",
    code: "invalid",
    message: /copied by the host/u,
    run: () =>
      queue.submit((handler) => {
        handler.copy(counting(4), new Int32Array(4));
      }),
  },
  {
    id: "errors/copy-overlap",
    what: "a copy onto itself",
    code: "invalid",
    message: /overlap/u,
    run: () => {
      const buffer = new Buffer(counting(8));
      return queue.submit((handler) => {
        handler.copy(
          buffer.getAccess(handler, "read", { range: range(4) }),
          buffer.getAccess(handler, "write", { range: range(4), offset: id(2) }),
        );
      });
    },
  },
  {
    id: "errors/fill-read",
    what: "a fill of an accessor that reads",
    code: "accessor",
    message: /accessor is for reading/u,
    run: () =>
      queue.submit((handler) => {
        handler.fill(new Buffer(counting(4)).getAccess(handler, "read"), 1);
      }),
  },
  {
    id: "errors/update-host-none",
    what: "updateHost of a buffer without an array",
    code: "invalid",
    message: /not over an array/u,
    run: () =>
      queue.submit((handler) => {
        handler.updateHost(new Buffer(Int32Array, range(4)).getAccess(handler, "read"));
      }),
  },
  {
    id: "errors/update-host-write",
    what: "updateHost of an accessor that writes",
    code: "accessor",
    message: /is for writing/u,
    run: () =>
      queue.submit((handler) => {
        handler.updateHost(new Buffer(counting(4)).getAccess(handler, "write"));
      }),
  },
];
