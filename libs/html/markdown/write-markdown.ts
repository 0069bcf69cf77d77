/**
 * Writes a page as Markdown (CommonMark with the tables, task lists and strikethrough of GFM, and footnotes),
 * without recursion and in time linear in the size of the tree.
 */
import type { Document, Element } from 'domhandler'
import { isListing } from '../tree/code-text.ts'
import { isFootnoteText } from '../tree/footnote-text.ts'
import { isInline } from '../tree/inline.ts'
import { isRedundant } from '../tree/redundant.ts'
import { tablePartOf } from '../tree/table-kind.ts'
import { walk } from '../tree/walk.ts'
import { blockRules, code, heading } from './block-rules.ts'
import { boxRule } from './box.ts'
import { escapeText } from './escape.ts'
import { inlineRules } from './inline-rules.ts'
import { listRules } from './list-rules.ts'
import { panelLabel } from './panel-label.ts'
import { apart, leftOut, type Rule } from './rule.ts'
import { isShown } from './shown.ts'
import { skipRow, tableRules } from './table-rules.ts'
import { type Resolve, Writer } from './writer.ts'

export type MarkdownOptions = ({ base: string } | { resolve: Resolve }) & {
  /** Returns whether to leave out an element with its content. */
  omit?: (element: Element) => boolean
  /** Returns whether an element is only around the content: its own text is left out, and it has no rule. */
  isAround?: (element: Element) => boolean
  /** Whether hidden panels of tabs are written too. */
  withPanels?: boolean
}

const rules = new Map<string, Rule>(
  Object.entries({
    ...blockRules,
    ...inlineRules,
    ...listRules,
    ...tableRules,
    video: leftOut,
    audio: leftOut,
    canvas: leftOut,
  }),
)

/**
 * Returns the Markdown of a page, or of a part of it. Invisible content is left out: scripts, templates, hidden
 * elements, controls of forms. Links and images are resolved against `base`, or by `resolve`. A link without an
 * address becomes its text.
 */
export function writeMarkdown(root: Document | Element, options: MarkdownOptions): string {
  const resolve = 'resolve' in options ? options.resolve : resolverOf(options.base)
  const { omit, isAround, withPanels } = options
  const isLeftOut = (element: Element) => !isShown(element, withPanels) || omit?.(element) === true
  const writer = new Writer(root, bounded(resolve), isLeftOut)
  /** Number of open elements with content. */
  let open = isAround === undefined ? 1 : 0
  walk(root, {
    enter: element => {
      const shown = isShown(element, withPanels)
      if (!shown || omit?.(element) === true || isRedundant(element, writer.languages)) {
        // The text before it does not continue behind it.
        if (shown && !isInline(element.name)) writer.inline.gap('space')
        skipRow(writer, element)
        return false
      }
      if (isAround?.(element) === true) return true
      if (!begin(writer, element)) return false
      if (withPanels && element.attribs.role === 'tabpanel') addLabel(writer, element, isLeftOut)
      open += 1
      return true
    },
    leave: element => {
      if (isAround?.(element) === true) return
      open -= 1
      writer.end(element)
    },
    text: ({ data }) => {
      if (open > 0) writer.inline.text(data)
    },
  })
  return writer.close()
}

function begin(writer: Writer, element: Element): boolean {
  if (writer.footnotes?.backLinks.has(element)) return false
  const rule = ruleFor(element)
  const inside = rule === undefined || rule(writer, element)
  if (inside) addOns(writer, element)
  return inside
}

/** Writes the text of its tab above a panel. */
function addLabel(writer: Writer, element: Element, isLeftOut: (element: Element) => boolean): void {
  const label = writer.isFlat ? '' : panelLabel(element, isLeftOut)
  if (label !== '') writer.block(`**${escapeText(label, { before: '', after: '', inLink: false })}**`)
}

function ruleFor(element: Element): Rule | undefined {
  const { name, attribs } = element
  if (attribs.role === 'heading' && attribs['aria-level'] !== undefined) return heading
  if (isFootnoteText(element)) return inParentheses
  if (isListing(element)) return code
  return boxRule(element) ?? rules.get(tablePartOf(element)) ?? (name.includes('-') ? apart : undefined)
}

const inParentheses: Rule = (writer, element) => {
  writer.inline.text(' (')
  writer.atEnd(element, () => writer.inline.text(')'))
  return true
}

/** Adds a link or a footnote that belongs to an element. */
function addOns(writer: Writer, element: Element): void {
  const target = writer.linked.size > 0 ? writer.linked.get(element) : undefined
  if (target !== undefined) writer.mark(element, 'link', target)
  const label = writer.footnotes?.notes.get(element)
  if (label !== undefined && !writer.isFlat) writer.note(element, label)
}

/**
 * Maximum characters of one address, and of all addresses of a page. With a long base, few bytes of a page can expand
 * a hundredfold.
 */
const maxLength = { address: 8192, all: 8 * 1024 ** 2 }

function bounded(resolve: Resolve): Resolve {
  let left = maxLength.all
  return href => {
    const address = left > 0 ? resolve(href) : null
    if (address === null || address.length > maxLength.address) return null
    left -= address.length
    return address
  }
}

/** Returns a resolver by the WHATWG URL standard. Results are cached, because pages repeat their links. */
function resolverOf(base: string): Resolve {
  const known = new Map<string, string | null>()
  return href => {
    let address = known.get(href)
    if (address === undefined) {
      address = URL.parse(href, base)?.href ?? null
      known.set(href, address)
    }
    return address
  }
}
