/**
 * Finds the authors of an article. The sources are in the order of trust. A name that equals the site's counts only
 * if no source has another one.
 */

import type { BylineTexts } from './byline-texts.ts'
import { closing, glued, ofUser, opening, reporter, role, starter, within } from './byline-words.ts'
import { namesOf } from './described.ts'
import type { HeadFacts } from './head-facts.ts'
import {
  isFull,
  isLabelledName,
  isLinkedName,
  isShownName,
  isStatedName,
  isUserName,
  namesIn,
  stripped,
  turned,
} from './names.ts'
import { findDate } from './written-date.ts'

export type Signed = {
  facts: HeadFacts
  node: Readonly<Record<string, unknown>> | null
  /** Texts of the page that may contain a name, nearest to the title first (see `bylineTexts`). */
  texts: BylineTexts
  isSite: (name: string) => boolean
}

const metaNames = [
  'author',
  'parsely-author',
  'sailthru.author',
  'citation_author',
  'dc.creator',
  'dcterms.creator',
  'dc:creator',
  'byl',
  'article:author_name',
  'cxenseparse:author',
  'article:author',
  'og:article:author',
  'twitter:creator:name',
]

const maxNames = 10

/** Returns the names, separated by commas, or null. */
export function bylineOf(signed: Signed): string | null {
  const { facts, node, texts, isSite } = signed
  const isOwn = (name: string): boolean => !isSite(name) && !isHost(name)
  const described = namesOf(node?.author ?? node?.creator, facts.described)
  const organizations = described.organizations.filter(isStatedName)
  const stated = statedNames(facts, described.people)
  const linked = [...texts.lines.map(starterNames), ...texts.linked.map(linkedNames)]
  const stating = stated.find(names => names.some(isOwn))
  const own = (stating ?? linked.find(names => names.some(isOwn)))?.filter(isOwn)
  if (own !== undefined && (stating === undefined || own.some(isFull))) return joined(own)
  const opened = texts.lines.slice(0, texts.under + linesUnder).map((_, at) => openedNames(texts.lines, at))
  const marked = own === undefined ? texts.marked.map(markedNames) : []
  // marked elements behind the first with a name are of other articles
  const shown = [...opened, ...marked.filter(names => names.length > 0).slice(0, 1)]
  const wanted = own === undefined ? isOwn : (name: string) => isOwn(name) && isFull(name)
  const site = [...stated, ...linked, ...shown].filter(names => names.length > 0)
  const names =
    shown.find(found => found.some(wanted))?.filter(isOwn) ??
    own ??
    texts.closing.map(closingNames).find(found => found.some(isOwn)) ??
    (organizations.some(isOwn) ? organizations.filter(isOwn) : undefined) ??
    site.find(([name = '']) => !isHost(name)) ??
    nameUnder(texts) ??
    [...organizations, ...site.flat()].slice(0, 1)
  return names.length === 0 ? null : joined(names)
}

/** Returns whether a name is the address of a site. */
const isHost = (name: string): boolean => /^[\w-]+(?:\.[\w-]+)*\.[a-z]{2,}$/i.test(name)

const joined = (names: readonly string[]): string => [...new Set(names)].slice(0, maxNames).join(', ')

/** Returns the names in machine-readable data, source by source. */
const statedNames = (facts: HeadFacts, people: string[]): string[][] =>
  [people, ...metaNames.map(name => metaValues(facts, name)), twitterLabel(facts)].map(source =>
    source.flatMap(text => namesIn(text, isStatedName)),
  )

/** Returns the values of a meta element. Catalogs write each author with the family name first. */
function metaValues({ repeated }: HeadFacts, name: string): string[] {
  const values = repeated.get(name) ?? []
  return namesOfCatalogs.has(name) ? values.map(value => turned(value, values.length === 1)) : values
}

const namesOfCatalogs = new Set(['citation_author', 'dc.creator', 'dcterms.creator', 'dc:creator'])

/** Returns the names in the first text with names, and in the following texts that continue after an "and". */
function firstNames(pieces: readonly string[], isName: (name: string) => boolean): string[] {
  const found: string[] = []
  let goesOn = true
  for (const piece of pieces) {
    if (joint.test(piece)) goesOn = true
    else if (found.length > 0 && !goesOn && !jointBefore.test(piece)) break
    else {
      found.push(...namesIn(piece, isName))
      goesOn = jointAfter.test(piece)
    }
  }
  return found
}

