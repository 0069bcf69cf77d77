/** The titles of pages without the part that they share, which is usually the name of the site. */
import type { ListedPage } from './listed-page.ts'
import { firstHeading, oneLine } from './markdown-text.ts'

/** Separates a title from the name of a site. */
const separator = /\s+[|–—·•»«‹›:/-]\s+|\s*[|｜]\s*|:\s+/g

/** Maximum number of separators beside the name of a site, counted from the end or the beginning of a title. */
const maxParts = 4

type Part = { text: string; rest: string }

/** All ways to split a title into a shared end and a rest, the longest end first. */
const ends = (title: string): Part[] =>
  [...title.matchAll(separator)].slice(-maxParts).map(({ 0: mark, index }) => ({
    text: title.slice(index + mark.length),
    rest: title.slice(0, index),
  }))

/** All ways to split a title into a shared beginning and a rest, the longest beginning first. */
const beginnings = (title: string): Part[] =>
  [...title.matchAll(separator)]
    .slice(0, maxParts)
    .toReversed()
    .map(({ 0: mark, index }) => ({
      text: title.slice(0, index),
      rest: title.slice(index + mark.length),
    }))

const keyOf = (text: string): string => text.trim().toLowerCase()

export type Titles = {
  /** The shared part of the titles; null if they share none. */
  shared: string | null
  /** Returns the title of a page, else its first heading, else its path. */
  of(page: ListedPage): string
}

/** @param siteName as stated by the client or the site: it is removed from every title, even if only one has it */
export function titlesOf(pages: readonly ListedPage[], siteName: string | null): Titles {
  const titles = pages.flatMap(({ title }) => oneLine(title ?? '') || [])
  const [sharedEnd, sharedBeginning] = [sharedPart(titles, ends), sharedPart(titles, beginnings)]
  const stripped = (title: string): string =>
    without(without(title, ends, [sharedEnd, siteName]), beginnings, [sharedBeginning]) || title
  const counts = new Map<string, number>()
  for (const title of titles) counts.set(stripped(title), (counts.get(stripped(title)) ?? 0) + 1)
  return {
    shared: sharedEnd ?? sharedBeginning,
    of({ title, main, url }) {
      const own = stripped(oneLine(title ?? ''))
      const isOwn = own !== '' && (counts.get(own) ?? 0) < 2
      return (isOwn ? own : null) ?? (main ? firstHeading(main) : null) ?? (own || new URL(url).pathname)
    },
  }
}

/** Returns the longest part that at least half of all titles share, and at least two. */
function sharedPart(titles: readonly string[], partsOf: (title: string) => Part[]): string | null {
  const counts = new Map<string, { text: string; count: number }>()
  for (const title of titles) {
    for (const { text } of partsOf(title)) {
      const known = counts.get(keyOf(text)) ?? { text, count: 0 }
      counts.set(keyOf(text), { ...known, count: known.count + 1 })
    }
  }
  const enough = Math.max(2, Math.ceil(titles.length / 2))
  const common = [...counts.values()].filter(({ text, count }) => count >= enough && text.trim() !== '')
  return common.sort((a, b) => b.text.length - a.text.length)[0]?.text.trim() ?? null
}

function without(title: string, partsOf: (title: string) => Part[], parts: readonly (string | null)[]) {
  const names = new Set(parts.flatMap(part => (part ? [keyOf(part)] : [])))
  return (partsOf(title).find(({ text }) => names.has(keyOf(text)))?.rest ?? title).trim()
}
