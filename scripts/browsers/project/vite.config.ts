// What a user of muxkit needs of Vite: threads share modules, and dependencies that start workers are left as they are.
import { defineConfig } from "vite";

export default defineConfig({
  worker: { format: "es" },
  optimizeDeps: { exclude: ["muxkit", "@muxkit/host"] },
  logLevel: "warn",
});
