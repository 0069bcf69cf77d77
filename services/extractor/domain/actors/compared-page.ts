/** The values of a page that `render-diff` compares, before and after scripts run: plain data of limited size. */
import { hash } from 'node:crypto'
import { headings as headingTags } from '@tidemark/html/article/element-kinds'
import { isShown } from '@tidemark/html/markdown/shown'
import { typesOf } from '@tidemark/html/structured/json-ld'
import { isHidden } from '@tidemark/html/tree/hidden'
import { isInline } from '@tidemark/html/tree/inline'
import { collapse } from '@tidemark/html/tree/raw-text'
import { walk } from '@tidemark/html/tree/walk'
import type { Document, Element } from 'domhandler'
import { firstThatFit, maxCharacters } from '../content-bounds.ts'
import { drawn } from '../page-text.ts'
import { countLetters } from './known-words.ts'
import type { SeenPage } from './seen-page.ts'

/** Visible and invisible texts. */
export type Apart = { shown: string[]; hidden: string[] }

export type ComparedPage = {
  isHtml: boolean
  bytes: number
  words: number
  /** Letters and digits of the visible blocks, up to the comparison limit. */
  letters: number
  links: number
  /** Distinct link targets, up to the maximum characters. */
  targets: string[]
  headings: Apart
  /** Texts of blocks such as paragraphs, cells and items. */
  blocks: Apart
  /** Objects with equal keys have equal content. */
  jsonLd: { key: string; type: string }[]
}

const noType = '(none)'
const maxHeadings = 10_000
const maxHeadingLength = 500

/** Returns the values to compare. For content other than HTML only the size is known. */
export function comparedPageOf({ page, html, warnings }: SeenPage): ComparedPage {
  const bytes = page.body.byteLength
  const none = { shown: [], hidden: [] }
  const empty = { words: 0, letters: 0, links: 0, targets: [], headings: none, blocks: none, jsonLd: [] }
  if (html === null) return { isHtml: false, bytes, ...empty }
  const { text, links, metadata } = html.facts
  const hrefs = [...new Set(links.map(({ href }) => href))]
  const targets = firstThatFit(hrefs, maxCharacters, ({ length }) => length)
  const { headings, blocks } = textsOf(html.tree)
  if (targets.length < hrefs.length) warnings.push(`only the first ${targets.length} links were compared`)
  return {
    isHtml: true,
    bytes,
    words: text.words,
    letters: countLetters(blocks.shown),
    links: links.length,
    targets,
    headings,
    blocks,
    jsonLd: metadata.json_ld.map(item => ({
      key: hash('sha256', JSON.stringify(item, sorted)),
      type: (typesOf(item as Record<string, unknown>).join(', ') || noType).slice(0, maxHeadingLength),
    })),
  }
}

/** Ignores the order of properties, because scripts that rewrite an object may change it. */
function sorted(_name: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  return Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)))
}

/** Reads the tree in linear time. A nested heading is part of the outer one. */
function textsOf(tree: Document): { headings: Apart; blocks: Apart } {
  const headings = new Texts()
  const blocks = new Texts()
  let hiding = 0
  let heading: Element | null = null
  const part = ({ name }: Element) => {
    if (!isInline(name)) blocks.end()
  }
  walk(tree, {
    enter: element => {
      if (isHidden(element) || drawn.has(element.name)) return false
      part(element)
      if (!isShown(element)) hiding++
      if (headingTags.has(element.name)) heading ??= element
      return true
    },
    leave: element => {
      part(element)
      if (element === heading) {
        headings.end()
        heading = null
      }
      if (!isShown(element)) hiding--
    },
    text: ({ data }) => {
      const at = hiding > 0 ? 'hidden' : 'shown'
      blocks.add(at, data)
      if (heading !== null) headings.add(at, data)
    },
  })
  blocks.end()
  const { shown, hidden } = headings.found
  return {
    headings: { shown: ofHeadings(shown), hidden: ofHeadings(hidden) },
    blocks: blocks.found,
  }
}

const ofHeadings = (texts: string[]): string[] =>
  texts.slice(0, maxHeadings).map(text => text.slice(0, maxHeadingLength))

/** Collects texts, one at a time. */
class Texts {
  readonly found: Apart = { shown: [], hidden: [] }
  readonly #open = { shown: '', hidden: '' }

  add(at: keyof Apart, text: string): void {
    this.#open[at] += text
  }

  end(): void {
    for (const at of ['shown', 'hidden'] as const) {
      const text = this.#open[at] === '' ? '' : collapse(this.#open[at])
      if (text !== '') this.found[at].push(text)
      this.#open[at] = ''
    }
  }
}
