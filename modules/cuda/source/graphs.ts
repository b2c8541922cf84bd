// SPDX-License-Identifier: Apache-2.0
/**
 * Command buffers that are dispatched again become graphs: runs of commands that need nothing of the host are started
 * by one call, about 1.2 µs for each of their nodes. The first dispatch goes command by command, because making a graph
 * takes 80 µs and more. A launch whose arguments change is changed in its graph.
 */
import type { Command } from "./commands.ts";
import { workOf } from "./commands.ts";
import type { CudaGpu, GpuLaunch, GpuWork, Handle } from "./driver.ts";

/** Work of the shortest run that becomes a graph. */
const LEAST_NODES = 4;

/** A run of commands. */
export interface GraphPart {
  readonly graph: Handle;
  /** The command behind the last one. */
  readonly end: number;
  /** The first node of each command, by its index. */
  readonly nodes: ReadonlyMap<number, number>;
  /** Nodes. */
  readonly count: number;
}

/** The graphs of commands, by the first of each; what the driver refuses stays as it is. */
export function makeGraphs(gpu: CudaGpu, commands: readonly Command[]): Map<number, GraphPart> {
  const parts = new Map<number, GraphPart>();
  for (let first = 0; first < commands.length; first++) {
    const work: GpuWork[] = [];
    const nodes = new Map<number, number>();
    let end = first;
    for (; end < commands.length; end++) {
      const more = workOf(commands[end] as Command);
      if (more === null) break;
      nodes.set(end, work.length);
      work.push(...more);
    }
    if (work.length >= LEAST_NODES) {
      const graph = gpu.createGraph(work);
      if (graph.ok) parts.set(first, { graph: graph.value, end, nodes, count: work.length });
    }
    first = end;
  }
  return parts;
}

/** Changes the launches of a command; false: the driver refuses, and the graphs have to be made anew. */
export function changeGraph(
  gpu: CudaGpu,
  parts: ReadonlyMap<number, GraphPart>,
  command: number,
  launches: readonly GpuLaunch[],
): boolean {
  for (const { graph, nodes } of parts.values()) {
    const node = nodes.get(command);
    if (node !== undefined) return launches.every((launch, i) => gpu.setLaunch(graph, node + i, launch).ok);
  }
  return true;
}

/** Destroys graphs. */
export function freeGraphs(gpu: CudaGpu, parts: ReadonlyMap<number, GraphPart> | null): void {
  for (const { graph } of parts?.values() ?? []) gpu.destroyGraph(graph);
}
