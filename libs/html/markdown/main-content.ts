/** Chooses of a page what is content: the element that holds it, and what in it is to be left out. */
import type { Document, Element } from 'domhandler'
import { walk } from '../tree/walk.ts'
import { isChrome } from './chrome.ts'
import { isShown } from './shown.ts'

export type MainContent = {
  /** Where the content stands: the only main element of the page, else all of it. */
  root: Document | Element
  /** For `writeMarkdown`. */
  omit: (element: Element) => boolean
}

/** How much text stands in an element, in characters. */
type Measure = { element: Element; text: number }
type Measures = { mains: Measure[]; articles: Measure[]; chrome: Measure[]; total: number }

/** A main element counts when it has at least this part of the page's text, or this many characters. */
const minShare = 0.2
const minText = 500

/**
 * The content of a page, for Markdown without menus, site headers and footers. An element with more than half of all
 * text is content, regardless of its name. Reads the tree once.
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
