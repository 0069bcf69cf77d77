/**
 * Finds the title of the article. A heading is trusted if the page's own titles agree with it. If none agrees, the
 * titles count, without the name of the site.
 */

import { likeness, wordsIn } from '../likeness-of-words.ts'
import { stringOf } from './described.ts'
import type { HeadFacts } from './head-facts.ts'

/** Separators between the title of a page and the names of its section and site. */
const hardSeparator =
  /\s+[|\u2013\u2014\-\u00b7\u2022»«\u2043\uff5c~]\s+|\s*[|\uff5c\u2502»]\s*|\s*::\s*|\s+[:l]\s+/u

/** Matches a separator and the part behind it. */
const separated = new RegExp(`^(?:${hardSeparator.source})[^|]+$`, 'u')

/** Trust by position: the whole title; before, between or after hard separators; around a colon. */
const trust = { whole: 1, first: 0.97, middle: 0.9, last: 0.85, soft: 0.8 } as const

const maxTitleLength = 500

/** A heading. `pieces` returns the texts of its children, such as a title and a subtitle. */
export type Heading = { level: number; text: string; pieces: () => readonly string[] }

type Titles = {
  facts: HeadFacts
  node: Readonly<Record<string, unknown>> | null
  headings: readonly Heading[]
  isSite: (part: string) => boolean
}

/**
 * Returns the title of an article, or null.
 * @param titles `headings` are the first headings of the page, in order.
 */
export function headlineOf({ facts, node, headings, isSite: isNamed }: Titles): string | null {
  const titles = statedTitles(facts, node)
  const wikis = wikiNames(titles, headings)
  const isSite = (part: string): boolean => isNamed(part) || wikis.has(plain(part))
  const isHeading = (text: string): boolean => headings.some(heading => plain(heading.text) === text)
  const stated = titles.map(title =>
    title.replace(bracketed, (end, name, from) => {
      const isName = wikis.has(plain(name)) || isHeading(plain(title.slice(0, from)))
      return isName ? ` | ${name}` : end
    }),
  )
  const known = stated.flatMap(partsOf).filter(({ text }) => !isSite(text))
  const own = headings
    .map(({ text, ...rest }) => ({ ...rest, text: text.trimEnd().replace(/¶$/, '').trim() }))
    .filter(({ text }) => text !== '' && text.length <= maxTitleLength && !isSite(text))
  const first = own.filter(({ level }) => level === 1)
  const only = new Set(first.map(({ text }) => text)).size === 1 ? (first[0]?.text ?? '') : ''
  const title =
    otherThan(only, own, stated) ??
    (only !== '' && (known.length === 0 || isCertain(only)) ? only : null) ??
    bestOf(first, known, 0.55) ??
    bestOf(own, known, minOfAny) ??
    cleaned(stated, isSite) ??
    first[0]?.text ??
    own[0]?.text ??
    null
  if (title === null) return null
  return (pieceOf(title, own, stated, isSite) ?? unlabelled(title, known) ?? spaced(title, known)).slice(
    0,
    maxTitleLength,
  )
}

/** Returns whether a heading is a title, whatever others are stated. A colon announces the text beneath it. */
const isCertain = (heading: string): boolean => wordsIn(heading).length >= 3 && !/[:：]$/.test(heading)

/** Returns the title of a thread without the label that forums write before it, or null if no stated one is like that. */
function unlabelled(title: string, known: readonly Part[]): string | null {
  const bare = title.replace(/^(?:thread|topic|thema|sujet|tema|discussion):\s+/i, '')
  const [whole, own] = [plain(title), plain(bare)]
  const isStated = bare !== title && known.every(({ text }) => plain(text) !== whole)
  return isStated && known.some(({ text }) => plain(text) === own) ? bare : null
}

/** Returns a title with the spaces of a stated one. Only the style of a page may separate the pieces of its heading. */
function spaced(title: string, known: readonly Part[]): string {
  const letters = title.replaceAll(' ', '')
  const like = known.filter(({ text }) => text.length > title.length)
  return like.find(({ text }) => text.replaceAll(' ', '') === letters)?.text ?? title
}

