// SPDX-License-Identifier: Apache-2.0
/** Text for between tags and in attributes of XML. */
export function escapeXml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
}
