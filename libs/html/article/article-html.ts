/** Writes a clean tree as HTML (WHATWG HTML, 13.3). Linear, and never recursive. */
import type { ChildNode, Document, Element } from 'domhandler'
import { voidElements } from './clean-elements.ts'

export function articleHtml(root: Document): string {
  const parts: string[] = []
  const levels: { nodes: ChildNode[]; at: number; end: string }[] = [{ nodes: root.children, at: 0, end: '' }]
  for (let top = levels.at(-1); top !== undefined; top = levels.at(-1)) {
    const node = top.nodes[top.at++]
    if (node === undefined) {
      parts.push(top.end)
      levels.pop()
    } else if (node.type === 'text') parts.push(escaped(node.data))
    else if (node.type === 'tag') {
      parts.push(startTag(node))
      if (!voidElements.has(node.name)) levels.push({ nodes: node.children, at: 0, end: `</${node.name}>` })
    }
  }
  return parts.join('').trim()
}

function startTag({ name, attribs }: Element): string {
  let tag = `<${name}`
  for (const [attribute, value] of Object.entries(attribs)) {
    tag += ` ${attribute}="${escaped(value).replaceAll('"', '&quot;')}"`
  }
  return `${tag}>`
}

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('\u00a0', '&nbsp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
