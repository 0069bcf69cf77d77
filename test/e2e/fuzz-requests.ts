/** Requests of an arbitrary client: valid, wrong in one place, or hostile. */

import type { Operation, Parameter, Reference } from '@tidemark/gateway/openapi-answers.scene'
import fc, { type Arbitrary } from 'fast-check'
import { hostileText, hostileValue, isAddress, type Values } from './fuzz-values.ts'

export type FuzzRequest = {
  operation: Operation
  /** Includes the query. */
  path: string
  headers: Record<string, string>
  body: string | Uint8Array | null
  /** Whether every part conforms to the OpenAPI document. */
  isValid: boolean
}

/** Returns existing values for a parameter of a path. */
export type Known = (operation: Operation, name: string) => readonly (string | number)[]

type Query = [name: string, value: string][]
type Part<Value> = Arbitrary<{ value: Value; isValid: boolean }>

export function requestsOf(reference: Reference, values: Values, known: Known): Arbitrary<FuzzRequest> {
  return fc.oneof(...reference.operations.map(operation => requestOf(operation)), stray)

  function requestOf(operation: Operation): Arbitrary<FuzzRequest> {
    const inPlace = (place: string) => operation.parameters.filter(parameter => parameter.in === place)
    const parts = { path: pathOf(operation), query: queryOf(inPlace('query')), body: bodyOf(operation) }
    return fc.record({ ...parts, headers: headersOf(operation) }).map(({ path, query, body, headers }) => ({
      operation,
      path: path.value + textOfQuery(query.value),
      headers: { ...headers.value, ...(body.value !== null && { 'content-type': body.value.type }) },
      body: body.value?.data ?? null,
      isValid: path.isValid && query.isValid && body.isValid && headers.isValid,
    }))
  }

  function pathOf(operation: Operation): Part<string> {
    const { path, parameters } = operation
    const names = parameters.filter(({ in: place }) => place === 'path')
    const filled = names.map(({ name }) => {
      return mostly(
        fc.constantFrom(...known(operation, name).map(String)),
        fc.oneof(hostileText.map(encoded), fc.constantFrom('0', '-1', '9'.repeat(30), '%2F', '%')),
      )
    })
    return fc.tuple(...filled).map(parts => ({
      value: names.reduce(
        (text, { name }, at) => text.replace(`{${name}}`, () => parts[at]?.value || '%20'),
        path,
      ),
      isValid: parts.every(({ isValid }) => isValid),
    }))
  }

  function queryOf(parameters: Parameter[]): Part<Query> {
    const one = ({ name, schema, required = false }: Parameter): Part<Query> => {
      const fitting = values.fitting(schema, name).map(value => [[name, String(value)]] as Query)
      const left = required ? fitting : fc.oneof(fc.constant<Query>([]), fitting)
      const hostile = isAddress(name) ? hostileText.filter(isNoAddress) : hostileText
      const twice = fc.tuple(fitting, fitting).map(both => both.flat() as Query)
      const wrong = fc.oneof(
        hostile.map(text => [[name, text]] as Query),
        twice,
        fc.constant<Query>(required ? [] : [[name, '']]),
      )
      return mostly(left, wrong)
    }
    return fc.tuple(...parameters.map(one)).map(parts => ({
      value: parts.flatMap(({ value }) => value),
      isValid: parts.every(({ isValid }) => isValid),
    }))
  }

  function bodyOf({ body }: Operation): Part<{ data: string | Uint8Array; type: string } | null> {
    const json = 'application/json'
    if (body === null) return fc.constant({ value: null, isValid: true })
    const fitting = values.fitting(body, '')
    const sent = (value: unknown) => ({ data: JSON.stringify(value), type: json })
    const valid = fitting.map(value => ({
      value: sent(value),
      isValid: reference.faultOf(body, value) === null,
    }))
    const names = Object.keys(reference.resolved(body).properties ?? {})
    const nearly = fc
      .record({
        value: fitting,
        name: fc.oneof(fc.constantFrom(...names, 'x'), hostileText),
        other: hostileValue,
        isLeftOut: fc.boolean(),
      })
      .map(({ value, name, other, isLeftOut }) => ({
        value: sent(broken(value, name, isLeftOut ? undefined : other)),
        isValid: false,
      }))
    const raw = fc.tuple(
      rawBody,
      fc.constantFrom(json, json, json, 'text/plain', 'application/json; charset=utf-16', 'a/b', 'json', ''),
    )
    const hostile = raw.map(([data, type]) => ({ value: { data, type }, isValid: false }))
    return fc.oneof(
      { weight: 4, arbitrary: valid },
      { weight: 4, arbitrary: nearly },
      { weight: 2, arbitrary: hostile },
    )
  }
}

