// SPDX-License-Identifier: Apache-2.0
// Writes `generated/`: the pages that are made of the repository's documents, API reports and measurements, and the
// sidebars. The folder is made anew each time.
import { globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";

import { apiChapters, passedOn, readComments } from "./api-docs.ts";
import { evidenceIndex, speedChart, withSpeedCharts, withUlpChart } from "./evidence.ts";
import { builtinsPage, settingsPage } from "./reference.ts";
import { addressOf, rewriteDocument } from "./rewrite.ts";
import { sizesPage } from "./sizes.ts";
import { PACKAGE_ROWS, type PackageRow, SOURCE_ROWS, type SourceRow } from "./sources.table.ts";

interface SidebarItem {
  readonly text: string;
  readonly link?: string;
  readonly collapsed?: boolean;
  readonly items?: readonly SidebarItem[];
}

interface Manifest {
  readonly name: string;
  readonly description: string;
}

const SECTIONS = ["guides", "reference", "internals", "evidence"] as const;
type Section = (typeof SECTIONS)[number];

/** Documents that a page is made of besides their text. */
const CHANGES: ReadonlyMap<string, (text: string) => string> = new Map([
  ["evidence/speed", withSpeedCharts],
  ["evidence/ulp", withUlpChart],
]);

/** A sentence of the document for search engines; documents begin with one below the title. */
function descriptionOf(text: string): string {
  const paragraph = text.split(/\n\s*\n/u).find((part) => /^[A-Z`*]/u.test(part)) ?? "";
  const plain = paragraph.replaceAll(/\[([^\]]*)\]\([^)]*\)|[`*]/gu, "$1").replaceAll(/\s+/gu, " ");
  const sentence = /^.{20,}?[.:](?= |$)/u.exec(plain)?.[0] ?? plain;
  return sentence.length > 180 ? `${sentence.slice(0, 177)}…` : sentence;
}

function titleOf(text: string): string {
  return (/^# (.+)$/mu.exec(text)?.[1] ?? "").replaceAll("`", "");
}

/** What a page is written with: its folder and the map of pages. */
class Writer {
  readonly #root: string;
  readonly #folder: string;
  readonly pages: Map<string, string> = new Map();
  count = 0;

  constructor(root: string) {
    this.#root = root;
    this.#folder = join(root, "site/generated");
    rmSync(this.#folder, { recursive: true, force: true });
  }

  read(path: string): string {
    return readFileSync(join(this.#root, path), "utf8");
  }

  put(file: string, text: string): void {
    const path = join(this.#folder, file);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
    if (file.endsWith(".md")) this.count++;
  }

  document(source: string, page: string, text: string = this.read(source)): void {
    const front = `---\ntitle: ${JSON.stringify(titleOf(text))}\ndescription: ${JSON.stringify(descriptionOf(text))}\nsource: ${source}\n---\n\n`;
    this.put(`${page}.md`, front + rewriteDocument(source, text, this));
  }
}

function decisionRows(root: string): readonly SourceRow[] {
  return globSync("docs/decisions/[0-9]*.md", { cwd: root })
    .toSorted()
    .map((source) => {
      const name = basename(source, ".md");
      return {
        source,
        page: `internals/decisions/${name}`,
        text: titleOf(readFileSync(join(root, source), "utf8")),
        group: "Decisions",
      };
    });
}

function manifestOf(writer: Writer, { folder }: PackageRow): Manifest {
  return JSON.parse(writer.read(`${folder}/package.json`)) as Manifest;
}

/** A package's page: its README, then its API. */
function writePackage(writer: Writer, root: string, row: PackageRow): void {
  const report = writer.read(`${row.folder}/etc/${row.report}.api.md`);
  const readme = writer.read(`${row.folder}/README.md`);
  const page = `reference/packages/${row.report}`;
  writer.document(`${row.folder}/README.md`, page, readme);
  const { name } = manifestOf(writer, row);
  const from = [...passedOn(report)].map(([origin, names]) => {
    const own = PACKAGE_ROWS.find((other) => manifestOf(writer, other).name === origin);
    const shown = own === undefined ? `\`${origin}\`` : `[\`${origin}\`](/reference/api/${own.report})`;
    return `- From ${shown}: ${names.map((each) => `\`${each}\``).join(", ")}`;
  });
  const text = `# API of ${name}

Everything that \`${name}\` exports. [Its page](/reference/packages/${row.report}) says what it is for; this one has every
declaration with its comment, from the sources.

${from.length === 0 ? "" : `Passed on from other packages:\n\n${from.join("\n")}\n`}
${apiChapters(report, readComments(join(root, row.folder)))}
`;
  writer.document(`${row.folder}/README.md`, `reference/api/${row.report}`, text);
}

const LEADS: Readonly<Record<"guides" | "reference", { readonly title: string; readonly lead: string }>> = {
  guides: {
    title: "Guides",
    lead: "How to do one thing each, for those who know the basics. [Learn](/learn/install) has the basics.",
  },
  reference: {
    title: "Reference",
    lead: "Everything there is, to look things up. All of it is generated from sources, so it is what the code does.",
  },
};

function groupsOf(rows: readonly SourceRow[], isDeep: boolean): readonly SidebarItem[] {
  return [...Map.groupBy(rows, (row) => row.group)].map(([text, group]) => ({
    text,
    ...(isDeep && text === "Decisions" ? { collapsed: true } : {}),
    items: group.map((row) => ({ text: row.text, link: addressOf(row.page) })),
  }));
}

function writeIndex(writer: Writer, section: "guides" | "reference", groups: readonly SidebarItem[]): void {
  const { title, lead } = LEADS[section];
  const list = groups.map(
    ({ text, items = [] }) =>
      `## ${text}\n\n${items.map((item) => `- [${item.text}](${String(item.link)})`).join("\n")}`,
  );
  writer.put(
    `${section}/index.md`,
    `---\ntitle: ${title}\ndescription: ${JSON.stringify(lead.replaceAll(/\[([^\]]*)\]\([^)]*\)/gu, "$1"))}\n---\n\n# ${title}\n\n${lead}\n\n${list.join("\n\n")}\n`,
  );
}

/** Writes all generated pages; returns how many. */
export function writePages(root: string): number {
  const writer = new Writer(root);
  const rows = [...SOURCE_ROWS, ...decisionRows(root)];
  for (const { source, page } of rows) writer.pages.set(source, page);
  writer.pages.set("docs/built-ins.md", "reference/built-ins");
  writer.pages.set("docs/decisions", "internals/decisions/index");
  for (const { folder, report } of PACKAGE_ROWS)
    for (const path of [folder, `${folder}/README.md`]) writer.pages.set(path, `reference/packages/${report}`);

  for (const { source, page } of rows) {
    const change = CHANGES.get(page);
    writer.document(source, page, change === undefined ? undefined : change(writer.read(source)));
  }
  writer.document(
    "docs/built-ins.md",
    "reference/built-ins",
    builtinsPage(writer.read("docs/built-ins.md"), writer.read("docs/ulp.md")),
  );
  writer.put("reference/settings.md", settingsPage(root));
  writer.put("evidence/index.md", evidenceIndex(writer.read("docs/performance.md")));
  writer.put("evidence/sizes.md", sizesPage(root));
  writer.put("parts/speed-chart.md", speedChart(writer.read("docs/performance.md"), 9));
  for (const row of PACKAGE_ROWS) writePackage(writer, root, row);

  const packages = (folder: string): readonly SidebarItem[] =>
    PACKAGE_ROWS.map((row) => ({ text: manifestOf(writer, row).name, link: `/reference/${folder}/${row.report}` }));
  const section = (name: Section): readonly SidebarItem[] =>
    groupsOf(
      rows.filter((row) => row.page.startsWith(`${name}/`)),
      true,
    );
  const reference: readonly SidebarItem[] = [
    { text: "Packages", items: packages("packages") },
    { text: "API", items: packages("api") },
    { text: "Using it", items: [{ text: "Settings", link: "/reference/settings" }] },
    ...section("reference").map((group) =>
      group.text === "OpenCL C"
        ? { ...group, items: [{ text: "Built-ins", link: "/reference/built-ins" }, ...(group.items ?? [])] }
        : group,
    ),
  ];
  const evidence = [
    {
      text: "Evidence",
      items: [
        { text: "Overview", link: "/evidence/" },
        ...(section("evidence")[0]?.items ?? []),
        { text: "Sizes", link: "/evidence/sizes" },
      ],
    },
  ];
  writeIndex(writer, "guides", section("guides"));
  writeIndex(writer, "reference", reference);
  writer.put(
    "sidebar.json",
    JSON.stringify({
      "/guides/": section("guides"),
      "/reference/": reference,
      "/internals/": section("internals"),
      "/evidence/": evidence,
    }),
  );
  return writer.count;
}
