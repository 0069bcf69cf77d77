/** Converts a value of a page to the type of a property; undefined: it has no such value. */

import type { ExtractedField } from '@tidemark/contracts/http/extraction'
import { lettersOf } from '@tidemark/html/tree/letters-of'
import { collapse } from '@tidemark/html/tree/raw-text'
import { isObject } from '@tidemark/schema/bounds'
import { lastPart } from './items.ts'
import type { SchemaNode } from './schema-node.ts'

export const maxValueLength = 10_000

export type Simple = string | number | boolean
export type Value = Simple | Value[]

export const lengthOf = (value: Value): number =>
  Array.isArray(value) ? value.reduce((sum: number, one) => sum + lengthOf(one), 0) : String(value).length

/** `base` resolves addresses. */
export type Origin = { base: string; from: ExtractedField['from'] }

export function convert(raw: unknown, node: SchemaNode, { base, from }: Origin): Simple | undefined {
  const value = simpleIn(raw, node.isAddress)
  if (value === undefined) return undefined
  switch (node.type) {
    case 'object':
    case 'array':
      return undefined
    case 'number':
      return numberIn(signed(value, from))
    case 'integer': {
      const number = numberIn(signed(value, from))
      return Number.isSafeInteger(number) ? number : undefined
    }
    case 'boolean':
      return booleanIn(value)
    case 'any':
      return typeof value === 'string' ? textIn(value, node, base) : value
    default:
      return textIn(String(value), node, base)
  }
}

