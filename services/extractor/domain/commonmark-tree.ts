/** A page's tree as input of `turndown`: without hidden content, with absolute URLs, and bounded. */
import { isShown } from '@tidemark/html/markdown/shown'
import { walk } from '@tidemark/html/tree/walk'
import type { Document, Element } from 'domhandler'
import { CommonmarkElement, CommonmarkText } from './commonmark-node.ts'

/** Returns null for invalid URLs. */
export type Resolve = (address: string) => string | null

/** Maximum nesting of the elements that indent their lines. Deeper ones are flattened. */
const deepestIndent = 16
const indenting = new Set(['blockquote', 'li'])
/** Blocks that turndown takes for parts of a line, so that their words would join. */
const unknownBlocks = new Set(['details', 'summary', 'dialog', 'search', 'legend', 'optgroup', 'option'])
const preformatted = new Set(['pre', 'listing', 'xmp'])
const leftOut = new Set(['audio', 'video', 'canvas', 'svg', 'button', 'input'])
const longBlank = /\s{101,}/g
const maxBlank = 100
/** Characters of one URL and of all: with a long base, few bytes expand to a hundred times as many. */
const maxLength = { address: 8192, all: 8 * 1024 ** 2 }
/** URLs that readers cannot open. */
const unopenable = /^(?:javascript|vbscript|data|blob|about):/i
/** Attributes to keep, by element. A map, because a tag may be `<constructor>`. */
const kept = new Map(Object.entries({ a: ['title'], img: ['alt', 'title'], ol: ['start'], code: ['class'] }))

export function commonmarkTree(root: Document, resolve: Resolve): CommonmarkElement {
  const top = new CommonmarkElement('body', {}, null)
  const addressed = bounded(resolve)
  let open = top
  let [indents, preformattedNow] = [0, 0]
  walk(root, {
    enter: element => {
      const { name } = element
      if (!isShown(element) || leftOut.has(name)) return false
      const isFlat = unknownBlocks.has(name) || (indenting.has(name) && indents >= deepestIndent)
      const node = new CommonmarkElement(isFlat ? 'div' : name, attributesOf(element, addressed), open)
      open.append(node)
      open = node
      if (indenting.has(name)) indents += 1
      if (preformatted.has(name)) preformattedNow += 1
      return true
    },
    leave: ({ name }) => {
      open = open.parentNode ?? top
      if (indenting.has(name)) indents -= 1
      if (preformatted.has(name)) preformattedNow -= 1
    },
    text: ({ data }) => {
      const text = preformattedNow > 0 ? data : data.replace(/[\t\n\f\r ]+/g, ' ')
      open.append(
        new CommonmarkText(
          text.replace(longBlank, blank => blank.slice(0, maxBlank)),
          open,
        ),
      )
    },
  })
  return top
}

function attributesOf({ name, attribs }: Element, resolve: Resolve): Record<string, string> {
  const own: Record<string, string> = {}
  for (const attribute of kept.get(name) ?? []) {
    const value = attribs[attribute]
    if (value !== undefined) own[attribute] = value.replace(/\s+/g, ' ')
  }
  const [target, value] =
    name === 'a' ? ['href', attribs.href] : ['src', name === 'img' ? attribs.src : undefined]
  const address = value === undefined ? null : resolve(value)
  return address === null ? own : { ...own, [target]: address }
}

function bounded(resolve: Resolve): Resolve {
  let left = maxLength.all
  return address => {
    const found = left > 0 ? resolve(address) : null
    if (found === null || found.length > maxLength.address || unopenable.test(found)) return null
    left -= found.length
    return found
  }
}
