/**
 * Dublin Core in HTML (DCMI, "Expressing Dublin Core metadata using HTML/XHTML meta and link elements"): names such
 * as `DC.title`, whose prefix is declared by `<link rel="schema.DC">` or is one of the usual two.
 */
import type { Element } from 'domhandler'
import { wordsAsWritten } from '../tree/attribute.ts'
import { addValue, emptyRecord, type Limits } from './limits.ts'
import type { DublinCore } from './structured.ts'

/** The fifteen elements of version 1.1. */
const elementNames =
  'contributor coverage creator date description format identifier language publisher relation rights source ' +
  'subject title type'

/** The other properties of /terms/, as DCMI spells them. */
const termNames =
  'abstract accessRights accrualMethod accrualPeriodicity accrualPolicy alternative audience available ' +
  'bibliographicCitation conformsTo created dateAccepted dateCopyrighted dateSubmitted educationLevel extent ' +
  'hasFormat hasPart hasVersion instructionalMethod isFormatOf isPartOf isReferencedBy isReplacedBy isRequiredBy ' +
  'isVersionOf issued license mediator medium modified provenance references replaces requires rightsHolder ' +
  'spatial tableOfContents temporal valid'

const spellings: ReadonlyMap<string, string> = new Map(
  `${elementNames} ${termNames}`.split(' ').map(name => [name.toLowerCase(), name]),
)

const namespaces: ReadonlyMap<string, string> = new Map([
  ['purl.org/dc/elements/1.1', 'dc'],
  ['purl.org/dc/elements/1.0', 'dc'],
  ['purl.org/dc/terms', 'dcterms'],
])

/** Returns one object for the page, or an empty list without Dublin Core. */
export function readDublinCore(
  elements: readonly Element[],
  resolve: (address: string) => string,
  limits: Limits,
): DublinCore[] {
  const prefixes = prefixesOf(elements)
  const found: DublinCore = emptyRecord()
  for (const { name, attribs } of elements) {
    if (name !== 'meta' && name !== 'link') continue
    const address = attribs.href
    const value = name === 'meta' ? attribs.content : address === undefined ? undefined : resolve(address)
    if (value === undefined || value.trim() === '') continue
    for (const word of wordsAsWritten(name === 'meta' ? (attribs.name ?? attribs.property) : attribs.rel)) {
      const property = propertyOf(word, prefixes)
      if (property === null) continue
      const key = limits.text(property)
      const kept = key === null ? null : limits.text(value.trim())
      if (key !== null && kept !== null) addValue(found, key, kept)
    }
  }
  return Object.keys(found).length === 0 ? [] : [found]
}

/** Returns `dc` and `dcterms` by the prefixes of the page, in lower case. */
function prefixesOf(elements: readonly Element[]): Map<string, string> {
  const prefixes = new Map([
    ['dc', 'dc'],
    ['dcterms', 'dcterms'],
  ])
  for (const { name, attribs } of elements) {
    const namespace = name === 'link' ? namespaceOf(attribs.href ?? '') : undefined
    if (namespace === undefined) continue
    for (const word of wordsAsWritten(attribs.rel)) {
      if (/^schema\../i.test(word)) prefixes.set(word.slice(7).toLowerCase(), namespace)
    }
  }
  return prefixes
}

const namespaceOf = (address: string): string | undefined =>
  namespaces.get(
    address
      .trim()
      .replace(/^https?:\/\//i, '')
      .replace(/[/#]$/, ''),
  )

/** Returns the property: `DC.Title` is `dc.title`. A refinement (`DC.date.created`) keeps its parts. */
function propertyOf(word: string, prefixes: ReadonlyMap<string, string>): string | null {
  const end = word.search(/[.:]/)
  const prefix = end === -1 ? undefined : prefixes.get(word.slice(0, end).toLowerCase())
  const name = word.slice(end + 1)
  if (prefix === undefined || name === '' || name.startsWith('//')) return null
  return `${prefix}.${name
    .split('.')
    .map(part => spellings.get(part.toLowerCase()) ?? part)
    .join('.')}`
}
