/**
 * A page as a tree, for what needs to look around in it: Markdown, the article, structured data. Any text is a
 * page: it never throws, takes time linear in the length of the text, and nests no deeper than 512 elements.
 */
import { Document } from 'domhandler'
import { QuickTokenizer } from '../quick-tokenizer.ts'
import { TreeBuilder } from './tree-builder.ts'

/**
 * Reads a page almost like browsers (WHATWG HTML, 13.2), without running its scripts. Names of elements and attributes
 * are in lower case. Elements of SVG and MathML have a `namespace`, those of HTML do not. No element is added: `html`,
 * `head` and `body` exist if they have tags. The contents of `template` and `noscript` are ordinary children. Comments
 * and the doctype are left out.
 */
export function parseTree(html: string): Document {
  const root = new Document([])
  const text = normalized(html)
  const tokenizer = new QuickTokenizer({ decodeEntities: false }, new TreeBuilder(text, root))
  tokenizer.write(text)
  tokenizer.end()
  return root
}

/** WHATWG HTML, 13.2.3.5: line breaks are line feeds; and there is no NUL in any text. */
function normalized(html: string): string {
  const text = html.includes('\r') ? html.replace(/\r\n?/g, '\n') : html
  return text.includes('\0') ? text.replaceAll('\0', '\ufffd') : text
}
