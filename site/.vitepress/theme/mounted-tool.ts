// SPDX-License-Identifier: Apache-2.0
// The element of a page that shows the playground or the explorer: their code is loaded when the page is opened, so
// that no other page pays for it.
import { useRouter, withBase } from "vitepress";
import { defineComponent, h, onBeforeUnmount, onMounted, ref } from "vue";

import { isolate } from "./isolation.ts";

interface Mounted {
  readonly destroy: () => void;
}

/** The text that the explorer begins with, from the playground; null: its own. */
let explored: string | null = null;

/** `<MountedTool tool="playground" />` in a page. */
export const MountedTool = defineComponent({
  props: { tool: { type: String, required: true } },
  setup: (props) => {
    const router = useRouter();
    const place = ref<HTMLElement | null>(null);
    const problem = ref("");
    let mounted: Mounted | null = null;
    let isGone = false;
    onMounted(async () => {
      try {
        const isExplorer = props.tool === "explorer";
        const { isReloading, why } = await isolate(withBase("/isolation.js"), !isExplorer);
        if (isReloading || isGone) return;
        const mount = isExplorer
          ? (await import("../../playground/explorer/explorer.ts")).mountExplorer
          : (await import("../../playground/view/playground.ts")).mountPlayground;
        // The reader may have left while the code came.
        if (isGone || place.value === null) return;
        place.value.replaceChildren();
        mounted = mount(place.value, {
          notIsolated: why,
          ...(explored === null ? {} : { source: explored }),
          explore: (source) => {
            explored = source;
            void router.go(withBase("/explorer.html"));
          },
        });
        // Tests make it settle.
        Object.assign(place.value, { tool: mounted });
      } catch (error) {
        problem.value = `This page could not start: ${error instanceof Error ? error.message : String(error)}`;
      }
    });
    onBeforeUnmount(() => {
      isGone = true;
      mounted?.destroy();
    });
    return () =>
      h("div", { class: "mounted-tool" }, [
        problem.value === "" ? null : h("p", { class: "tool-problem", role: "alert" }, problem.value),
        h("div", { ref: place, class: "tool-place" }, h("p", { class: "tool-loading" }, "Loading the compiler …")),
      ]);
  },
});
