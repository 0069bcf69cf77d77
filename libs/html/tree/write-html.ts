/** Writes a tree as HTML with the same elements, attributes and text, from which the facts of a page can be read. */
import type { Element, ParentNode } from 'domhandler'
import { isVerbatim, ruleOf } from './element-rules.ts'
import { walk } from './walk.ts'

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
      if (!ruleOf(name).void) html += `</${name}>`
    },
    text: ({ data, parent }) => {
      html += parent !== null && isVerbatim((parent as Element).name) ? data : escaped(data)
    },
  })
  return html
}

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
