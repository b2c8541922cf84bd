// SPDX-License-Identifier: Apache-2.0
// Launches that somebody may stop: a node that waits gets an error beforehand, so that it completes without being run
// when its turn comes; one that runs is cancelled as at a deadline. What follows in other batches goes on.
import type { LoweredLaunch } from "./batch-contents.ts";
import { type Board, sendWakes } from "./board.ts";
import * as L from "./control-layout.ts";
import type { DeviceCore } from "./device-core.ts";
import { lock, unlock } from "./lock.ts";
import { cancel } from "./scheduler.ts";

/** Stops a launch, under the lock. Returns how far it was. */
function stop(board: Board, node: number): "waiting" | "running" | "ended" {
  const { words } = board;
  const base = L.nodeBase(node);
  const state = words[base + L.NODE_STATE] as number;
  if (state === L.STATE_DONE || words[base + L.NODE_ERROR] !== 0) return "ended";
  if (state === L.STATE_WAITING) {
    words[base + L.NODE_ERROR] = L.ERROR_STOPPED;
    words[base + L.NODE_ORIGIN] = node;
    return "waiting";
  }
  const isStarted = words[base + L.NODE_STARTED] !== 0;
  cancel(board, node, L.ERROR_STOPPED);
  return isStarted ? "running" : "waiting";
}

/** Calls those who watch launches of a dispatch; see `HostParts.watchLaunches`. */
export function watchLaunches(core: DeviceCore, launches: readonly LoweredLaunch[]): (() => void) | null {
  const { board, host, pool, settings } = core;
  const { words } = board;
  let isOver = false;
  const watched = launches.flatMap(({ node, launch: { watch } }) => {
    if (watch === null) return [];
    const ended = watch(() => {
      if (isOver) return "ended";
      lock(words);
      const state = stop(board, node);
      unlock(words);
      sendWakes(board);
      // This thread ends workers that do not respond, and what never starts may be complete now.
      host.callEventLoop();
      return state;
    });
    return [{ base: L.nodeBase(node), node, ended }];
  });
  if (watched.length === 0) return null;
  // It is for workers, even where there is one thread: this one could not be told while it runs.
  pool.ensure(settings.threads);
  return () => {
    if (isOver) return;
    isOver = true;
    for (const { base, node, ended } of watched)
      ended(words[base + L.NODE_ERROR] === L.ERROR_DEADLINE && words[base + L.NODE_ORIGIN] === node);
  };
}
