// SPDX-License-Identifier: Apache-2.0
// What a user of muxkit needs of Vite: threads share modules, and dependencies that start workers are left as they are.
import { kernels } from "muxkit/vite";
import { defineConfig } from "vite";

export default defineConfig({
  // Makes modules of .cl files.
  plugins: [kernels({ declarations: false })],
  worker: { format: "es" },
  optimizeDeps: { exclude: ["muxkit", "@muxkit/host"] },
  logLevel: "error",
});
