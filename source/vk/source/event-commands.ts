// SPDX-License-Identifier: Apache-2.0
// Commands on events: callbacks on the host thread.
import { muxCommandUserCallback } from "@muxkit/mux";

import { commandsOf } from "./command-pool.ts";
import type { VkCommandBuffer, VkEvent } from "./generated/handles.ts";
import type { Vulkan } from "./generated/vulkan.ts";
import { eventOf } from "./synchronisation.ts";

function put(call: string, commandBuffer: VkCommandBuffer, handle: VkEvent, isSet: boolean): void {
  const event = eventOf(handle, call);
  commandsOf(commandBuffer, call).record(call, {
    kind: "other",
    write: (commands) =>
      muxCommandUserCallback(commands, () => {
        event.put(isSet);
      }, []),
  });
}

function waitForEvents(call: string, commandBuffer: VkCommandBuffer, handles: readonly VkEvent[]): void {
  const events = handles.map((handle) => eventOf(handle, call));
  commandsOf(commandBuffer, call).record(call, {
    kind: "other",
    write: (commands) =>
      muxCommandUserCallback(
        commands,
        () => (wake) => {
          const open = events.find(({ isSet }) => !isSet);
          open?.onSet(wake);
          return open === undefined;
        },
        [],
      ),
  });
}

/** Entry points for commands on events. */
export const EVENT_COMMANDS: Pick<
  Vulkan,
  "vkCmdSetEvent" | "vkCmdSetEvent2" | "vkCmdResetEvent" | "vkCmdResetEvent2" | "vkCmdWaitEvents" | "vkCmdWaitEvents2"
> = {
  vkCmdSetEvent: (commandBuffer, event) => {
    put("vkCmdSetEvent", commandBuffer, event, true);
  },
  vkCmdSetEvent2: (commandBuffer, event) => {
    put("vkCmdSetEvent2", commandBuffer, event, true);
  },
  vkCmdResetEvent: (commandBuffer, event) => {
    put("vkCmdResetEvent", commandBuffer, event, false);
  },
  vkCmdResetEvent2: (commandBuffer, event) => {
    put("vkCmdResetEvent2", commandBuffer, event, false);
  },
  vkCmdWaitEvents: (commandBuffer, pEvents) => {
    waitForEvents("vkCmdWaitEvents", commandBuffer, pEvents);
  },
  vkCmdWaitEvents2: (commandBuffer, pEvents) => {
    waitForEvents("vkCmdWaitEvents2", commandBuffer, pEvents);
  },
};