/** Returns the names in links of one line. Single words behind a full name are of its publisher. */
function linkedNames(pieces: readonly string[]): string[] {
  const names = firstNames(pieces, isLinkedName)
  return names.filter((name, at) => at === 0 || isFull(name) || !isFull(names[0] ?? ''))
}

/** Returns the user whom a forum marks as the author of the first post. */
const starterNames = (line: string): string[] => starter.exec(line)?.slice(1) ?? []

/** Returns the names in a marked element. One word alone may be a user name in lower case. */
function markedNames(pieces: readonly string[]): string[] {
  const [only = ''] = pieces
  return pieces.length === 1 && isUserName(only) ? [only] : firstNames(pieces, isShownName)
}

/** Separators between names: alone, before and after a name. */
const joint = /^(?:,|&|and|und|et|y|e)$/i
const jointBefore = /^(?:,|&|and|und|et|y|e)\b/i
const jointAfter = /(?:,|&|\sand)$/i

/** Returns the names in a line that introduces them: "By Ada Lovelace". */
function openedNames(lines: readonly string[], at: number): string[] {
  const line = lines[at] ?? ''
  if (within.test(line) || reporter.test(line)) return namesIn(line, isShownName)
  if (!opening.test(line) && !glued.test(line)) return []
  const isBare = stripped(line) === ''
  const next = lines[at + 1] ?? ''
  if (isBare) return isUserName(next) ? [next] : namesIn(next, isLabelledName)
  const user = ofUser.test(line) ? stripped(line) : ''
  return isUserName(user) ? [user] : namesIn(line, isShownName)
}

/** Returns the names in a line below the text: "Article written by:", "Ada Lovelace". */
function closingNames([line = '', next = '']: readonly string[]): string[] {
  const rest = line.replace(closing, '').replace(/^[\s:：]+/u, '')
  return namesIn(rest === '' ? next : rest, isShownName)
}

/** Returns a name that is alone in one of the first lines under the title, next to a date or a role. */
function nameUnder({ lines, under, apart }: BylineTexts): string[] | undefined {
  for (let at = under; at < under + linesUnder; at++) {
    const line = lines[at] ?? ''
    if (line.length >= 80 || isLabel.test(line) || isSentence(line)) continue
    const before = apart.has(at) ? '' : (lines[at - 1] ?? '')
    const after = apart.has(at + 1) ? '' : (lines[at + 1] ?? '')
    if (![line, after, before].some(isDateLine) && !isRole(after)) continue
    const parts = line
      .split(/\s*[|•·–—]\s*/)
      .filter(part => findDate(part) === null && !readingTime.test(part))
    const names = namesIn(parts.length === 0 ? line : (parts[0] ?? ''), isShownName)
    if (names.length > 0 && names.every(name => name.includes(' '))) return names
  }
  return undefined
}

/** Matches a label with its value: "Visitors: 80". */
const isLabel = /[:：]\s*\S/

/** Matches a text like "Old Bridge, which fell in May.", which is longer than "Martin Luther King Jr." */
const isSentence = (line: string): boolean => /[.!?…。？！؟।]$/.test(line) && line.split(' ').length > 4

const isRole = (line: string): boolean => line.length < 60 && role.test(line) && !/\d/.test(line)

const linesUnder = 6

const isDateLine = (line: string): boolean =>
  line.length < 60 &&
  (findDate(line) !== null || /\bmin(?:ute)?s?\.? read\b|^(?:posted|published) on\b.*\d/i.test(line))

const readingTime = /^\d+\s?min(?:ute)?(?:s|n)?\b/i

/** Returns the text after "Written by" in Twitter cards. */
function twitterLabel({ metas }: HeadFacts): string[] {
  for (const at of [1, 2]) {
    const label = metas.get(`twitter:label${at}`) ?? ''
    if (/written|author|verfasst|geschrieben|écrit|escrito|scritto|by/i.test(label))
      return [metas.get(`twitter:data${at}`) ?? '']
  }
  return []
}
