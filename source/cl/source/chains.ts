// SPDX-License-Identifier: Apache-2.0
// Partitions pending commands into chains. A chain is a list of commands in which each one has to wait for the command
// before it; it becomes one submission (a command buffer of the runtime), and semaphores order the submissions.
//
// The representation is the dependency graph (DAG) of the commands: nodes are events, edges come from wait lists, from
// the order of in-order queues, and from barriers and markers. The result is a cover of the graph by vertex-disjoint
// paths, such that no command waits for more than its own dependencies: where two commands wait for the same one, or
// one for two, a path ends and others begin.
//
// Phases:
// 1. A fast path: commands of one in-order queue that wait only for each other are one chain. Independent commands of
//    one out-of-order queue are dealt out to as many chains as can run at once.
// 2. Nodes, with vector clocks over the in-order queues (Fidge 1988, Mattern 1989): the clock of a node holds, for each
//    in-order queue, the last of its commands that precedes the node.
// 3. Transitive reduction of each node's edges: an edge to a command of an in-order queue is redundant when the clock
//    of another dependency already includes that command.
// 4. Placement in topological order: a node extends the chain of its only dependency when it is also the only successor
//    of that one; else it starts a chain.
//
// A chain may move from one queue to another and back, as long as the queue that it left returns later in the same
// chain; otherwise the next command of that queue, which is not known yet, would wait for more than it has to. The one
// exception to the rule of vertex-disjoint paths of dependent commands: independent commands, when there are far more
// than threads, share chains.
//
// Before: in-order queue A = [a1, a2], in-order queue B = [b1 (waits for a1), b2], no other edges.
// After: chains [a1], [a2] after [a1], [b1, b2] after [a1].
//
// Cost: O(commands * in-order queues + edges).
import { assert } from "@muxkit/cargo";

import type { Submission, Command } from "./submission.ts";
import type { DeviceResources } from "./device-resources.ts";
import { type Event, NO_EVENTS } from "./event.ts";
import { predecessorsAfter } from "./out-of-order.ts";

/** Commands that run one after the other. */
export interface Chain {
  readonly events: readonly Event[];
  /** What the first command waits for: submissions on the device, and earlier chains. */
  readonly submissions: ReadonlySet<Submission>;
  readonly chains: readonly Chain[];
  /** Its submission; null before it is submitted. */
  submission: Submission | null;
}

/** The properties of a queue that determine the order of its commands. */
export interface Order {
  /** True: every command waits for the one before it. */
  readonly isInOrder: boolean;
  /** The submission on the device that all later commands of the queue wait for; null: there is none. */
  readonly lastSubmission: Submission | null;
  /** Commands of a chain at most. */
  /** Maximum number of commands in a chain. */
  readonly maxChainLength: number;
  /** Independent commands are a chain each, up to this number of chains; more commands share them. */
  readonly maxParallelChains: number;
  /** Counters that are read around each command. A chain reads the counters of one queue only. */
  readonly counters: readonly number[];
  /** The runtime objects of its submissions. All commands of a chain run on one device. */
  readonly resources: DeviceResources;
}

/** A node of the dependency graph. */
interface Node {
  readonly event: Event;
  readonly order: Order;
  /** Events of the list that it waits for, without those that others of them wait for. */
  /** Indices of the events of the list that it depends on, transitively reduced. */
  dependencies: readonly number[];
  readonly submissions: Set<Submission>;
  /** The vector clock: for each in-order queue, the index plus one of its last event that precedes this one. */
  readonly clock: Int32Array;
  /** Events of the list that wait for it. */
  /** The number of events of the list that depend on it. */
  successors: number;
  chain: (Chain & { readonly events: Event[] }) | null;
}

const NO_SUBMISSIONS: ReadonlySet<Submission> = new Set();

/** True when the events already are one chain: all of one in-order queue, and waiting only for each other. */
function isSingleChain(events: readonly Event[], { isInOrder }: Order): boolean {
  if (!isInOrder) return false;
  const queue = events[0]?.queue;
  for (let i = 0; i < events.length; i++) {
    const event = events[i] as Event;
    if (event.queue !== queue || (event.isWatched && i < events.length - 1)) return false;
    const { waits, instances } = event.command as Command;
    if (instances !== undefined && events.length > 1) return false;
    for (let k = 0; k < waits.length; k++)
      if (waits[k]?.queue !== queue && waits[k]?.isComplete === false) return false;
  }
  return true;
}

