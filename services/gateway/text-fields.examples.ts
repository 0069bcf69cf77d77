/**
 * Generates requests from the API's own description: for each field that accepts text, a request with a text in it. The
 * rest of the request is valid.
 */
import { isObject } from '@tidemark/schema/bounds'
import { seed } from './gateway.scene.ts'
import type { Document, Media, Schema } from './openapi-answers.scene.ts'

/** A request with the text in `field`, named as the API names it. */
export type TextRequest = { method: string; path: string; field: string; body?: object }

/** Values of required fields. */
const samples: Record<string, unknown> = { url: seed, urls: [seed] }
/** Values of required fields within other objects. */
const innerSamples: Record<string, unknown> = {
  steps: [{ type: 'wait_for', selector: 'p' }],
  logged_out: { status: 401 },
}

export function textRequests(document: Document, text: string): TextRequest[] {
  return Object.entries(document.paths).flatMap(([template, operations]) => {
    const path = template.replace(/\{\w+\}/g, '1')
    return Object.entries(operations).flatMap(([name, { parameters = [], requestBody }]) => {
      const method = name.toUpperCase()
      const bodies = bodiesOf(document, requestBody?.content['application/json'], text)
      const queries = parameters.filter(({ in: location, schema }) => location === 'query' && isText(schema))
      return [
        ...bodies.map(({ field, body }) => ({ method, path, field, body })),
        ...queries.map(({ name: field }) => {
          const isSigned = parameters.some(({ name }) => name === 'expires')
          const query = new URLSearchParams({ url: seed, ...(isSigned && { expires: '1' }), [field]: text })
          return { method, path: `${path}?${query}`, field }
        }),
      ]
    })
  })
}

function bodiesOf(document: Document, media: Media | undefined, text: string) {
  if (media === undefined) return []
  const { schema = {}, example } = media
  const valid = isObject(example) ? example : {}
  const { properties = {}, required = [] } = resolved(document, schema)
  const whole = Object.fromEntries(required.map(name => [name, samples[name] ?? valid[name]]))
  return Object.entries(properties).flatMap(([name, schema]) =>
    textFieldsIn(document, schema, name, text).map(({ field, value }) => ({
      field,
      body: { ...whole, [name]: value },
    })),
  )
}

/** Returns one value for each position in a field where the schema allows text, with the text at that position. */
function textFieldsIn(
  document: Document,
  given: Schema,
  field: string,
  text: string,
): { field: string; value: unknown }[] {
  const schema = resolved(document, given)
  if (isText(schema)) return [{ field, value: text }]
  const { items, anyOf = [], properties = {}, required = [] } = schema
  const { patternProperties = {}, additionalProperties } = schema
  const ofAnyName = Object.values(patternProperties)[0] ?? additionalProperties
  return [
    ...anyOf.flatMap(option => textFieldsIn(document, option, field, text)),
    ...(items ? textFieldsIn(document, items, `${field}[0]`, text) : []).map(({ field, value }) => ({
      field,
      value: [value],
    })),
    ...Object.entries(properties).flatMap(([name, schema]) =>
      textFieldsIn(document, schema, `${field}.${name}`, text).map(({ field, value }) => ({
        field,
        value: {
          ...(required.includes('type') && { type: typeIn(properties.type) }),
          ...Object.fromEntries(Object.entries(innerSamples).filter(([inner]) => required.includes(inner))),
          [name]: value,
          ...(name !== 'selector' && 'selector' in properties && { selector: 'p' }),
        },
      })),
    ),
    ...(isObject(ofAnyName) ? textFieldsIn(document, ofAnyName as Schema, `${field}.any`, text) : []).map(
      ({ field, value }) => ({ field, value: { any: value } }),
    ),
  ]
}

/** Returns a type with which the other fields are valid: `s3` if the schema allows it, otherwise the first type. */
function typeIn({ anyOf = [], ...schema }: Schema = {}): unknown {
  const types = [schema, ...anyOf].flatMap(one => one.enum ?? (one.const === undefined ? [] : [one.const]))
  return types.includes('s3') ? 's3' : types[0]
}

function resolved({ components }: Document, schema: Schema): Schema {
  const name = schema.$ref?.split('/').at(-1)
  return (name === undefined ? undefined : components.schemas[name]) ?? schema
}

const isText = ({ type, enum: choices }: Schema): boolean =>
  choices === undefined && [type].flat().includes('string')
