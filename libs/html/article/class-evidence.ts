/**
 * Finds evidence in the names of a class or id attribute that an element is boilerplate or main text. Each distinct
 * value is read once per page.
 */
import { type BoilerplateKind, boilerplateWords, contentWords } from './boilerplate-words.ts'

export type Evidence = {
  /** The kind of boilerplate that the names indicate. */
  kind: BoilerplateKind | null
  /** The words with the evidence. */
  because: string
  /** Whether the names indicate the main text. */
  content: boolean
}

const kinds = Object.keys(boilerplateWords) as BoilerplateKind[]
const rankOf = new Map<string, number>()
for (const [rank, kind] of kinds.entries()) {
  for (const phrase of boilerplateWords[kind].split('|')) if (!rankOf.has(phrase)) rankOf.set(phrase, rank)
}
const content = new Set(contentWords.split('|'))

const nothing: Evidence = { kind: null, because: '', content: false }
const maxNames = 12
const maxValueLength = 600
/** Maximum length of a name. Longer names are generated from the text of their element. */
const maxNameLength = 40
const maxPhraseLength = 3

export class ClassEvidence {
  readonly #known = new Map<string, Evidence>()

  /** Returns the kind of the first name that indicates boilerplate, and whether any name indicates the main text. */
  of(names: string | undefined): Evidence {
    if (names === undefined || names === '') return nothing
    let evidence = this.#known.get(names)
    if (evidence === undefined) {
      evidence = read(names)
      this.#known.set(names, evidence)
    }
    return evidence
  }
}

function read(names: string): Evidence {
  const found: Evidence = { kind: null, because: '', content: false }
  for (const name of names.slice(0, maxValueLength).trim().split(/\s+/).slice(0, maxNames)) {
    if (name.length <= maxNameLength) weigh(name, found)
  }
  return found.kind === null && !found.content ? nothing : found
}

function weigh(name: string, found: Evidence): void {
  const isDecided = found.kind !== null || isLook(name)
  let best = kinds.length
  for (const phrase of phrasesOf(name)) {
    if (content.has(phrase)) found.content = true
    const rank = rankOf.get(phrase) ?? kinds.length
    if (isDecided || rank >= best) continue
    best = rank
    found.because = phrase
  }
  if (best < kinds.length) found.kind = kinds[best] ?? null
}

function* phrasesOf(name: string): Generator<string> {
  const spaced = name
    .replace(hashed, '')
    .replace(listPrefix, '')
    .replace(/([a-z\d])([A-Z])/g, '$1 $2')
  const words = spaced.toLowerCase().match(/[a-z\d]+/g) ?? []
  for (let at = 0; at < words.length; at++) {
    let phrase = ''
    for (const word of words.slice(at, at + maxPhraseLength)) {
      phrase = phrase === '' ? word : `${phrase} ${word}`
      yield phrase
    }
  }
}

/**
 * Returns whether a name describes the look of an element (variants and states: `md:sticky`, `has-sidebar`,
 * `bg-secondary`) or its subject (`tag-news`).
 */
const isLook = (name: string): boolean => look.test(name) || utility.test(name)

const look =
  /[:[]|(?:^|[-_])has-|^(?:no|non|is|with|without|js|tag|category|cat|post-\d|lang|language)-|^ltx_lst_language_|^(?:sticky|fixed)$/

/** Utilities and components of Bootstrap, parts of accordions, also of Webflow, and notes of Starlight. */
const utility =
  /^(?:bg|border|alert|btn|link|table|badge|list-group-item)-(?:[a-z]+-)*(?:secondary|tertiary)(?:-|$)|^(?:d|hidden|visible)-print|^starlight-aside|side-by-side|-img-overlay$|(?:accordion[\w-]*|^w-)dropdown/

/** The prefix that Drupal gives the parts of a list. */
const listPrefix = /^views-(?=row|field|element|label|table|col|group|view)/

/** Suffixes of build tools that make a name unique. */
const hashed =
  /_{1,2}(?=[\w-]*\d)(?=[\w-]*[A-Za-z])[\w-]{5,8}$|(?<=[a-zA-Z\d]_[\w-]+)__(?=[a-z_-]*[A-Z_-])[\w-]{5}$|^(?:css|sc|jsx|svelte)-[\w-]{4,12}$/