/** Deals out independent commands of one out-of-order queue to chains; null: the commands are not independent. */
function independentChains(
  events: readonly Event[],
  { isInOrder, maxParallelChains, maxChainLength }: Order,
): readonly Chain[] | null {
  if (isInOrder) return null;
  const queue = events[0]?.queue;
  for (let i = 0; i < events.length; i++) {
    const event = events[i] as Event;
    if (event.queue !== queue || event.after.length > 0 || event.command?.waits.length !== 0 || endsChain(event))
      return null;
  }
  const count = Math.min(events.length, Math.max(maxParallelChains, Math.ceil(events.length / maxChainLength)));
  const lists: Event[][] = Array.from({ length: count }, () => []);
  for (let i = 0; i < events.length; i++) (lists[i % count] as Event[]).push(events[i] as Event);
  return lists.map((list) => ({ events: list, submissions: NO_SUBMISSIONS, chains: [], submission: null }));
}

/** True when a chain must end after the event: the application observes its completion, or it is prerecorded. */
function endsChain(event: Event): boolean {
  return event.isWatched || isPrerecorded(event);
}

/** True for a prerecorded command buffer, which is always a submission of its own. */
function isPrerecorded({ command }: Event): boolean {
  return command?.instances !== undefined;
}

/**
 * Partitions commands into chains. `events` are in topological order; `until` is an event with which a chain must end.
 * The chains are in topological order too.
 */
export function chainsOf(
  events: readonly Event[],
  orderOf: (event: Event) => Order,
  until: Event | null,
): readonly Chain[] {
  const [first] = events;
  if (first === undefined) return [];
  const order = orderOf(first);
  if (isSingleChain(events, order) && (until === null || until === events.at(-1))) {
    return [
      {
        events,
        submissions: order.lastSubmission === null ? NO_SUBMISSIONS : new Set([order.lastSubmission]),
        chains: [],
        submission: null,
      },
    ];
  }
  return (until === null ? independentChains(events, order) : null) ?? new ChainBuilder(events, orderOf, until).chains;
}

class ChainBuilder {
  readonly chains: Chain[] = [];
  readonly #until: Event | null;
  readonly #nodes: Node[] = [];
  readonly #indices = new Map<Event, number>();
  /** The component of each in-order queue in the vector clocks, and the index of its last event. */
  readonly #components = new Map<Order, number>();
  readonly #last = new Map<Order, number>();
  /** For each queue: the chains of independent commands, and how many commands were added to existing ones. */
  readonly #independent = new Map<
    Order,
    { readonly chains: (Chain & { readonly events: Event[] })[]; shared: number }
  >();

