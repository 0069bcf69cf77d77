/** Collects a page's statements outside of its text: meta elements, links, title, JSON-LD. One walk. */
import type { Document, Element } from 'domhandler'
import { isJsonLdType, nodesOf, readJsonLd } from '../../structured/json-ld.ts'
import { rawTextOf } from '../../tree/raw-text.ts'
import { walk } from '../../tree/walk.ts'
import { collapsed } from '../collapsed.ts'

export type HeadFacts = {
  /** The first value of each name, property or itemprop, in lower case. */
  metas: Map<string, string>
  /** All values of names that may be repeated. */
  repeated: Map<string, string[]>
  title: string
  lang: string | null
  canonical: string | null
  /** All objects of the page's JSON-LD, also nested ones. */
  described: Record<string, unknown>[]
}

const maxValues = 20
const maxValueLength = 2000
const maxJsonLength = 2 ** 20

/**
 * Returns the statements of a page.
 * @param structured The objects of the page's JSON-LD, if they have been read already.
 */
export function headFacts(document: Document, structured?: readonly object[]): HeadFacts {
  const facts: HeadFacts = {
    metas: new Map(),
    repeated: new Map(),
    title: '',
    lang: null,
    canonical: null,
    described: [],
  }
  const items: object[] = [...(structured ?? [])]
  let left = maxJsonLength
  walk(document, {
    enter: element => {
      if (element.name === 'script' && structured === undefined && isJsonLdType(element.attribs.type)) {
        const text = rawTextOf(element)
        left -= text.length
        if (left > 0) for (const item of readJsonLd(text)) items.push(item)
      }
      readers.get(element.name)?.(facts, element)
      return !closed.has(element.name)
    },
  })
  facts.described = [...nodesOf(items)]
  return facts
}

const closed = new Set(['script', 'style', 'template', 'svg', 'title'])

/** Collapses white space of all kinds, because the patterns of titles and names are slow in long runs of it. */
const oneLine = (text: string): string => collapsed(text).trim()

type Reader = (facts: HeadFacts, element: Element) => void

const readers: ReadonlyMap<string, Reader> = new Map(
  Object.entries<Reader>({
    html: (facts, { attribs }) => {
      facts.lang ??= attribs.lang?.trim() || attribs['xml:lang']?.trim() || null
    },
    title: (facts, element) => {
      if (facts.title === '' && element.namespace === undefined) facts.title = oneLine(rawTextOf(element))
    },
    link: (facts, { attribs }) => {
      if (/(?:^|\s)canonical(?:\s|$)/i.test(attribs.rel ?? '')) facts.canonical ??= attribs.href ?? null
    },
    meta: addMeta,
  }),
)

function addMeta({ metas, repeated }: HeadFacts, { attribs }: Element): void {
  const raw = attribs.content?.slice(0, maxValueLength).trim() ?? ''
  const line = oneLine(raw)
  if (line === '') return
  for (const named of [attribs.property, attribs.name, attribs.itemprop, attribs['http-equiv']]) {
    const name = named?.trim().toLowerCase()
    if (name === undefined || name === '') continue
    // Names of files may contain other white space: macOS writes U+202F into those of screenshots.
    const content = /^(?:og|twitter):image/.test(name) ? raw : line
    if (!metas.has(name)) metas.set(name, content)
    const values = repeated.get(name) ?? []
    if (values.length < maxValues) values.push(content)
    repeated.set(name, values)
  }
}