/** Returns the child of the heading that alone equals a stated title. The other children are a subtitle or a date. */
function pieceOf(
  title: string,
  headings: readonly Heading[],
  stated: readonly string[],
  isSite: (part: string) => boolean,
): string | null {
  const known = stated
    .flatMap(text => [text, ...text.split(hardSeparator).filter(part => !isSite(part))])
    .map(plain)
  if (known.includes(plain(title))) return null
  const pieces = headings.find(({ text }) => text === title)?.pieces() ?? []
  const titles = pieces.filter(piece => wordsIn(piece).length > 1 && known.includes(plain(piece)))
  return titles.sort((one, other) => other.length - one.length)[0] ?? null
}

/**
 * Returns the names of wikis. DokuWiki writes its name in brackets at the end of each stated title, and as a heading of
 * the first level. If that is the only such heading, it is not the name of a wiki.
 */
function wikiNames(stated: readonly string[], headings: readonly Heading[]): Set<string> {
  const first = new Set(headings.filter(({ level }) => level === 1).map(({ text }) => plain(text)))
  const names = stated.map(title => plain(bracketed.exec(title)?.[1] ?? ''))
  return new Set(first.size > 1 ? names.filter(name => name !== '' && first.has(name)) : [])
}

const bracketed = /\s\[([^[\]]+)\]$/

const plain = (text: string): string => wordsIn(text).join(' ')

/**
 * Returns a heading that equals the first part of a stated title, below the only heading of the first level. That one
 * must be the last part, as the title of a book is, or resemble no part.
 */
function otherThan(only: string, headings: readonly Heading[], stated: readonly string[]): string | null {
  const parted = stated.map(title => title.split(hardSeparator).map(part => part.trim()))
  const first = (text: string): boolean =>
    wordsIn(text).length > 1 && parted.some(([part = '']) => likeness(part, text) >= minEqual)
  const isLast = parted.some(parts => parts.length > 1 && likeness(parts.at(-1) ?? '', only) >= minEqual)
  const isForeign = parted.flat().every(part => likeness(part, only) < maxForeign)
  if (only === '' || !(isLast || isForeign) || first(only)) return null
  const from = headings.findIndex(({ text }) => text === only)
  return headings.slice(from, from + maxCompared).find(({ text }) => first(text))?.text ?? null
}

/** Minimum likeness of headings of all levels. A heading that equals any part of a title reaches it. */
const minOfAny = trust.soft - 0.01

const maxForeign = 0.5
const minEqual = 0.95
const maxCompared = 20

type Part = { text: string; trust: number }

/** Returns the heading that is most similar to the stated titles. */
function bestOf(headings: readonly Heading[], known: readonly Part[], enough: number): string | null {
  let best: string | null = null
  let maxLikeness = enough
  for (const { text } of headings.slice(0, maxCompared)) {
    const like = Math.max(0, ...known.map(part => likeness(part.text, text) * part.trust))
    if (like <= maxLikeness) continue
    maxLikeness = like
    best = text
  }
  return best
}

/** Returns the stated titles in the order of trust. */
function statedTitles({ metas, title }: HeadFacts, node: Titles['node']): string[] {
  const headline = node === null ? null : stringOf(node.headline)
  const stated = [metas.get('og:title'), headline, title, metas.get('twitter:title'), metas.get('dc.title')]
  return stated.filter(text => text !== undefined && text !== null && text !== '') as string[]
}

function partsOf(title: string): Part[] {
  const parts: Part[] = [{ text: title, trust: trust.whole }]
  const hard = title.split(hardSeparator).slice(0, maxParts)
  for (const [at, text] of hard.entries()) {
    if (hard.length > 1) {
      const byPosition = at === 0 ? trust.first : at === hard.length - 1 ? trust.last : trust.middle
      parts.push({ text: text.trim(), trust: byPosition })
    }
    const soft = text.split(/:\s+/).slice(0, maxParts)
    if (soft.length > 1) parts.push(...soft.map(part => ({ text: part.trim(), trust: trust.soft })))
  }
  return parts
}

const maxParts = 6

/**
 * Returns the first title without the parts that name the site, or null if nothing is left. If another one only adds a
 * part to the title, that part is the site.
 */
function cleaned(
  [title = '', ...others]: readonly string[],
  isSite: (part: string) => boolean,
): string | null {
  if (others.some(other => other.startsWith(title) && separated.test(other.slice(title.length)))) return title
  const parts = title.split(hardSeparator).filter(part => part.trim() !== '')
  if (parts.length < 2) return title || null
  const own = parts.filter(part => !isSite(part)).map(part => part.trim())
  const first = own.find(part => wordsIn(part).length >= 2)
  return first ?? own[0] ?? title
}
