/** JSON Schemas of clients: the bounds before they are compiled, and the check of values. */
import { test } from 'tap'
import { bounds, boundsFault, type JsonObject, resolvePointer } from './bounds.ts'
import { listSelectorFault } from './list-selectors.ts'
import { metaFault, validatorOf } from './validator.ts'

const rules = {
  patterns: (patterns: readonly string[]) => {
    const at = patterns.findIndex(pattern => pattern.includes('(?='))
    return at === -1 ? null : { at, because: 'a lookaround' }
  },
  selector: (selector: string) => (selector.includes('[') ? 'it is not closed' : null),
}
const faultOf = (schema: JsonObject) => boundsFault(schema, rules) ?? metaFault(schema)
const withPrice = (price: unknown, more: object = {}): JsonObject => ({
  type: 'object',
  properties: { price },
  ...more,
})

/** Each definition refers twice to the next one. */
const doubling = (definitions: number, last: object = {}): JsonObject => ({
  $defs: Object.fromEntries(
    Array.from({ length: definitions + 1 }, (_, n) => {
      const next = { $ref: `#/$defs/d${n + 1}` }
      return [`d${n}`, n === definitions ? last : { allOf: [next, next] }]
    }),
  ),
})

function nested(depth: number): JsonObject {
  let inner: JsonObject = { type: 'string' }
  for (let left = depth; left > 0; left--) inner = { type: 'object', properties: { a: inner } }
  return inner
}

const tooManyCharacters = /more than 8000 characters of selectors and patterns/

