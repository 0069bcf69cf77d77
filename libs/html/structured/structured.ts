/** All structured data of a page, in the form of the structured-data actor's response. */
import type { JsonFaultReason } from './lenient-json.ts'

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
 * A node of expanded JSON-LD: properties and types are full IRIs. A blank node is inlined at its first reference. A
 * named one is at the top level and is referenced by `@id`.
 */
export type RdfaNode = {
  '@id'?: string
  '@type'?: string[]
  [property: string]: RdfaValue[] | string[] | string | undefined
}

/**
 * Values by full names such as `og:title`. A medium with details is an object of `og:image`, `og:image:width`, ...
 */
export type OpenGraph = Record<string, (string | Record<string, string>)[]>

/** Values by names such as `dc.title` and `dcterms.rightsHolder`. */
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
  /** `too-much`: above the limits. `cycle`, `too-deep`: an item within itself, or nested too deeply. */
  reason: JsonFaultReason | 'too-much' | 'cycle'
  /** Number of the JSON-LD block, from 0, or null in other syntaxes. */
  block: number | null
  /** UTF-16 units from the start of the block, or null in other syntaxes. */
  position: number | null
}

export type Structured = {
  counts: Record<Syntax, number>
  data: StructuredData
  errors: StructuredError[]
}
