/**
 * Valid values for a schema, and invalid ones. Addresses come from a fixed list, so that all connections stay on this
 * machine or fail.
 */

import type { Reference, Schema } from '@tidemark/gateway/openapi-answers.scene'
import { codePoint } from '@tidemark/testing/code-point'
import fc, { type Arbitrary } from 'fast-check'

export type Values = {
  /** Returns values that match the schema. The field's name decides whether a text is an address. */
  fitting: (schema: Schema, name: string) => Arbitrary<unknown>
}

/** Values by field name where random values would delay the test or hardly ever be valid. */
const brief: Record<string, Arbitrary<unknown>> = {
  wait_seconds: fc.integer({ min: 1, max: 2 }),
  delay_ms: fc.integer({ min: 0, max: 50 }),
  max_pages: fc.integer({ min: 1, max: 20 }),
  max_cost_usd: fc.constantFrom(0.01, 0.0123, 1),
  max_bytes: fc.constantFrom(1, 1_000, 100_000_000),
  proxy_country: fc.constantFrom('DE', 'us', 'XX'),
  query: fc.constantFrom('tides', 'high water'),
  wait_for: fc.constantFrom('load', 'domcontentloaded'),
  cron: fc.constantFrom('0 0 * * *', '*/5 1-3 1 jan mon'),
  schedule: fc.constantFrom('0 0 * * *', '59 23 31 12 *'),
  include_paths: fc.subarray(['^/a', 'b$', '(?:a|b)+']),
  exclude_paths: fc.subarray(['^/b', '[?]x=', 'never']),
  as_of: fc.constantFrom('2020-01-01T00:00:00Z', new Date().toISOString()),
  intent_id: fc.integer({ min: 1, max: 3 }),
  fields: fc.constantFrom('title', 'title,depth', 'content_hash,raw_hash'),
}

const maxDeep = 6

export function valuesFor({ resolved }: Pick<Reference, 'resolved'>, urls: readonly string[]): Values {
  const url = fc.constantFrom(...urls)
  return { fitting: (schema, name) => fitting(schema, name, 0) }

  function fitting(unresolved: Schema, name: string, depth: number): Arbitrary<unknown> {
    const schema = resolved(unresolved)
    const known = Object.hasOwn(brief, name) ? brief[name] : undefined
    if (known !== undefined) return known
    if (schema.const !== undefined) return fc.constant(schema.const)
    if (schema.enum !== undefined) return fc.constantFrom(...schema.enum)
    if (schema.anyOf !== undefined)
      return fc.oneof(...schema.anyOf.map(option => fitting(option, name, depth)))
    const types = [schema.type ?? (schema.properties ? 'object' : 'any')].flat()
    return fc.oneof(...types.map(type => ofType(type, schema, name, depth)))
  }

  function ofType(type: string, schema: Schema, name: string, depth: number): Arbitrary<unknown> {
    switch (type) {
      case 'string':
        return isAddress(name) ? url : textOf(schema)
      case 'integer':
        return integerOf(schema)
      case 'number':
        return fc.double({ noNaN: true, noDefaultInfinity: true, ...boundsOf(schema) })
      case 'boolean':
        return fc.boolean()
      case 'null':
        return fc.constant(null)
      case 'array':
        return fc.array(schema.items ? fitting(schema.items, name, depth + 1) : fc.jsonValue(), {
          minLength: schema.minItems ?? 0,
          maxLength: Math.min(schema.maxItems ?? 4, 4),
        })
      case 'object':
        return objectOf(schema, depth)
      default:
        return fc.jsonValue({ maxDepth: 2 })
    }
  }

  function objectOf(schema: Schema, depth: number): Arbitrary<object> {
    const { properties = {}, required = [], patternProperties = {}, additionalProperties } = schema
    const [[pattern, value] = []] = Object.entries(patternProperties)
    const anyValue = value ?? (typeof additionalProperties === 'object' ? additionalProperties : undefined)
    if (anyValue !== undefined && depth < maxDeep) {
      const names =
        pattern === undefined || pattern === '^.*$' ? headerName : fc.stringMatching(new RegExp(pattern))
      return fc.dictionary(names, fitting(anyValue, '', depth + 1), { maxKeys: 4, noNullPrototype: true })
    }
    const fields = Object.entries(properties).map(([name, field]) => {
      const value = fitting(field, name, depth + 1)
      return [name, required.includes(name) ? value : fc.oneof(leftOut, leftOut, leftOut, value)] as const
    })
    return fc.record(Object.fromEntries(fields)).map(all => JSON.parse(JSON.stringify(all)))
  }
}

