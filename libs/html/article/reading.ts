/** Facts about each element of a page, collected before its main text is chosen. */

import type { Element } from 'domhandler'
import { lettersOf } from '../tree/letters-of.ts'
import { textOf } from '../tree/text-of.ts'
import { BlockSum } from './block-sum.ts'
import type { BoilerplateKind } from './boilerplate-words.ts'
import { maxShare } from './boilerplate-words.ts'
import { ClassEvidence, type Evidence } from './class-evidence.ts'
import {
  headings,
  isMainElement,
  kindOfProperty,
  kindOfRole,
  kindOfTag,
  nameless,
  noteClass,
} from './element-kinds.ts'
import { isTarget } from './manual.ts'
import type { Block, Outline } from './outline.ts'
import type { PageKind } from './page-kind.ts'
import { consentTexts } from './pruning/consent.ts'
import { emailBoxes } from './pruning/email-boxes.ts'
import { excuseByContent, excuseCaptions } from './pruning/excused.ts'
import { formsAroundText } from './pruning/forms.ts'
import { isLightboxImage } from './pruning/lightbox.ts'
import { teaserGroups } from './teasers.ts'

export type Reading = {
  page: Outline
  pageKind: PageKind
  /** Whether the page is of a manual, whose sections, lists and tables all count. */
  isManual: boolean
  /** Kind of boilerplate that each element indicates, or null. */
  kinds: (BoilerplateKind | null)[]
  /** Whether each element is marked as the main text. */
  content: boolean[]
  /** Whole sentences outside of links. */
  prose: BlockSum
}

/**
 * Collects the facts of a page.
 * @param url Address of the page, which identifies external links.
 */
export function read(page: Outline, pageKind: PageKind, url: string, isManual: boolean): Reading {
  const prose = new BlockSum(page, proseOf)
  const { kinds, reasons, content } = namedKinds(page, isManual)
  const reading: Reading = { page, pageKind, isManual, kinds, content, prose }
  excuseByContent(page, kinds, prose)
  markNotices(reading)
  excuse(reading)
  forgetCommonNames(reading, reasons)
  excuseCaptions(page, kinds, prose)
  for (const text of consentTexts(page)) kinds[text] ??= 'consent'
  if (!isManual) for (const box of emailBoxes(page)) kinds[box] ??= 'newsletter'
  if (pageKind === 'article' && !isManual) markTeasers(reading, teaserGroups(page, url))
  return reading
}

/**
 * Returns the size of a block of prose, else 0. Prose is a verse or has at least one sentence, and most of it is not in
 * links.
 */
export const proseOf = ({ marks, words, linked, size, isVerse }: Block): number =>
  (isVerse || (marks > 0 && words >= 8)) && linked < size * 0.5 ? size - linked : 0

/** Returns whether an element is boilerplate, in a text with this amount of prose. */
export function isBoilerplate({ kinds, prose, isManual }: Reading, element: number, whole: number): boolean {
  const kind = kinds[element] ?? null
  if (isManual && kind === 'footer') return true
  return kind !== null && prose.of(element) <= maxShare[kind] * whole
}

type Named = { kinds: (BoilerplateKind | null)[]; reasons: string[]; content: boolean[] }

function namedKinds(page: Outline, isManual: boolean): Named {
  const named: Named = { kinds: [], reasons: [], content: [] }
  const evidence = new ClassEvidence()
  const forms = formsAroundText(page.elements)
  for (const [at, element] of page.elements.entries()) {
    const { name, attribs } = element
    const byClass = classEvidence(evidence, page, at)
    const isOnlyTarget = headings.has(name) || (isManual && attribs.id !== undefined && isTarget(page, at))
    const byId = evidence.of(isOnlyTarget ? undefined : attribs.id)
    const { role, itemprop: property } = attribs
    const isNote = name === 'aside' && noteClass.test(attribs.class ?? '')
    const isOnlyAround = forms.has(element)
    const stated =
      (isNote || isOnlyAround ? undefined : kindOfTag.get(name)) ??
      (role === undefined ? undefined : kindOfRole.get(role)) ??
      (property === undefined ? undefined : kindOfProperty.get(property))
    const ofClass = isNote && byClass.because === name ? null : byClass.kind // it only repeats the tag
    named.kinds.push(nameless.has(name) || name === 'button' ? null : (stated ?? ofClass ?? byId.kind))
    named.reasons.push(stated !== undefined ? '' : byClass.kind !== null ? byClass.because : byId.because)
    named.content.push(byClass.content || byId.content || property === 'articleBody' || property === 'text')
  }
  return named
}