  constructor(events: readonly Event[], orderOf: (event: Event) => Order, until: Event | null) {
    this.#until = until;
    const orders = events.map(orderOf);
    for (const order of orders)
      if (order.isInOrder && !this.#components.has(order)) this.#components.set(order, this.#components.size);
    for (const [i, event] of events.entries()) {
      this.#indices.set(event, i);
      this.#nodes.push(this.#nodeOf(event, orders[i] as Order, i));
    }
    for (const node of this.#nodes)
      for (const dependency of node.dependencies) (this.#nodes[dependency] as Node).successors++;
    for (const node of this.#nodes) this.#place(node);
  }

  #nodeOf(event: Event, order: Order, index: number): Node {
    const dependencies: number[] = [];
    const submissions = new Set<Submission>();
    const clock = new Int32Array(this.#components.size);
    if (order.isInOrder) {
      const before = this.#last.get(order);
      if (before !== undefined) dependencies.push(before);
      else if (order.lastSubmission !== null) submissions.add(order.lastSubmission);
    }
    for (const list of [event.command?.waits ?? NO_EVENTS, predecessorsAfter(event.after)]) {
      for (const wait of list) {
        const at = this.#indices.get(wait);
        if (at !== undefined) dependencies.push(at);
        else if (wait.submission !== null) submissions.add(wait.submission);
        else assert(wait.isComplete || wait.error !== null, "a command is submitted before one that it waits for");
      }
    }
    for (const dependency of dependencies) {
      const theirs = (this.#nodes[dependency] as Node).clock;
      for (let i = 0; i < clock.length; i++) clock[i] = Math.max(clock[i] as number, theirs[i] as number);
    }
    const component = this.#components.get(order);
    if (component !== undefined) clock[component] = index + 1;
    this.#last.set(order, index);
    return {
      event,
      order,
      dependencies: dependencies.length > 1 ? this.#reduced(dependencies) : dependencies,
      submissions,
      clock,
      successors: 0,
      chain: null,
    };
  }

  /** The transitive reduction: removes dependencies that precede another one of the list. */
  #reduced(dependencies: readonly number[]): readonly number[] {
    const list = [...new Set(dependencies)];
    return list.filter((dependency) => {
      const component = this.#components.get((this.#nodes[dependency] as Node).order);
      return (
        component === undefined ||
        !list.some(
          (other) => other !== dependency && ((this.#nodes[other] as Node).clock[component] as number) > dependency,
        )
      );
    });
  }

  #place(node: Node): void {
    const [dependency] = node.dependencies;
    const before = dependency === undefined || node.dependencies.length > 1 ? null : (this.#nodes[dependency] as Node);
    if (before !== null && this.#extends(before, node)) {
      node.chain = before.chain;
      before.chain?.events.push(node.event);
      return;
    }
    if (this.#isIndependent(node) && this.#joinsExisting(node)) return;
    const chains = [...new Set(node.dependencies.map((one) => (this.#nodes[one] as Node).chain as Chain))];
    node.chain = { events: [node.event], submissions: node.submissions, chains, submission: null };
    this.chains.push(node.chain);
    if (this.#isIndependent(node)) this.#independentOf(node.order).chains.push(node.chain);
  }

  #independentOf(order: Order): { readonly chains: (Chain & { readonly events: Event[] })[]; shared: number } {
    let found = this.#independent.get(order);
    if (found === undefined) {
      found = { chains: [], shared: 0 };
      this.#independent.set(order, found);
    }
    return found;
  }

  /** Adds an independent command to an existing chain of such commands, when there are enough chains already. */
  #joinsExisting({ event, order }: Node): boolean {
    const { maxParallelChains, maxChainLength } = order;
    const independent = this.#independentOf(order);
    if (independent.chains.length < maxParallelChains) return false;
    const shared = independent.chains[independent.shared++ % independent.chains.length];
    if (shared === undefined || shared.events.length >= maxChainLength) return false;
    shared.events.push(event);
    return true;
  }

  /** True for a command without dependencies and without known successors. */
  #isIndependent({ event, order, dependencies, submissions, successors }: Node): boolean {
    return (
      !order.isInOrder &&
      dependencies.length === 0 &&
      submissions.size === 0 &&
      successors === 0 &&
      event !== this.#until &&
      !endsChain(event)
    );
  }

  /**
   * True when a node can extend the chain of its dependency without making any command wait for more than it has to.
   */
  #extends(before: Node, node: Node): boolean {
    const { chain } = before;
    if (
      chain === null ||
      before.successors !== 1 ||
      before.event === this.#until ||
      endsChain(before.event) ||
      isPrerecorded(node.event)
    )
      return false;
    if (chain.events.length >= Math.min(before.order.maxChainLength, node.order.maxChainLength)) return false;
    if (before.order.resources !== node.order.resources) return false;
    // A chain that leaves a queue must return to it: otherwise its next command would wait for too much.
    if (
      before.order !== node.order &&
      (before.order.counters.length > 0 ||
        node.order.counters.length > 0 ||
        !before.order.isInOrder ||
        this.#nodes[this.#last.get(before.order) ?? -1] === before)
    )
      return false;
    for (const submission of node.submissions) if (!chain.submissions.has(submission)) return false;
    return true;
  }
}
