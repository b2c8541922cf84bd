// SPDX-License-Identifier: Apache-2.0
// A branch on which lanes diverge: each successor gets a mask of the lanes that go there, computed from the condition
// of all lanes. A branch that leaves a divergent loop stays a branch where all the lanes that are left agree on it.
import { assert } from "@muxkit/cargo";
import { type Block, type Instruction, Op, type Value, constantInt } from "@muxkit/ir";

import type { Sink } from "./block-arguments.ts";
import type { LinearHost } from "./divergent-loop.ts";

/** Sends the lanes of a mask on by the end of a block. */
export function sendByTerminator(host: LinearHost, block: Block, mask: Value | null, send: Sink): void {
  const { packets, blockArguments } = host;
  const { terminator } = block;
  packets.here = block;
  packets.builder.location = terminator.location;
  const { successors } = terminator;
  const [only] = successors;
  if (terminator.op === Op.UNREACHABLE) return;
  assert(only !== undefined, "a block of a linearised region has a successor");
  if (successors.length === 1) {
    const parting = { arrived: mask, ways: 1 };
    send(block, only, { mask, values: blockArguments.valuesOf(terminator, 0), parting });
    return;
  }
  const [condition] = terminator.operands;
  assert(condition !== undefined, "a branch has a condition");
  if (leaveTogether(host, block, mask, condition, send)) return;
  const masks =
    terminator.op === Op.COND_BR ? branchMasks(host, condition, mask) : switchMasks(host, terminator, condition, mask);
  noteRemaining(host, block, mask, masks);
  const parting = { arrived: mask, ways: successors.length };
  successors.forEach((target, edge) => {
    send(block, target, { mask: masks[edge] ?? null, values: blockArguments.valuesOf(terminator, edge), parting });
  });
}

/** Keeps the mask of the lanes that are still in the loop, as long as a single value holds them. */
function noteRemaining(
  { frame }: LinearHost,
  block: Block,
  mask: Value | null,
  masks: readonly (Value | null)[],
): void {
  if (frame === null) return;
  const { successors } = block.terminator;
  const { blocks, header } = frame.loop;
  if (!blocks.has(block) || successors.every((target) => blocks.has(target))) return;
  const stays = successors.flatMap((target, i) => (blocks.has(target) && target !== header ? [masks[i]] : []));
  const [stay] = stays;
  frame.remaining = mask === frame.remaining && stays.length === 1 ? (stay ?? null) : null;
}

/** All lanes that are still in a loop agree to leave it or to stay: a real branch. */
function leaveTogether(host: LinearHost, block: Block, mask: Value | null, condition: Value, send: Sink): boolean {
  const { frame, packets, blockArguments } = host;
  const { terminator } = block;
  if (
    frame === null ||
    frame.depth > 0 ||
    terminator.op !== Op.COND_BR ||
    mask === null ||
    mask !== frame.remaining ||
    packets.shape(condition) !== 0
  )
    return false;
  const outside = terminator.successors.map((target) => !frame.loop.blocks.has(target));
  const leaving = outside.indexOf(true);
  const to = terminator.successors[leaving];
  if (to === undefined || outside.every((leaves) => leaves)) return false;
  const staying = 1 - leaving;
  const target = terminator.successors[staying];
  assert(target !== undefined, "one of two ways stays");
  frame.leave(packets.first(condition), leaving === 0, {
    from: block,
    to,
    edge: { mask, values: blockArguments.valuesOf(terminator, leaving), parting: { arrived: mask, ways: 1 } },
  });
  send(block, target, { mask, values: blockArguments.valuesOf(terminator, staying) });
  return true;
}

function branchMasks({ packets, blockArguments }: LinearHost, condition: Value, mask: Value | null): (Value | null)[] {
  const vector = packets.vector(condition);
  return [blockArguments.and(mask, vector), blockArguments.and(mask, blockArguments.not(vector))];
}

function switchMasks(
  { packets, blockArguments }: LinearHost,
  terminator: Instruction,
  condition: Value,
  mask: Value | null,
): (Value | null)[] {
  const { builder } = packets;
  const vector = packets.vector(condition);
  const cases = terminator.lanes.map((number) =>
    builder.compare(Op.EQ, vector, packets.splat(constantInt(condition.type, number))),
  );
  let any: Value | null = null;
  for (const one of cases) any = any === null ? one : builder.same(Op.OR, any, one);
  const others = any === null ? mask : blockArguments.and(mask, blockArguments.not(any));
  return [others, ...cases.map((one) => blockArguments.and(mask, one))];
}
