/** What two readings of one page are compared by, for the actor `render-diff`: bounded, and plain data. */
import { hash } from 'node:crypto'
import { isShown } from '@tidemark/html/markdown/shown'
import { typesOf } from '@tidemark/html/structured/json-ld'
import { isHidden } from '@tidemark/html/tree/hidden'
import { isInline } from '@tidemark/html/tree/inline'
import { collapse } from '@tidemark/html/tree/text-of'
import { walk } from '@tidemark/html/tree/walk'
import type { Document, Element } from 'domhandler'
import { mostCharacters } from '../content-bounds.ts'
import { countLetters } from './known-words.ts'
import type { SeenPage } from './seen-page.ts'

/** Texts that are shown, and those that stand in the page without being shown. */
export type Apart = { shown: string[]; hidden: string[] }

export type Outline = {
  isHtml: boolean
  bytes: number
  words: number
  /** Letters and digits of the blocks that are shown, as far as they are compared. */
  letters: number
  links: number
  /** Where links lead, each once. */
  targets: string[]
  headings: Apart
  /** Texts without a break between them: paragraphs, cells, items. */
  blocks: Apart
  /** Objects with the same key say the same. */
  jsonLd: { key: string; type: string }[]
}

const noType = '(none)'
const mostHeadings = 10_000
const longestHeading = 500

/** Of what is no HTML only its size is known. */
export function outlineOf({ page, html, warnings }: SeenPage): Outline {
  const bytes = page.body.byteLength
  const none = { shown: [], hidden: [] }
  const empty = { words: 0, letters: 0, links: 0, targets: [], headings: none, blocks: none, jsonLd: [] }
  if (html === null) return { isHtml: false, bytes, ...empty }
  const { text, links, metadata } = html.facts
  const hrefs = [...new Set(links.map(({ href }) => href))]
  const targets = within(hrefs)
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
      type: (typesOf(item as Record<string, unknown>).join(', ') || noType).slice(0, longestHeading),
    })),
  }
}

/** As many of them as an answer has room for. */
function within(texts: string[]): string[] {
  let room = mostCharacters
  const end = texts.findIndex(text => {
    room -= text.length
    return room < 0
  })
  return end === -1 ? texts : texts.slice(0, end)
}

/** Whoever writes an object anew may write its properties in another order. */
function sorted(_name: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  return Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)))
}

const headingNames = new Set(['h1', 'h2', 'h3', 'h4', 'h5', 'h6'])
/** Of which nobody sees any text. */
const drawn = new Set(['audio', 'video', 'canvas', 'svg'])

/** Linear in the tree; a heading within a heading is a part of it. */
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
      if (headingNames.has(element.name)) heading ??= element
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
  texts.slice(0, mostHeadings).map(text => text.slice(0, longestHeading))

/** Collects texts, one after the other. */
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