test('A schema of a client', async t => {
  t.equal(
    faultOf(withPrice({ $ref: '#/$defs/p' }, { $defs: { p: { type: 'number' } } })),
    null,
    'may refer to itself',
  )
  t.equal(faultOf(withPrice({ $ref: '#' })), null, 'may contain itself')
  t.equal(faultOf(withPrice(true)), null, 'may allow anything')
  t.equal(faultOf(withPrice({ pattern: '^[0-9]+$', 'x-selector': '.price' })), null)
  t.equal(
    faultOf({ type: 'object', properties: { $ref: { type: 'string' }, pattern: {} } }),
    null,
    'may name keywords',
  )
  const keywords = { id: 'x', $ref: '#/none', pattern: '(?=a)', 'x-selector': 'a[' }
  t.equal(
    faultOf(withPrice({ examples: [keywords], default: keywords, const: keywords, enum: [keywords] })),
    null,
    'may have values with members that are named as keywords',
  )
  const fields = Array.from({ length: 100 }, (_, n) => [
    `p${n}`,
    { 'x-selector': `#product .row-${n} > .value` },
  ])
  t.equal(faultOf(withPrice({ properties: Object.fromEntries(fields) })), null, 'may have many selectors')
  t.equal(faultOf(withPrice({ $ref: '#/$defs/d0' }, doubling(7))), null, 'may refer to many schemas')
  t.equal(faultOf({ type: 'object', properties: { default: { $ref: '#/properties/enum' }, enum: {} } }), null)
  const faults: [schema: JsonObject, path: string, because: RegExp][] = [
    [{}, 'properties', /at least one/],
    [{ type: 'object', properties: {} }, 'properties', /at least one/],
    [withPrice({ $ref: 'https://example.com/schema' }), 'properties.price.$ref', /Nothing is fetched/],
    [withPrice({ $ref: 'file:///etc/passwd' }), 'properties.price.$ref', /Nothing is fetched/],
    [withPrice({ $ref: '#/$defs/none' }), 'properties.price.$ref', /place in this schema/],
    [withPrice({ $ref: '#/%E0%A4%A' }), 'properties.price.$ref', /place in this schema/],
    [withPrice({ $ref: '#/constructor' }), 'properties.price.$ref', /place in this schema/],
    [withPrice({ $dynamicRef: '#x' }), 'properties.price.$dynamicRef', /not supported/],
    [withPrice({}, { $id: 'https://example.com/' }), '$id', /not supported/],
    [withPrice({}, { $async: true }), '$async', /not supported/],
    [withPrice({}, { $schema: 'http://json-schema.org/draft-07/schema#' }), '$schema', /2020-12/],
    [withPrice({ pattern: 'a(?=b)' }), 'properties.price.pattern', /RE2 syntax: a lookaround/],
    [withPrice({ patternProperties: { 'a(?=b)': {} } }), 'properties.price.pattern', /lookaround/],
    [withPrice({ 'x-selector': 'a[' }), 'properties.price.x-selector', /CSS selector/],
    [withPrice({ 'x-selector': { selector: 'a[' } }), 'properties.price.x-selector', /CSS selector/],
    [withPrice({ type: 'money' }), 'properties.price.type', /must be/],
    [withPrice({ type: Array.from({ length: 12_000 }, () => 1) }), 'properties.price.type', /must be/],
    [withPrice({ enum: [] }), 'properties.price.enum', /at least one/],
    [withPrice({ nullable: true }), 'properties.price.nullable', /not supported/],
    [withPrice({ required: 'name' }), 'properties.price.required', /must be array/],
    [withPrice({ enum: Array.from({ length: 2 }, () => 'x'.repeat(20_000)) }), '', /characters long/],
    [withPrice({ const: JSON.parse('['.repeat(50_000) + ']'.repeat(50_000)) }), '', /levels deep/],
    [nested(20), 'properties.a.properties.a', /levels deep/],
    [withPrice({ anyOf: Array.from({ length: bounds.nodes }, () => ({})) }), '', /parts/],
    [
      withPrice({ anyOf: Array.from({ length: 51 }, () => ({ $ref: '#' })) }),
      'properties.price.anyOf.50',
      /references/,
    ],
    [withPrice({ anyOf: Array.from({ length: 21 }, () => ({ pattern: 'a' })) }), '', /patterns/],
    [
      withPrice({ anyOf: Array.from({ length: 21 }, () => ({ 'x-selector': `.${'a'.repeat(399)}` })) }),
      '',
      tooManyCharacters,
    ],
    [
      withPrice({ 'x-selector': { selector: 'a'.repeat(4_001) }, pattern: 'a'.repeat(4_000) }),
      '',
      tooManyCharacters,
    ],
    [withPrice({ patternProperties: { ['a'.repeat(8_001)]: {} } }), '', tooManyCharacters],
    [withPrice({}, doubling(24, { minProperties: 9 })), '$defs.d', /more than 1000 schemas/],
    [withPrice({}, { allOf: [{ $ref: '#' }] }), '', /itself to the same value/],
    [withPrice({ not: { $ref: '#/properties/price' } }), 'properties.price', /itself to the same value/],
    [
      withPrice(
        { dependentSchemas: { a: { $ref: '#/$defs/p' } } },
        { $defs: { p: { if: { $ref: '#/properties/price' } } } },
      ),
      'properties.price',
      /itself/,
    ],
    [
      withPrice({ $ref: '#/examples/0' }, { examples: [{ pattern: 'a(?=b)' }] }),
      'properties.price.$ref',
      /place/,
    ],
    [withPrice({ default: { properties: { id: 'x' } }, id: 'x' }), 'properties.price.id', /not supported/],
    [
      withPrice({ properties: { const: { id: 'x' } } }),
      'properties.price.properties.const.id',
      /not supported/,
    ],
  ]
  for (const [schema, path, because] of faults) {
    const fault = faultOf(schema)
    t.match(fault, { because }, because.source)
    t.ok(fault?.path.startsWith(path), `${fault?.path} begins with ${path}`)
  }
  t.strictSame(resolvePointer({ $defs: { 'a/b~': { type: 'string' } } }, '#/$defs/a~1b~0'), {
    type: 'string',
  })
})

