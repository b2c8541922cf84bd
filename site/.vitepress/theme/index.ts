// SPDX-License-Identifier: Apache-2.0
// The theme: VitePress's own without its web fonts, colours of the project, and the elements that pages mount.
import type { Theme } from "vitepress";
import DefaultTheme from "vitepress/theme-without-fonts";

import { MountedTool } from "./mounted-tool.ts";
// oxlint-disable-next-line import/no-unassigned-import -- Vite takes style sheets so.
import "./style.css";

const theme: Theme = {
  extends: DefaultTheme,
  enhanceApp: ({ app }) => {
    app.component("MountedTool", MountedTool);
  },
};

export default theme;
