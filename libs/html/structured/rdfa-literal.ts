/** Reads the literal of an element with `property`: RDFa Core 1.1, 7.5, step 11, and HTML+RDFa 1.1, 3.1. */
import type { Element } from 'domhandler'
import type { Literal } from './rdfa-graph.ts'
import { type Names, nameOf } from './rdfa-names.ts'

const xsd = 'http://www.w3.org/2001/XMLSchema#'
const rdf = 'http://www.w3.org/1999/02/22-rdf-syntax-ns#'
const markupTypes = new Set([`${rdf}XMLLiteral`, `${rdf}HTML`])

/** The content of the element, which is read only if its attributes have no value. */
export type Content = { text: () => string; markup: () => string }

/**
 * Returns the literal: the value of an attribute, or the text or markup of the element, with its type or language.
 * @param language Language of the element, or the empty string if unknown.
 */
export function literalOf(element: Element, content: Content, names: Names, language: string): Literal {
  const { attribs } = element
  const stated = attribs.datatype?.trim() ?? ''
  const datatype = stated === '' ? null : nameOf(stated, names)
  if (datatype !== null && markupTypes.has(datatype)) return { '@value': content.markup(), '@type': datatype }
  const moment = attribs.content === undefined ? momentOf(element, content) : null
  const value = attribs.content ?? moment ?? content.text()
  const type = attribs.datatype === undefined && moment !== null ? momentType(moment) : datatype
  if (type !== null) return { '@value': value, '@type': type }
  return language === '' ? { '@value': value } : { '@value': value, '@language': language }
}

/** Returns whether the element has a literal, regardless of its addresses. */
export const statesLiteral = ({ attribs }: Element): boolean =>
  attribs.content !== undefined || attribs.datatype !== undefined || attribs.datetime !== undefined

function momentOf({ name, attribs }: Element, content: Content): string | null {
  const value = attribs.datetime ?? (name === 'data' ? attribs.value : undefined)
  return value ?? (name === 'time' ? content.text() : null)
}

const zone = '(?:Z|[+-]\\d\\d:\\d\\d)?'
const date = '-?\\d{4,9}-\\d\\d-\\d\\d'
const time = '\\d\\d:\\d\\d:\\d\\d(?:\\.\\d{1,9})?'

const momentTypes: readonly (readonly [RegExp, string])[] = [
  [new RegExp(`^${date}T${time}${zone}$`), 'dateTime'],
  [new RegExp(`^${date}${zone}$`), 'date'],
  [new RegExp(`^${time}${zone}$`), 'time'],
  [/^-?P(?=\d|T\d)(?:\d+Y)?(?:\d+M)?(?:\d+D)?(?:T(?=\d)(?:\d+H)?(?:\d+M)?(?:\d+(?:\.\d+)?S)?)?$/, 'duration'],
  [/^-?\d{4,9}-\d\d$/, 'gYearMonth'],
  [/^-?\d{4,9}$/, 'gYear'],
]

function momentType(value: string): string | null {
  const type = momentTypes.find(([form]) => form.test(value))?.[1]
  return type === undefined ? null : xsd + type
}
