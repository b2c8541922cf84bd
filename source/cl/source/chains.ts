// SPDX-License-Identifier: Apache-2.0
// What waits for what among commands that go to the device together, and how they are cut into chains: each chain becomes a command buffer, and semaphores join them.
//
// A chain holds commands of which each has to wait for the one before it, so nothing waits that need not: where two commands wait for the same one, or one for two, a chain ends
// and others begin. That holds over queues too: commands that hand each other on from queue to queue and back are one chain, as long as the queue that is left comes back later in
// the same chain; else its next command, which nobody knows yet, would wait for more than it has to.
// The one exception: of a flood of commands that nothing joins, far more than there are threads, several share a chain.
import { assert } from "@muxkit/cargo";

import type { Batch, Command } from "./batch.ts";
import type { DeviceResources } from "./device-resources.ts";
import { type Event, NO_EVENTS } from "./event.ts";

/** Commands that run one after the other. */
export interface Chain {
  readonly events: readonly Event[];
  /** What the first one waits for: batches on the device, and chains before this one. */
  readonly batches: ReadonlySet<Batch>;
  readonly chains: readonly Chain[];
  /** What it became on the device; null before. */
  batch: Batch | null;
}

/** A queue as far as its order matters. */
export interface Order {
  /** True: every command waits for the one before it. */
  readonly isInOrder: boolean;
  /** The batch on the device that everything behind it waits for; null: there is none. */
  readonly lastBatch: Batch | null;
  /** Commands of a chain at most. */
  readonly longest: number;
  /** Commands that nothing joins are a chain each, up to this number; more of them than can run at once share these chains. */
  readonly atOnce: number;
  /** Counters that are read around each command; a chain reads those of one queue. */
  readonly counters: readonly number[];
  /** What its batches are made of; a chain is of one device. */
  readonly resources: DeviceResources;
}

/** What is known of an event while chains are made. */
interface Node {
  readonly event: Event;
  readonly order: Order;
  /** Events of the list that it waits for, without those that others of them wait for. */
  needs: readonly number[];
  readonly batches: Set<Batch>;
  /** Of each queue that is in order: the place, plus one, of its last event that this one comes behind. */
  readonly clock: Int32Array;
  /** Events of the list that wait for it. */
  waiters: number;
  chain: (Chain & { readonly events: Event[] }) | null;
}

const NO_BATCHES: ReadonlySet<Batch> = new Set();

/** True when the events are one chain as they stand: of one queue that is in order, and waiting for nothing but each other. */
function isPlain(events: readonly Event[], { isInOrder }: Order): boolean {
  if (!isInOrder) return false;
  const queue = events[0]?.queue;
  for (let i = 0; i < events.length; i++) {
    const event = events[i] as Event;
    if (event.queue !== queue || (event.isWatched && i < events.length - 1)) return false;
    const { waits, instances } = event.command as Command;
    if (instances !== undefined && events.length > 1) return false;
    for (let k = 0; k < waits.length; k++) if (waits[k]?.queue !== queue && waits[k]?.settled === false) return false;
  }
  return true;
}

/** The chains of commands of one queue without order that nothing joins, as many as can run at once; null: the commands are not like that. */
function looseChains(events: readonly Event[], { isInOrder, atOnce, longest }: Order): readonly Chain[] | null {
  if (isInOrder) return null;
  const queue = events[0]?.queue;
  for (let i = 0; i < events.length; i++) {
    const event = events[i] as Event;
    if (event.queue !== queue || event.after.length > 0 || event.command?.waits.length !== 0 || ends(event))
      return null;
  }
  const count = Math.min(events.length, Math.max(atOnce, Math.ceil(events.length / longest)));
  const lists: Event[][] = Array.from({ length: count }, () => []);
  for (let i = 0; i < events.length; i++) (lists[i % count] as Event[]).push(events[i] as Event);
  return lists.map((list) => ({ events: list, batches: NO_BATCHES, chains: [], batch: null }));
}

/** True when a chain ends behind the event: somebody wants to know when it is complete, or it was recorded beforehand. */
function ends(event: Event): boolean {
  return event.isWatched || isAlone(event);
}

/** True for what is a command buffer already. */
function isAlone({ command }: Event): boolean {
  return command?.instances !== undefined;
}

/**
 * Cuts commands into chains. `events` are in an order in which each stands behind what it waits for; `until` is one that a chain has to end with.
 * The chains are in such an order too.
 */
export function chainsOf(
  events: readonly Event[],
  orderOf: (event: Event) => Order,
  until: Event | null,
): readonly Chain[] {
  const [first] = events;
  if (first === undefined) return [];
  const order = orderOf(first);
  if (isPlain(events, order) && (until === null || until === events.at(-1))) {
    return [
      { events, batches: order.lastBatch === null ? NO_BATCHES : new Set([order.lastBatch]), chains: [], batch: null },
    ];
  }
  return (until === null ? looseChains(events, order) : null) ?? new ChainMaker(events, orderOf, until).chains;
}

