// SPDX-License-Identifier: Apache-2.0
// Query pools of timestamps: the end of a duration that the runtime measures, when everything before is complete.
import {
  DEFAULT_ALLOCATOR,
  type MuxQueryPool,
  MuxQueryType,
  muxCommandBeginQuery,
  muxCommandEndQuery,
  muxCommandUserCallback,
  muxCreateQueryPool,
  muxDestroyQueryPool,
  muxGetQueryPoolResults,
} from "@muxkit/mux";

import { bufferOf } from "./buffer.ts";
import { commandsOf } from "./command-pool.ts";
import { type Device, deviceOf } from "./device.ts";
import { VulkanError, fromMux, invalid } from "./error.ts";
import {
  VK_QUERY_RESULT_64_BIT,
  VK_QUERY_RESULT_PARTIAL_BIT,
  VK_QUERY_RESULT_WAIT_BIT,
  VK_QUERY_RESULT_WITH_AVAILABILITY_BIT,
  VK_QUERY_TYPE_TIMESTAMP,
} from "./generated/constants.ts";
import { type VkCommandBuffer, VkQueryPool } from "./generated/handles.ts";
import type { Vulkan } from "./generated/vulkan.ts";
import { own } from "./handle.ts";
import { look } from "./synchronisation.ts";

/** A query pool. */
class QueryPool extends VkQueryPool {
  readonly count: number;
  readonly mux: MuxQueryPool;
  /** Queries that were written since they were reset. */
  readonly available: Set<number> = new Set();
  readonly #device: Device;

  constructor(device: Device, count: number, mux: MuxQueryPool) {
    super(device);
    this.#device = device;
    this.count = count;
    this.mux = mux;
  }

  /** Throws unless all the queries are there. */
  ensure(call: string, first: number, count: number): void {
    if (first + count > this.count)
      throw invalid(
        call,
        `queries ${first} to ${first + count} are not all among the pool's ${this.count}`,
        `VUID-${call}-firstQuery-09437`,
      );
  }

  /** Makes queries unavailable. */
  reset(first: number, count: number): void {
    for (let i = first; i < first + count; i++) this.available.delete(i);
  }

