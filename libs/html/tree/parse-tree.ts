/**
 * Parses a page into a tree for Markdown, the article and structured data. Any text is a page: it never throws, takes
 * time linear in the length of the text, and nests at most 512 elements.
 */
import { Document } from 'domhandler'
import { QuickTokenizer } from '../quick-tokenizer.ts'
import { TreeBuilder } from './tree-builder.ts'

/**
 * Parses a page like browsers (WHATWG HTML, 13.2), without running its scripts. Names of elements and attributes are
 * in lower case. Elements of SVG and MathML have a `namespace`, those of HTML have none. Nothing is added to the
 * page: `html`, `head` and `body` exist only if they have tags. The contents of `template` and `noscript` are
 * children like others. Comments and the doctype are left out.
 */
export function parseTree(html: string): Document {
  const root = new Document([])
  const text = normalized(html)
  const tokenizer = new QuickTokenizer({ decodeEntities: false }, new TreeBuilder(text, root))
  tokenizer.write(text)
  tokenizer.end()
  return root
}

/** Normalizes line breaks to line feeds (WHATWG HTML, 13.2.3.5), and replaces NUL. */
function normalized(html: string): string {
  const text = html.includes('\r') ? html.replace(/\r\n?/g, '\n') : html
  return text.includes('\0') ? text.replaceAll('\0', '\ufffd') : text
}