test('A selector within a list of objects is rejected with its place', async t => {
  const selected = { type: 'string', 'x-selector': { selector: '.p', attr: 'x' } }
  const entry = { type: ['object', 'null'], properties: { p: selected } }
  const named = { type: 'object', properties: { name: { type: 'string' } } }
  const $defs = { entry, named, wrapped: { allOf: [{ $ref: '#/$defs/named' }] }, own: { ...selected } }
  const list = (items: unknown, more: object = {}) => withPrice({ type: 'array', items, ...more }, { $defs })
  const css = { 'x-selector': 'li' }
  const cases: [schema: JsonObject, path: string | null][] = [
    [list({ type: 'string' }, css), null],
    [list({}, css), null],
    [list(named), null],
    [list({ anyOf: [{ type: 'string' }, named] }, css), null],
    [withPrice(entry), null],
    [withPrice({ $ref: '#/$defs/entry' }, { $defs }), null],
    [withPrice({ $ref: '#' }), null],
    [list(entry), 'properties.price.items.properties.p.x-selector'],
    [list({ $ref: '#/$defs/entry' }), '$defs.entry.properties.p.x-selector'],
    [list({ anyOf: [{ type: 'null' }, entry] }), 'properties.price.items.anyOf.1.properties.p.x-selector'],
    [list(selected), 'properties.price.items.x-selector'],
    [list({ type: 'array', items: entry }), 'properties.price.items.items.properties.p.x-selector'],
    [list({ $ref: '#' }, { title: 'x' }), null],
    [list(named, css), 'properties.price.x-selector'],
    [list({ properties: { a: {} } }, css), 'properties.price.x-selector'],
    [list({ $ref: '#/$defs/wrapped' }, css), 'properties.price.x-selector'],
    [withPrice({ allOf: [css, { items: named }] }), 'properties.price'],
    [
      withPrice({ items: { $ref: '#' } }, { type: 'object', allOf: [{ properties: { q: selected } }] }),
      'allOf.0.properties.q.x-selector',
    ],
  ]
  for (const [schema, path] of cases) {
    t.equal(faultOf(schema), null)
    t.equal(listSelectorFault(schema)?.path ?? null, path, JSON.stringify(schema.properties))
  }
  t.match(listSelectorFault(list(named, css))?.because, /list of objects/)
  t.match(listSelectorFault(list(entry))?.because, /entries of a list/)
})

test('Values', async t => {
  const check = validatorOf(withPrice({ type: 'number', minimum: 0 }, { required: ['price', 'name'] }))
  t.strictSame(check({ price: 1, name: 'x' }), [])
  t.match(check({ price: -1 }), [
    { path: '', message: /name/ },
    { path: '/price', message: /must be >= 0/ },
  ])
  const again = {
    type: 'object',
    properties: { next: { $ref: '#' }, id: { type: 'integer' } },
    required: ['id'],
  }
  t.match(validatorOf(again)({ id: 1, next: { id: 2, next: {} } }), [{ path: '/next/next' }], 'may nest')
  t.equal(
    validatorOf({ items: { type: 'string' } })(Array.from({ length: 99 }, () => 1)).length,
    50,
    'few errors',
  )
  const began = process.cpuUsage().user
  const slow = validatorOf({ type: 'string', pattern: '^(a+)+$' })
  t.equal(slow(`${'a'.repeat(5_000)}b`).length, 1)
  t.ok(process.cpuUsage().user - began < 5e6, 'a pattern takes linear time')
  t.strictSame(validatorOf({ type: 'string', format: 'date' })('x'), [], 'formats are annotations')
  t.ok(Object.keys({}).length === 0 && !('polluted' in {}), 'prototypes stay as they are')
  t.match(validatorOf({ type: 'object', required: ['__proto__'] })({}), [{ path: '' }])
  const many = Array.from({ length: 1_000 }, () => ({}))
  const wide = { items: { $ref: '#/$defs/d0' }, ...doubling(7, { minProperties: 1 }) }
  t.match(validatorOf(wide)(many), [{ path: '', message: /more than 10000 errors/ }], 'a product of both')
  t.equal(validatorOf({ items: { minProperties: 1 } })(many).length, 50)
  const endless = { properties: { a: {} }, allOf: [{ $ref: '#' }] }
  t.match(validatorOf(endless)({}), [{ path: '', message: /too deep/ }], 'no fault of the process')
  t.match(validatorOf({ enum: [] })(1), [{ path: '', message: /cannot be compiled/ }])
})
