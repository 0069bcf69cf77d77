/** Selects the content of a page: its element, and the parts of it to leave out. */
import type { Document, Element } from 'domhandler'
import { walk } from '../tree/walk.ts'
import { isChrome } from './chrome.ts'
import { isShown } from './shown.ts'

export type MainContent = {
  /** The element with the content: the only main element of the page, else the whole page. */
  root: Document | Element
  /** Filter for `writeMarkdown`. */
  omit: (element: Element) => boolean
}

/** The characters of text in an element. */
type Measure = { element: Element; text: number }
type Measures = { mains: Measure[]; articles: Measure[]; chrome: Measure[]; total: number }

/** A main element counts if it has at least this share of the page's text, or this number of characters. */
const minShare = 0.2
const minText = 500

/**
 * Returns the content of a page for Markdown, without menus, site headers, footers and the like. An element with more
 * than half of all text is content regardless of its name. Walks the tree once.
 */
export function mainContent(document: Document): MainContent {
  const { mains, articles, chrome, total } = measure(document)
  const omitted = new Set(chrome.filter(({ text }) => text <= total / 2).map(({ element }) => element))
  const main = only(mains.filter(({ text }) => text >= minText || text >= total * minShare))
  const article = only(articles.filter(({ text }) => text >= total / 3))
  return { root: (main ?? article)?.element ?? document, omit: element => omitted.has(element) }
}

const only = (found: readonly Measure[]): Measure | undefined => (found.length === 1 ? found[0] : undefined)

function measure(document: Document): Measures {
  const found: Measures = { mains: [], articles: [], chrome: [], total: 0 }
  const open: Measure[] = []
  walk(document, {
    enter: element => {
      if (!isShown(element)) return false
      const list = listFor(element, found)
      if (list === null) return true
      const measure = { element, text: -found.total }
      list.push(measure)
      open.push(measure)
      return true
    },
    leave: element => {
      const last = open.at(-1)
      if (last?.element !== element) return
      open.pop()
      last.text += found.total
    },
    text: ({ data }) => {
      found.total += data.trim().length
    },
  })
  return found
}

function listFor(element: Element, { mains, articles, chrome }: Measures): Measure[] | null {
  if (element.name === 'main' || element.attribs.role === 'main') return mains
  if (element.name === 'article') return articles
  return isChrome(element) ? chrome : null
}
