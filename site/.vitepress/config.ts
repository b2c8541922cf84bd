// SPDX-License-Identifier: Apache-2.0
// The site's settings. Pages that are written by hand are in folders of the site, generated ones in `generated/`, and
// an address does not tell which.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { type DefaultTheme, defineConfig } from "vitepress";

import { browserSources } from "../playground/build/browser-sources.ts";
import { LEARN_PAGES } from "./learn.table.ts";

const site = join(import.meta.dirname, "..");
const base = process.env["MUXKIT_SITE_BASE"] ?? "/";
const address = process.env["MUXKIT_SITE_ADDRESS"] ?? "https://muxkit.github.io";
const description = "OpenCL C for JavaScript: a compiler and a runtime on WebAssembly and threads, as npm packages.";

/** Anchors of headings as GitHub forms them, so that links of documents hold in both places. */
function githubSlug(title: string): string {
  return title
    .toLowerCase()
    .replaceAll(/[^\p{Letter}\p{Number} _-]/gu, "")
    .replaceAll(" ", "-");
}

/** The sidebars that the generator has written. */
function generatedSidebars(): Readonly<Record<string, DefaultTheme.SidebarItem[]>> {
  const file = join(site, "generated/sidebar.json");
  if (!existsSync(file)) throw new Error(`there is no ${file}: start the site with npm run site`);
  return JSON.parse(readFileSync(file, "utf8")) as Record<string, DefaultTheme.SidebarItem[]>;
}

export default defineConfig({
  title: "Muxkit",
  description,
  lang: "en",
  base,
  srcExclude: ["README.md", "test/**", "playground/**", "public/**", "generated/parts/**"],
  rewrites: { "generated/:path*": ":path*" },
  outDir: join(site, "../out/site"),
  cacheDir: join(site, "../node_modules/.cache/muxkit-site"),
  cleanUrls: false,
  lastUpdated: false,
  metaChunk: true,
  // A page's first view costs its own bytes only.
  router: { prefetchLinks: false },
  sitemap: { hostname: `${address}${base}` },
  head: [
    ["link", { rel: "icon", type: "image/svg+xml", href: `${base}mark.svg` }],
    ["meta", { name: "theme-color", content: "#0b7285" }],
    ["meta", { property: "og:type", content: "website" }],
    ["meta", { property: "og:site_name", content: "Muxkit" }],
  ],
  transformPageData: (page) => {
    page.frontmatter["head"] ??= [];
    (page.frontmatter["head"] as unknown[]).push(
      ["meta", { property: "og:title", content: page.title === "" ? "Muxkit" : page.title }],
      ["meta", { property: "og:description", content: page.description === "" ? description : page.description }],
      [
        "link",
        {
          rel: "canonical",
          href: `${address}${base}${page.relativePath.replace(/(index)?\.md$/u, (_all, index) => (index === undefined ? ".html" : ""))}`,
        },
      ],
    );
  },
  markdown: {
    anchor: { slugify: githubSlug },
    theme: { light: "github-light-high-contrast", dark: "github-dark" },
    languageAlias: { opencl: "c", cl: "c" },
  },
  themeConfig: {
    logo: "/mark.svg",
    nav: [
      { text: "Learn", link: "/learn/install", activeMatch: "/learn/" },
      { text: "Guides", link: "/guides/", activeMatch: "/guides/" },
      { text: "Reference", link: "/reference/", activeMatch: "/reference/" },
      { text: "Playground", link: "/playground" },
      { text: "Explorer", link: "/explorer" },
      {
        text: "More",
        items: [
          { text: "Evidence", link: "/evidence/" },
          { text: "Internals", link: "/internals/" },
        ],
      },
    ],
    sidebar: {
      "/learn/": [{ text: "Learn", items: LEARN_PAGES.map(({ text, page }) => ({ text, link: `/learn/${page}` })) }],
      ...generatedSidebars(),
    },
    outline: { level: [2, 3] },
    search: {
      provider: "local",
      options: {
        detailedView: false,
        // Those who search for a word want to know what it is, before constants that have it in their names.
        miniSearch: {
          searchOptions: {
            boostDocument: (id) => (id.includes("/learn/") ? 4 : id.includes("/reference/api/") ? 0.25 : 1),
          },
        },
      },
    },
    socialLinks: [{ icon: "github", link: "https://github.com/muxkit/muxkit" }],
    footer: { message: "Licence: Apache-2.0" },
  },
  vite: {
    plugins: [browserSources()],
    // This esbuild does not know the language level that the repository is typed for.
    esbuild: { target: "es2023", tsconfigRaw: "{}" },
    resolve: { conditions: ["source", "browser", "import", "module", "default"] },
    worker: { format: "es", plugins: () => [browserSources()] },
    build: { target: "es2023", chunkSizeWarningLimit: 2000 },
    server: {
      headers: { "Cross-Origin-Opener-Policy": "same-origin", "Cross-Origin-Embedder-Policy": "require-corp" },
    },
  },
});