class ChainMaker {
  readonly chains: Chain[] = [];
  readonly #until: Event | null;
  readonly #nodes: Node[] = [];
  readonly #places = new Map<Event, number>();
  /** Each order's number among those that are in order, and the place of its last event. */
  readonly #numbers = new Map<Order, number>();
  readonly #last = new Map<Order, number>();
  /** Of each queue: chains of commands that nothing joins, and how many commands share one with others. */
  readonly #loose = new Map<Order, { readonly chains: (Chain & { readonly events: Event[] })[]; shared: number }>();

  constructor(events: readonly Event[], orderOf: (event: Event) => Order, until: Event | null) {
    this.#until = until;
    const orders = events.map(orderOf);
    for (const order of orders)
      if (order.isInOrder && !this.#numbers.has(order)) this.#numbers.set(order, this.#numbers.size);
    for (const [i, event] of events.entries()) {
      this.#places.set(event, i);
      this.#nodes.push(this.#nodeOf(event, orders[i] as Order, i));
    }
    for (const node of this.#nodes) for (const need of node.needs) (this.#nodes[need] as Node).waiters++;
    for (const node of this.#nodes) this.#place(node);
  }

  #nodeOf(event: Event, order: Order, place: number): Node {
    const needs: number[] = [];
    const batches = new Set<Batch>();
    const clock = new Int32Array(this.#numbers.size);
    if (order.isInOrder) {
      const before = this.#last.get(order);
      if (before !== undefined) needs.push(before);
      else if (order.lastBatch !== null) batches.add(order.lastBatch);
    }
    for (const list of [event.command?.waits ?? NO_EVENTS, event.after]) {
      for (const wait of list) {
        const at = this.#places.get(wait);
        if (at !== undefined) needs.push(at);
        else if (wait.batch !== null) batches.add(wait.batch);
        else assert(wait.settled || wait.error !== null, "a command is handed over before one that it waits for");
      }
    }
    for (const need of needs) {
      const theirs = (this.#nodes[need] as Node).clock;
      for (let i = 0; i < clock.length; i++) clock[i] = Math.max(clock[i] as number, theirs[i] as number);
    }
    const number = this.#numbers.get(order);
    if (number !== undefined) clock[number] = place + 1;
    this.#last.set(order, place);
    return {
      event,
      order,
      needs: needs.length > 1 ? this.#reduced(needs) : needs,
      batches,
      clock,
      waiters: 0,
      chain: null,
    };
  }

  /** Leaves out what others of the list wait for. */
  #reduced(needs: readonly number[]): readonly number[] {
    const list = [...new Set(needs)];
    return list.filter((need) => {
      const number = this.#numbers.get((this.#nodes[need] as Node).order);
      return (
        number === undefined ||
        !list.some((other) => other !== need && ((this.#nodes[other] as Node).clock[number] as number) > need)
      );
    });
  }

  #place(node: Node): void {
    const [need] = node.needs;
    const before = need === undefined || node.needs.length > 1 ? null : (this.#nodes[need] as Node);
    if (before !== null && this.#follows(before, node)) {
      node.chain = before.chain;
      before.chain?.events.push(node.event);
      return;
    }
    if (this.#isLoose(node) && this.#shares(node)) return;
    const chains = [...new Set(node.needs.map((one) => (this.#nodes[one] as Node).chain as Chain))];
    node.chain = { events: [node.event], batches: node.batches, chains, batch: null };
    this.chains.push(node.chain);
    if (this.#isLoose(node)) this.#looseOf(node.order).chains.push(node.chain);
  }

  #looseOf(order: Order): { readonly chains: (Chain & { readonly events: Event[] })[]; shared: number } {
    let loose = this.#loose.get(order);
    if (loose === undefined) {
      loose = { chains: [], shared: 0 };
      this.#loose.set(order, loose);
    }
    return loose;
  }

  /** Puts a command that nothing joins into a chain of such, when there are as many as can run at once. */
  #shares({ event, order }: Node): boolean {
    const loose = this.#looseOf(order);
    if (loose.chains.length < order.atOnce) return false;
    const shared = loose.chains[loose.shared++ % loose.chains.length];
    if (shared === undefined || shared.events.length >= order.longest) return false;
    shared.events.push(event);
    return true;
  }

  /** True for a command that waits for nothing, and that nobody waits for as far as is known. */
  #isLoose({ event, order, needs, batches, waiters }: Node): boolean {
    return (
      !order.isInOrder &&
      needs.length === 0 &&
      batches.size === 0 &&
      waiters === 0 &&
      event !== this.#until &&
      !ends(event)
    );
  }

  /** True when an event can stand behind the one that it waits for in the same chain, and nobody waits for more than he has to. */
  #follows(before: Node, node: Node): boolean {
    const { chain } = before;
    if (
      chain === null ||
      before.waiters !== 1 ||
      before.event === this.#until ||
      ends(before.event) ||
      isAlone(node.event)
    )
      return false;
    if (chain.events.length >= Math.min(before.order.longest, node.order.longest)) return false;
    if (before.order.resources !== node.order.resources) return false;
    // A queue that is left has to come back: else its next command would wait for what it need not.
    if (
      before.order !== node.order &&
      (before.order.counters.length > 0 ||
        node.order.counters.length > 0 ||
        !before.order.isInOrder ||
        this.#nodes[this.#last.get(before.order) ?? -1] === before)
    )
      return false;
    for (const batch of node.batches) if (!chain.batches.has(batch)) return false;
    return true;
  }
}