/** Matches a negative number as accounts write it: in brackets, with its currency. */
const bracketed = /^\s*\(\s*((?:(?:\p{Sc}|\p{Lu}{3})\s?)?[.,]?\d[\d.,'’\s]*(?:\p{Sc}|\p{Lu}{3}|%)?)\s*\)\s*$/u

/** Matches a year, which tables write in brackets, too. */
const year = /^(?:1[5-9]|20)\d\d$/

/**
 * Returns a number in brackets as negative if it is in a table. Elsewhere such a number is often a count, such as
 * "(128)" beside the stars of a product.
 */
function signed(value: Simple, from: Origin['from']): Simple {
  const inner = from === 'table' ? bracketed.exec(String(value).slice(0, 100))?.[1] : undefined
  return inner === undefined || year.test(inner) ? value : `-${inner}`
}

/** Members of an item that stand for it as a text. */
const names = ['@value', 'value', 'name', 'headline', 'url', 'contentUrl', '@id']
const addresses = ['url', 'contentUrl', '@id', '@value', 'value']

/** Items nest, so a name may be an item itself. */
const maxDepth = 4

function simpleIn(raw: unknown, isAddress: boolean): Simple | undefined {
  let value = raw
  for (let left = maxDepth; left > 0; left--) {
    if (Array.isArray(value)) value = value.find(one => one !== null && one !== '')
    if (!isObject(value)) break
    const inner: Record<string, unknown> = value
    const name = (isAddress ? addresses : names).find(one => Object.hasOwn(inner, one))
    value = name === undefined ? undefined : inner[name]
  }
  const isSimple = typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
  return isSimple ? (value as Simple) : undefined
}

function textIn(value: string, { isAddress, values }: SchemaNode, base: string): string | undefined {
  const text = collapse(value.slice(0, 4 * maxValueLength))
    .slice(0, maxValueLength)
    .toWellFormed()
  if (text === '') return undefined
  if (isAddress) return URL.parse(text, base)?.href
  return choiceOf(text, values) ?? text
}

/** Matches an address, or a name with a prefix such as `schema:InStock`. */
const qualified = /^(?:[a-z][a-z\d+.-]*:|\/\/|schema\.org\/)\S+$/i
/** Matches separators of words, and the words. A hyphen at the end of a word is a sign, such as in the grade `A-`. */
const words = /(?<=[\p{L}\p{N}])[\s_-]+(?=[\p{L}\p{N}])|[\p{L}\p{N}\s]+/gu

const signsOf = (text: string): string => text.replace(words, '')

/**
 * Returns the value of an enum that a text states, which may follow a label. Case and the separators of words may
 * differ if no other value is as similar. Other signs distinguish values, such as `C++` and `C#`.
 */
function choiceOf(text: string, values: readonly string[]): string | undefined {
  if (values.length === 0 || values.includes(text)) return text
  const last = qualified.test(text) ? lastPart(text) : (text.split(': ').at(-1) ?? text)
  const only = (isSame: (one: string) => boolean): string | undefined => {
    const [first, second] = values.filter(isSame)
    return second === undefined ? first : undefined
  }
  for (const part of [text, last]) {
    const [lower, name, signs] = [part.toLowerCase(), lettersOf(part), signsOf(part)]
    const exact = values.includes(part) ? part : only(one => one.toLowerCase() === lower)
    const similar = exact ?? (name === '' ? undefined : only(one => lettersOf(one) === name))
    if (similar !== undefined && (similar === exact || signsOf(similar) === signs)) return similar
  }
  return undefined
}

/**
 * Matches a text up to the end of its first number: digits in groups of three, or of two before the last three, or
 * without groups, and decimals, which may stand alone. Dates, versions and the like have more separators, and do not
 * match.
 */
const figure =
  /^\D*?((?:(?<![\p{L}\d])[-−])?(?:(?:[1-9]\d{0,2}(?:[.,'’\u00a0\u2007\u2009\u202f ]\d{3})+(?!\d)|[1-9]\d?(?:,\d\d)+,\d{3}(?!\d)|\d+)(?:[.,]\d+)?|(?<![\p{L}\d.,])[.,]\d+))(?![.,]?\d)/u
/** Matches the digits before a comma with three digits after it if the comma divides groups. */
const beforeGroup = /^[1-9]\d{0,2}$/
/**
 * Matches a minus at the beginning. A space or a currency may stand between it and its number. An en dash counts too.
 */
const minus = /^\s*[-−–]\s?(?:(?:\p{Sc}|\p{Lu}{3})\s?)?[.,]?\d/u
/** Matches the beginning of an exponent, such as in `1e5`, and the whole of it. */
const exponentStart = /^e[-−+]?\d/i
const exponent = /^e([-−+]?\d{1,3})(?![\p{L}\d])/iu

/**
 * Returns the first number of a text. The last separator is a decimal separator if other than three digits follow it.
 */
export function numberIn(value: Simple): number | undefined {
  if (typeof value === 'number') return Number.isFinite(value) ? value : undefined
  if (typeof value === 'boolean') return undefined
  const text = value.slice(0, 1_000)
  const [all, found] = figure.exec(text) ?? []
  if (all === undefined || found === undefined) return undefined
  const plain = decimalOf(found.replace(/[-−'’\u00a0\u2007\u2009\u202f ]/g, ''))
  const rest = text.slice(all.length)
  if (plain === undefined) return undefined
  const power = exponentStart.test(rest) ? (exponent.exec(rest)?.[1]?.replace('−', '-') ?? 'none') : '0'
  const number = Number(`${plain}e${power}`)
  const isNegative = number !== 0 && (/^[-−]/.test(found) || minus.test(text))
  return Number.isFinite(number) ? (isNegative ? -number : number) : undefined
}

/** Returns a number without a sign and groups, and with a point before its decimals. */
function decimalOf(digits: string): string | undefined {
  const last = Math.max(digits.lastIndexOf('.'), digits.lastIndexOf(','))
  if (last === -1) return digits
  const separator = digits[last] ?? ''
  const isOnly = digits.indexOf(separator) === last
  const hasBoth = digits.includes('.') && digits.includes(',')
  const endsInThree = digits.length - last === 4
  if (!isOnly && (hasBoth || !endsInThree)) return undefined
  const whole = digits.slice(0, last).replace(/[.,]/g, '')
  const rest = digits.slice(last + 1)
  const isGroup = !hasBoth && endsInThree && (!isOnly || (separator === ',' && beforeGroup.test(whole)))
  return isGroup ? `${whole}${rest}` : `${whole}.${rest}`
}

const yes = new Set(['true', 'yes', '1', 'instock', 'onlineonly', 'limitedavailability'])
const no = new Set(['false', 'no', '0', 'outofstock', 'soldout', 'discontinued'])

function booleanIn(value: Simple): boolean | undefined {
  if (typeof value === 'boolean') return value
  const name = lettersOf(lastPart(String(value).slice(0, 100)))
  return yes.has(name) ? true : no.has(name) ? false : undefined
}