/** Most fields are left out, so that combinations of compatible fields occur too. */
const leftOut = fc.constant(undefined)

const headerName = fc.stringMatching(/^[a-z][a-z-]{0,12}[a-z]$/)

/** `url`, `to_url`, `urls[]`: fields with addresses that the system may connect to. */
export const isAddress = (name: string): boolean => /(?:^|_)urls?$/.test(name)

function textOf({ pattern, format, minLength = 0, maxLength = 200 }: Schema): Arbitrary<string> {
  if (format === 'date')
    return fc.date({ noInvalidDate: true, min: new Date(0), max: new Date(4e12) }).map(dayOf)
  if (format === 'email') return fc.stringMatching(/^[a-z]{1,8}@[a-z]{1,8}\.invalid$/)
  if (pattern !== undefined)
    return fc.stringMatching(new RegExp(pattern.replace('\\p{Cc}', '\\x00-\\x1f'))).filter(fits)
  return fc.string({ minLength, maxLength: Math.min(maxLength, minLength + 200) })

  function fits(text: string): boolean {
    return text.length >= minLength && text.length <= maxLength
  }
}

const dayOf = (date: Date) => date.toISOString().slice(0, 10)

const integerOf = (schema: Schema) => {
  const { min = -1_000_000, max = 1_000_000_000 } = boundsOf(schema)
  return fc.oneof(fc.integer({ min, max: Math.min(max, 2 ** 31 - 1) }), fc.constantFrom(min, max))
}

const boundsOf = ({ minimum, maximum }: Schema) => ({
  ...(minimum !== undefined && { min: minimum }),
  ...(maximum !== undefined && { max: maximum }),
})

const prototypes = ['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', '']

/** Text that breaks parsers. None of it is an address. */
export const hostileText: Arbitrary<string> = fc.oneof(
  fc.string({ unit: codePoint, maxLength: 50 }),
  fc.constantFrom(...prototypes),
  fc.constantFrom(
    '\0',
    'a\0b',
    '\u{10ffff}',
    '\u202e',
    'é'.normalize('NFD'),
    '../../etc/passwd',
    "' or 1=1 --",
  ),
  fc.constantFrom('{{7*7}}', '$(id)', '%00', '%', '\r\nX-A: b', '<script>', 'NaN', '-0', '1e309'),
  fc.integer({ min: 1, max: 20_000 }).map(length => 'x'.repeat(length)),
)

const hostileNumber: Arbitrary<number> = fc.constantFrom(
  0,
  -1,
  1.5,
  -0,
  2 ** 31,
  -(2 ** 31) - 1,
  2 ** 53,
  -(2 ** 53),
  2 ** 63,
  1e300,
  Number.MAX_VALUE,
  Number.MIN_VALUE,
)

/** JSON values that often cause errors. */
export const hostileValue: Arbitrary<unknown> = fc.oneof(
  hostileText,
  hostileNumber,
  fc.constantFrom(null, true, false, [], {}, [[]], [null], [{}]),
  fc.dictionary(fc.oneof(hostileText, fc.constantFrom(...prototypes)), fc.jsonValue({ maxDepth: 2 }), {
    maxKeys: 4,
  }),
  fc.jsonValue({ maxDepth: 3 }),
  fc.constantFrom(0, 'x', null).map(item => Array.from({ length: 10_000 }, () => item)),
)