  /**
   * Writes results, `stride` bytes apart, as the bits of VkQueryResultFlags say. True: all were available. What is not
   * available is left as it is, or zero with VK_QUERY_RESULT_PARTIAL_BIT.
   */
  write(call: string, first: number, count: number, target: DataView, stride: number, flags: number): boolean {
    const results = fromMux(call, muxGetQueryPoolResults(this.#device.pools.queue, this.mux, first, count));
    const width = (flags & VK_QUERY_RESULT_64_BIT) === 0 ? 4 : 8;
    const put = (at: number, value: bigint): void => {
      if (width === 8) target.setBigUint64(at, value, true);
      else target.setUint32(at, Number(value & 0xffff_ffffn), true);
    };
    let isAll = true;
    for (const [i, result] of results.entries()) {
      const isThere = this.available.has(first + i);
      isAll &&= isThere;
      if (isThere || (flags & VK_QUERY_RESULT_PARTIAL_BIT) !== 0)
        put(i * stride, isThere && "end" in result ? result.end : 0n);
      if ((flags & VK_QUERY_RESULT_WITH_AVAILABILITY_BIT) !== 0) put(i * stride + width, isThere ? 1n : 0n);
    }
    return isAll;
  }

  protected release(): void {
    const { queue } = this.#device.pools;
    fromMux("vkDestroyQueryPool", muxDestroyQueryPool(queue, this.mux, DEFAULT_ALLOCATOR));
  }
}

const poolOf = (pool: VkQueryPool, call: string): QueryPool => own(pool, QueryPool, call);

/** Bytes that results take. */
function resultBytes(count: number, stride: number, flags: number): number {
  const width = (flags & VK_QUERY_RESULT_64_BIT) === 0 ? 4 : 8;
  return (count - 1) * stride + width * ((flags & VK_QUERY_RESULT_WITH_AVAILABILITY_BIT) === 0 ? 1 : 2);
}

function writeTimestamp(call: string, commandBuffer: VkCommandBuffer, handle: VkQueryPool, query: number): void {
  const pool = poolOf(handle, call);
  pool.ensure(call, query, 1);
  const commands = commandsOf(commandBuffer, call);
  commands.record(call, { kind: "other", write: (target) => muxCommandBeginQuery(target, pool.mux, query, 1, []) });
  commands.record(call, { kind: "other", write: (target) => muxCommandEndQuery(target, pool.mux, query, 1, []) });
  commands.record(call, {
    kind: "other",
    write: (target) =>
      muxCommandUserCallback(target, () => {
        pool.available.add(query);
      }, []),
  });
}

/** Entry points for queries. */
export const QUERIES: Pick<
  Vulkan,
  | "vkCreateQueryPool"
  | "vkDestroyQueryPool"
  | "vkResetQueryPool"
  | "vkGetQueryPoolResults"
  | "vkCmdResetQueryPool"
  | "vkCmdWriteTimestamp"
  | "vkCmdWriteTimestamp2"
  | "vkCmdCopyQueryPoolResults"
> = {
  vkCreateQueryPool: (device, { queryType, queryCount }): VkQueryPool => {
    const call = "vkCreateQueryPool";
    const on = deviceOf(device, call);
    if (queryType !== VK_QUERY_TYPE_TIMESTAMP)
      throw new VulkanError("VK_ERROR_FEATURE_NOT_PRESENT", call, "there are queries of timestamps only");
    const made = muxCreateQueryPool(on.pools.queue, MuxQueryType.duration, queryCount, [], DEFAULT_ALLOCATOR);
    return new QueryPool(on, queryCount, fromMux(call, made));
  },
  vkDestroyQueryPool: (_device, pool) => {
    pool.end();
  },
  vkResetQueryPool: (_device, handle, firstQuery, queryCount) => {
    const pool = poolOf(handle, "vkResetQueryPool");
    pool.ensure("vkResetQueryPool", firstQuery, queryCount);
    pool.reset(firstQuery, queryCount);
  },
  vkGetQueryPoolResults: (device, handle, firstQuery, queryCount, pData, stride, flags = 0) => {
    const call = "vkGetQueryPoolResults";
    const on = deviceOf(device, call);
    const pool = poolOf(handle, call);
    pool.ensure(call, firstQuery, queryCount);
    const bytes = resultBytes(queryCount, stride, flags);
    if (pData.byteLength < bytes)
      throw invalid(
        call,
        `the results take ${bytes} bytes, and pData has ${pData.byteLength}`,
        `VUID-${call}-dataSize-00817`,
      );
    if ((flags & VK_QUERY_RESULT_WAIT_BIT) !== 0) on.waitIdle(call);
    look(call, on);
    const view = new DataView(pData.buffer, pData.byteOffset, pData.byteLength);
    return pool.write(call, firstQuery, queryCount, view, stride, flags) ? "VK_SUCCESS" : "VK_NOT_READY";
  },
  vkCmdResetQueryPool: (commandBuffer, handle, firstQuery, queryCount) => {
    const call = "vkCmdResetQueryPool";
    const pool = poolOf(handle, call);
    pool.ensure(call, firstQuery, queryCount);
    commandsOf(commandBuffer, call).record(call, {
      kind: "other",
      write: (commands) =>
        muxCommandUserCallback(commands, () => {
          pool.reset(firstQuery, queryCount);
        }, []),
    });
  },
  vkCmdWriteTimestamp: (commandBuffer, _stage, pool, query) => {
    writeTimestamp("vkCmdWriteTimestamp", commandBuffer, pool, query);
  },
  vkCmdWriteTimestamp2: (commandBuffer, _stage, pool, query) => {
    writeTimestamp("vkCmdWriteTimestamp2", commandBuffer, pool, query);
  },
  vkCmdCopyQueryPoolResults: (
    commandBuffer,
    handle,
    firstQuery,
    queryCount,
    dstBuffer,
    dstOffset,
    stride,
    flags = 0,
  ) => {
    const call = "vkCmdCopyQueryPoolResults";
    const pool = poolOf(handle, call);
    pool.ensure(call, firstQuery, queryCount);
    const target = bufferOf(dstBuffer, call);
    const end = dstOffset + resultBytes(queryCount, stride, flags);
    if (end > target.size)
      throw invalid(
        call,
        `the results reach to byte ${end} of a buffer of ${target.size} bytes`,
        "VUID-vkCmdCopyQueryPoolResults-dstBuffer-00824",
      );
    commandsOf(commandBuffer, call).record(call, {
      kind: "other",
      write: (to) =>
        muxCommandUserCallback(to, () => {
          const bytes = target.bytes(call);
          const view = new DataView(bytes.buffer, bytes.byteOffset + dstOffset, end - dstOffset);
          pool.write(call, firstQuery, queryCount, view, stride, flags);
        }, []),
    });
  },
};
