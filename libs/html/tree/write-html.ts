/** Writes a tree as HTML with the same elements, attributes and text, from which the facts of a page can be read. */
import type { Element, ParentNode } from 'domhandler'
import { walk } from './walk.ts'

const empty = new Set(
  'area base basefont bgsound br col embed frame hr img input keygen link meta param source track wbr'.split(
    ' ',
  ),
)
/** Elements whose text has no character references. */
const verbatim = new Set('script style xmp iframe noembed noframes plaintext'.split(' '))

/** Returns the HTML of the children of a node. */
export function writeHtml(root: ParentNode): string {
  let html = ''
  walk(root, {
    enter: ({ name, attribs }) => {
      const attributes = Object.entries(attribs).map(([key, value]) => ` ${key}="${escaped(value)}"`)
      html += `<${name}${attributes.join('')}>`
      return true
    },
    leave: ({ name }) => {
      if (!empty.has(name)) html += `</${name}>`
    },
    text: ({ data, parent }) => {
      html += parent !== null && verbatim.has((parent as Element).name) ? data : escaped(data)
    },
  })
  return html
}

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
