/** Everything a page says in structured form, in the shape of the structured-data actor's answer. */
import type { JsonReason } from './lenient-json.ts'

export const syntaxes = ['json-ld', 'microdata', 'rdfa', 'opengraph', 'dublincore', 'microformat'] as const

export type Syntax = (typeof syntaxes)[number]

/** WHATWG HTML, 5.5.1 (the JSON form of microdata). */
export type MicrodataItem = {
  type?: string[]
  id?: string
  properties: Record<string, (string | MicrodataItem)[]>
}

/** A value of expanded JSON-LD. */
export type RdfaValue =
  | { '@value': string; '@language'?: string; '@type'?: string }
  | { '@list': RdfaValue[] }
  | RdfaNode

/**
 * A node of expanded JSON-LD: properties and types are full IRIs. A blank node stands where it is first referred
 * to, a named one stands by itself and is referred to by `@id`.
 */
export type RdfaNode = {
  '@id'?: string
  '@type'?: string[]
  [property: string]: RdfaValue[] | string[] | string | undefined
}

/** By full names such as `og:title`; a medium with more to say is an object of `og:image`, `og:image:width`, ... */
export type OpenGraph = Record<string, (string | Record<string, string>)[]>

/** By names such as `dc.title` and `dcterms.rightsHolder`. */
export type DublinCore = Record<string, string[]>

export type MicroformatValue =
  | string
  | { value: string; alt: string }
  | { value: string; html: string }
  | Microformat

/** microformats2 parsing, "parse a document for microformats". */
export type Microformat = {
  type: string[]
  id?: string
  properties: Record<string, MicroformatValue[]>
  children?: Microformat[]
  value?: string
  html?: string
}

export type StructuredData = {
  'json-ld': object[]
  microdata: MicrodataItem[]
  rdfa: RdfaNode[]
  opengraph: OpenGraph[]
  dublincore: DublinCore[]
  microformat: Microformat[]
}

export type StructuredError = {
  syntax: Syntax
  /** `too-much`: more than we keep. `cycle`, `too-deep`: an item within itself, or too far down. */
  reason: JsonReason | 'too-much' | 'cycle'
  /** Which block of JSON-LD, the first is 0; null in other syntaxes. */
  block: number | null
  /** UTF-16 units from the start of the block; null in other syntaxes. */
  position: number | null
}

export type Structured = {
  counts: Record<Syntax, number>
  data: StructuredData
  errors: StructuredError[]
}