/** Returns headers that any request may have. */
function headersOf({ parameters }: Operation): Part<Record<string, string>> {
  const takesKey = parameters.some(({ name }) => name === 'idempotency-key')
  const key = mostly(
    fc.option(fc.stringMatching(/^[!-~]{1,20}$/), { nil: undefined }),
    fc.constantFrom('', 'a b', 'x'.repeat(256)),
  )
  const accept = fc.constantFrom(
    undefined,
    '*/*',
    'application/problem+json',
    'text/csv',
    'x;q=,,',
    'application/x-ndjson;q=0.1',
  )
  const match = fc.constantFrom(undefined, undefined, '*', '"x"', 'W/"y", "z', '"'.repeat(500))
  return fc.record({ key, accept, match }).map(({ key, accept, match }) => ({
    value: {
      ...(accept !== undefined && { accept }),
      ...(match !== undefined && { 'if-none-match': match }),
      ...(takesKey && key.value !== undefined && { 'idempotency-key': key.value }),
    },
    isValid: !takesKey || key.isValid,
  }))
}

const mostly = <Value>(fitting: Arbitrary<Value>, wrong: Arbitrary<Value>): Part<Value> =>
  fc.oneof(
    { weight: 5, arbitrary: fitting.map(value => ({ value, isValid: true })) },
    { weight: 1, arbitrary: wrong.map(value => ({ value, isValid: false })) },
  )

const deep = (open: string, close: string) =>
  fc.constantFrom(10, 1_000, 100_000).map(depth => open.repeat(depth) + close.repeat(depth))

const rawBody: Arbitrary<string | Uint8Array> = fc.oneof(
  hostileValue.map(value => JSON.stringify(value)),
  hostileText,
  deep('[', ']'),
  deep('{"url":', '}'),
  deep('[', ''),
  fc.uint8Array({ maxLength: 100 }),
  fc.constantFrom(
    '',
    '{',
    '{"a":1,"a":2}',
    '{"__proto__":{"url":"x"}}',
    '{"constructor":{"prototype":{}}}',
    '[]',
    'null',
    '"x"',
  ),
  fc.constantFrom('{"url":1e999}', '{"url":"\\ud800"}', '\ufeff{}', 'NaN', "{'url':1}", '{"url":"x"} {}'),
  fc.constant(`{"url":"${'x'.repeat(1024 ** 2)}"}`),
)

/** Requests of undocumented paths or methods. */
const stray: Arbitrary<FuzzRequest> = fc
  .record({
    method: fc.constantFrom('GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'QUERY', 'TRACE2'),
    path: fc.oneof(
      fc.constantFrom(
        ...['/', '//', '/v1', '/v1/crawls/', '//v1/usage', '/v1%2Fusage', '/v1/usage/../keys', '/*'],
      ),
      fc.constantFrom(
        ...['/docs', '/openapi.json', '/postman.json', '/v1/mock-checkout/1', '/v1/crawls/1/2/3', '/%zz'],
      ),
      hostileText.map(text => `/v1/${encoded(text)}`),
    ),
    body: fc.oneof(fc.constant(null), rawBody),
    type: fc.constantFrom(
      'application/json',
      'application/x-www-form-urlencoded',
      'multipart/form-data',
      '/',
    ),
  })
  .map(({ method, path, body, type }) => ({
    operation: { id: 'none', method, path, parameters: [], body: null, answers: new Map() },
    path,
    headers: body === null ? {} : { 'content-type': type },
    body: method === 'GET' || method === 'HEAD' ? null : body,
    isValid: false,
  }))

function broken(value: unknown, name: string, other: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return other ?? null
  const isFit = !isAddress(name) || typeof other !== 'string' || isNoAddress(other)
  return Object.fromEntries([
    ...Object.entries(value).filter(([field]) => field !== name),
    ...(other === undefined || !isFit ? [] : [[name, other]]),
  ])
}

/** Returns whether no part of the system would connect to the text as an address. */
const isNoAddress = (text: string) => !/:\/\/|^\/\/|\.[a-z]/i.test(text)

const encoded = (text: string) => encodeURIComponent(text.toWellFormed())

const textOfQuery = (query: Query) =>
  query.length === 0 ? '' : `?${query.map(pair => pair.map(encoded).join('=')).join('&')}`
