/** Boxes beside the text ("Note", "Warning", "See also"), written as quotes that begin with their label. */
import { type ChildNode, Element, Text } from 'domhandler'
import { wordsOf } from '../tree/attribute.ts'
import { block, type Rule } from './rule.ts'
import { isShown } from './shown.ts'
import type { Writer } from './writer.ts'

/** Names of boxes in general, which are followed by the name of the kind. */
const general = new Set(
  (
    'admonition admonitionblock alert callout infobox markdown-alert theme-admonition custom-block starlight-aside ' +
    'notecard confluence-information-macro'
  ).split(' '),
)
/** Names of kinds of boxes, and their labels. */
const labels: Readonly<Record<string, string>> = {
  note: 'Note',
  tip: 'Tip',
  hint: 'Hint',
  info: 'Info',
  important: 'Important',
  attention: 'Attention',
  caution: 'Caution',
  warning: 'Warning',
  danger: 'Danger',
  error: 'Error',
  seealso: 'See also',
  deprecated: 'Deprecated',
}
/** Kinds that are unlikely to name anything else. */
const alone = new Set('note tip hint important attention caution warning danger seealso'.split(' '))
const containers = new Set(['div', 'aside', 'section', 'blockquote', 'details'])

/** Returns the rule of an element that is a box, or undefined. */
export function boxRule(element: Element): Rule | undefined {
  if (!containers.has(element.name)) return undefined
  const role = element.attribs.role?.toLowerCase()
  if (role === 'note' || role === 'doc-tip' || role === 'doc-notice') return box
  return element.attribs.class !== undefined && isNamedBox(wordsOf(element, 'class')) ? box : undefined
}

/** Returns whether class names are those of a box: a general one, or nothing but a kind. */
const isNamedBox = (words: readonly string[]): boolean =>
  words.some(word => general.has(word)) || (words.length === 1 && alone.has(words[0] ?? ''))

/** Writes a box as a quote. A box without a label of its own begins with the name of its kind. */
function box(writer: Writer, element: Element): boolean {
  if (writer.isFlat) return block(writer, element)
  writer.contain(element, { first: '> ', rest: '> ' })
  const label = labelOf(element)
  if (label !== '' && !hasOwnLabel(element, label)) writer.block(`**${label}**`)
  return true
}

function labelOf(element: Element): string {
  for (const word of wordsOf(element, 'class')) {
    for (const part of [word, ...word.split(/[-_]+/)])
      if (Object.hasOwn(labels, part)) return labels[part] ?? ''
  }
  return ''
}

const titleClass = /(?:^|[\s_-])(?:title|heading|header|label)(?=$|[\s_-])/i

/** Returns whether a box begins with a title, or with the name of its kind. */
function hasOwnLabel(element: Element, label: string): boolean {
  let first: Element | undefined = element
  for (let depth = 0; depth < maxTitleDepth && first !== undefined; depth++) {
    first = first.children.find(
      child => child instanceof Element && child.name !== 'svg' && isShown(child),
    ) as Element | undefined
    if (first === undefined) break
    if (/^(?:h[1-6]|summary|dt)$/.test(first.name) || titleClass.test(first.attribs.class ?? '')) return true
  }
  const text = firstText(element)
  return text === '' || text.toLowerCase().startsWith(label.toLowerCase())
}

const maxTitleDepth = 4
/** Maximum number of nodes before the first text of a box. */
const maxNodes = 60

/** Returns the first text of a box, or the empty string if it has none nearby. */
function firstText(box: Element): string {
  const nodes: ChildNode[] = [box]
  for (let left = maxNodes; left > 0; left--) {
    const node = nodes.pop()
    if (node === undefined) return ''
    if (node instanceof Text && node.data.trim() !== '') return node.data.trim()
    if (node instanceof Element && isShown(node)) nodes.push(...node.children.slice(0, maxNodes).reverse())
  }
  return ''
}