/** Returns the evidence in the class of an element, without kinds that the element cannot have. */
function classEvidence(evidence: ClassEvidence, page: Outline, at: number): Evidence {
  const { name = '', attribs } = page.elements[at] ?? {}
  const found = evidence.of(isWholeHeading(page, at) ? undefined : attribs?.class)
  const isExcluded =
    (found.kind === 'overlay' && isLightboxImage(page, at)) ||
    (found.because === 'paywall' && found.content && paidText.test(attribs?.class ?? '')) ||
    (found.kind !== null && headings.has(name) && kindsOfContainers.has(found.kind))
  return isExcluded ? { ...found, kind: null } : found
}

/** The class that Google's documentation gives paid text in its examples. Other names with this word are of offers. */
const paidText = /(?:^|\s)paywall(?:\s|$)/

/**
 * Kinds that only containers have. In the class of a heading, their words describe its surroundings. Docusaurus marks
 * headings that scroll below a bar with the class `anchorWithStickyNavbar`.
 */
const kindsOfContainers: ReadonlySet<BoilerplateKind> = new Set([
  'navigation',
  'sidebar',
  'overlay',
  'footer',
])

/**
 * Returns whether a link has all words of its heading. Docutils links headings back to the contents with the class
 * `toc-backref`.
 */
function isWholeHeading({ elements, parents, blocks, firstBlock }: Outline, at: number): boolean {
  const element = elements[at]
  if (element?.name !== 'a' || !headings.has(elements[parents[at] ?? -1]?.name ?? '')) return false
  const letters = lettersOf(textOf(element))
  return letters !== '' && letters === lettersOf(blocks[firstBlock[at] ?? 0]?.text ?? '')
}

/** Within the content, policies and terms may be its text. Before and around it they are notices of the site. */
function markNotices({ page: { elements, ends }, kinds }: Reading): void {
  if (!kinds.includes('policy')) return
  const positionsOf = (isPart: (element: Element) => boolean) =>
    elements.flatMap((element, at) => (isPart(element) ? [at] : []))
  const title = elements.findIndex(({ name }) => name === 'h1')
  const mains = positionsOf(isMainElement)
  const [from, other] = mains.length > 0 ? mains : positionsOf(({ name }) => name === 'article')
  const isOnly = from !== undefined && other === undefined
  for (const [at, kind] of kinds.entries()) {
    if (kind !== 'policy') continue
    const isAround = isOnly && (at < from || at >= (ends[from] ?? 0))
    if (isAround || (ends[at] ?? 0) <= title) kinds[at] = 'consent'
  }
}

/** Removes the marks of text that is boilerplate only in articles: comments in a forum, teasers in a listing. */
function excuse({ page: { elements }, pageKind, kinds }: Reading): void {
  if (pageKind === 'article') return
  const answers = elements.some(({ attribs }) => answerProperty.test(attribs.itemprop ?? ''))
  for (const [at, kind] of kinds.entries()) {
    const isText =
      pageKind === 'listing'
        ? kind === 'related' || kind === 'promotion'
        : (kind === 'comments' && !answers) || (kind === 'sidebar' && elements[at]?.name === 'aside')
    if (isText) kinds[at] = null
  }
}

/** If answers are marked, comments are remarks on them. */
const answerProperty = /^(?:accepted|suggested)Answer$/

/** Removes marks by names that cover much of the page's text, because they describe its layout. */
function forgetCommonNames(
  { page: { ends }, kinds, prose, isManual }: Reading,
  reasons: readonly string[],
): void {
  const named = new Map<string, { sum: number; until: number }>()
  for (const [at, reason] of reasons.entries()) {
    if (reason === '' || kinds[at] === null) continue
    const known = named.get(reason) ?? { sum: 0, until: 0 }
    named.set(reason, known)
    if (at < known.until) continue
    known.sum += prose.of(at)
    known.until = ends[at] ?? 0
  }
  for (const [at, reason] of reasons.entries()) {
    const kind = kinds[at] ?? null
    const sum = named.get(reason)?.sum ?? 0
    if (isManual && kind === 'footer') continue // an index has less prose than its footer
    if (kind !== null && isTooMuch(kind, sum, prose.whole)) kinds[at] = null
  }
}

const isTooMuch = (kind: BoilerplateKind, sum: number, whole: number): boolean =>
  kind === 'comments' ? whole - sum < minArticle && sum > whole / 2 : sum > maxShare[kind] * whole

/** Comments may be longer than the article, but at least this amount of other text must remain. */
const minArticle = 400

function markTeasers({ page, kinds }: Reading, groups: readonly number[]): void {
  for (const group of groups) if (!nameless.has(page.elements[group]?.name ?? '')) kinds[group] = 'teasers'
}
