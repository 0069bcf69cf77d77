/** The gateway's self-description: the OpenAPI document, complete and valid, in both profiles. */
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { gunzipSync } from 'node:zlib'
import { SerializerSelector } from '@fastify/fast-json-stringify-compiler'
import { createConfig, lintFromString } from '@redocly/openapi-core'
import { type Operation, prices, priceText } from '@tidemark/contracts/prices'
import type { FastifyInstance, FastifySchema, RouteOptions } from 'fastify'
import { test } from 'tap'
import { lonelyServer, servedDocument } from '../document.scene.ts'
import type { ProfileName } from '../http/domain/profile.ts'
import { faultOfAnswer, readReference } from '../openapi-answers.scene.ts'
import { faultsOf, operationsOf, type Whole } from '../openapi-faults.scene.ts'
import type { Response } from './domain/openapi/document.ts'

const profiles: Record<ProfileName, string> = { narrative: '0.5.0', openapi: '0.4.1' }

const made = new Map<ProfileName, Promise<string>>()

/** Each schema is created once. */
function documentOf(profile: ProfileName): Promise<string> {
  const text = made.get(profile) ?? servedDocument(profile)
  made.set(profile, text)
  return text
}

const wholeOf = async (profile: ProfileName) => JSON.parse(await documentOf(profile)) as Whole

/** These operations take no input that could be refused. */
const withoutInput = /^#\/paths\/~1v1~1(health|ready|evidence-keys)\//

for (const [profile, version] of Object.entries(profiles) as [ProfileName, string][]) {
  test(`The document of the profile ${profile} is complete`, async t => {
    const document = await wholeOf(profile)
    t.match(document, { openapi: '3.1.0', info: { version, license: { identifier: 'Apache-2.0' } } })
    t.strictSame(
      document.servers.map(({ url }) => url),
      ['/'],
    )
    t.ok(operationsOf(document).length > 30)
    t.strictSame(faultsOf(document), [])
  })

  test(`The document of the profile ${profile} passes the linter`, async t => {
    const source = await documentOf(profile)
    const config = await createConfig({ extends: ['recommended'] })
    const found = await lintFromString({ source, absoluteRef: 'openapi.json', config })
    const faults = found
      .map(({ ruleId, message, location }) => ({ ruleId, message, at: location[0]?.pointer ?? '' }))
      .filter(({ ruleId, at }) => ruleId !== 'operation-4xx-response' || !withoutInput.test(at))
    t.strictSame(faults, [])
  })
}

/** The schemas of the responses of a route, each with its status. */
const schemasOf = ({ schema }: RouteOptions): [status: string, schema: FastifySchema][] =>
  Object.entries((schema?.response ?? {}) as Record<string, Response>).flatMap(([status, response]) =>
    Object.values(response.content ?? { '*': { schema: response } }).map(
      ({ schema }) => [status, schema] as [string, FastifySchema],
    ),
  )

// The server compiles a schema when it sends the first such response, so that a bad one would be seen late.
test('The schema of every response can be compiled', async t => {
  const routes: RouteOptions[] = []
  const observe = (message: unknown) =>
    (message as { fastify: FastifyInstance }).fastify.addHook('onRoute', route => void routes.push(route))
  subscribe('fastify.initialization', observe)
  const app = await lonelyServer()
  unsubscribe('fastify.initialization', observe)
  t.teardown(() => app.close())
  const compile = SerializerSelector()()
  const responses = routes
    .filter(({ method }) => method !== 'HEAD')
    .flatMap(route => schemasOf(route).map(([status, schema]) => ({ route, status, schema })))
  t.ok(responses.length > 60, `${responses.length} schemas`)
  for (const { route, status, schema } of responses) {
    const { url, method } = route
    t.doesNotThrow(
      () => compile({ schema, method: String(method), url, httpStatus: status }),
      `${method} ${url} ${status}`,
    )
  }
})

test('Every operation with a price has it in its description', async t => {
  const { paths } = await wholeOf('narrative')
  const routes = Object.entries(prices).flatMap(([operation, { at }]) =>
    [at ?? []].flat().map(route => [operation, ...route.split(' ')] as [Operation, string, string]),
  )
  for (const [operation, method, path] of routes.filter(([operation]) => operation !== 'llms_txt_build')) {
    const documented = path.replace(/:(\w+)/g, '{$1}').replace('*', '{path}')
    const { description } = (paths[documented]?.[method.toLowerCase()] ?? {}) as { description?: string }
    t.ok(description?.includes(priceText(operation)), `${operation}: ${documented} says ${description}`)
  }
})

test('Every operation with `format=ndjson` describes its lines', async t => {
  const document = await wholeOf('narrative')
  const withLines = operationsOf(document).filter(({ operation: { parameters = [] } }) =>
    parameters.some(
      parameter =>
        'name' in parameter &&
        parameter.name === 'format' &&
        JSON.stringify(parameter.schema).includes('"ndjson"'),
    ),
  )
  t.ok(withLines.length >= 8, `${withLines.length} operations`)
  for (const { operation } of withLines) {
    const { content } = operation.responses['200'] as Response
    t.ok(content?.['application/x-ndjson'], operation.operationId)
  }
})

test('Statuses follow the profile', async t => {
  const [narrative, openapi] = [await wholeOf('narrative'), await wholeOf('openapi')]
  const statuses = (document: Whole, path: string, method: string) =>
    Object.keys(document.paths[path]?.[method]?.responses ?? {}).filter(status => status < '300')
  t.strictSame(statuses(narrative, '/v1/crawls', 'post'), ['201', '202'])
  t.strictSame(statuses(openapi, '/v1/crawls', 'post'), ['201'])
  t.strictSame(statuses(narrative, '/v1/keys/{prefix}', 'delete'), ['204'])
  t.strictSame(statuses(openapi, '/v1/keys/{prefix}', 'delete'), ['200'])
  t.ok(narrative.paths['/v1/map']?.post?.responses[400])
  t.ok(openapi.paths['/v1/map']?.post?.responses[422])
})

test('A named schema that is nullable in one place is nullable nowhere else', async t => {
  const { schemas = {} } = (await wholeOf('narrative')).components
  const signalsOf = (name: string) =>
    (schemas[name] as { properties: Record<string, object> }).properties.signals
  const signals = { $ref: '#/components/schemas/Signals' }
  t.match(signalsOf('Page'), { anyOf: [signals, { type: 'null' }] })
  t.strictSame(signalsOf('Scan'), signals)
  t.equal(schemas.Signals?.type, 'object')
})

/** Operation, status, and its contents: header fields, and codes with their reasons. */
const sent: [operation: string, status: number, ...names: string[]][] = [
  ['post /v1/scan', 400, 'X-Pages-Billed', 'RateLimit', 'Vary', 'invalid_input.bad_value'],
  ['post /v1/scan', 502, 'X-Pages-Billed', 'X-Cloud-Pages-Billed', 'fetch_failed.dns'],
  ['post /v1/map', 401, 'X-Pages-Billed', 'WWW-Authenticate', 'Vary'],
  ['get /v1/robots-policy', 400, 'X-Pages-Billed', 'invalid_input.required'],
  ['get /v1/robots-policy', 304, 'X-Pages-Billed', 'RateLimit', 'ETag'],
  ['post /v1/cloud/screenshot', 400, 'Deprecation', 'Link'],
  ['post /v1/cloud/screenshot', 401, 'Deprecation', 'Link'],
  ['post /v1/cloud/search', 502, 'Retry-After'],
  ['post /v1/cloud/fetch/{domain}', 422, 'invalid_input.bad_value'],
  ['post /v1/signup', 422, 'Retry-After', 'signup_rate_limited.signups_of_day'],
  ['get /v1/crawls', 400, 'RateLimit', 'invalid_input.bad_value'],
  ['post /v1/crawls', 400, 'invalid_input.bad_value'],
  ['post /v1/crawls', 415, 'Accept-Encoding'],
  ['delete /v1/crawls/{id}', 415, 'unsupported_media_type'],
  ['delete /v1/keys/{prefix}', 409, 'RateLimit', 'RateLimit-Policy', 'conflict.last_key'],
  ['post /v1/crons/{id}/run', 400, 'invalid_input.bad_value'],
  ['get /v1/billing/checkout', 400, 'Vary', 'invalid_input.required'],
  ['post /v1/llms-txt-build', 502, 'X-Pages-Billed', 'fetch_failed.connect', 'fetch_failed'],
]

test('The document has what is sent with a refusal, and no more than belongs to it', async t => {
  const { paths, components } = await wholeOf('narrative')
  const namesSent = (operation: string, status: number) => {
    const [method = '', path = ''] = operation.split(' ')
    const answer = paths[path]?.[method]?.responses[status] ?? { $ref: '' }
    const shared = '$ref' in answer ? components.responses?.[answer.$ref.split('/').at(-1) ?? ''] : answer
    const { headers, content } = (shared ?? {}) as Response
    const { examples = {} } = content?.['application/json'] ?? {}
    return [...Object.keys(headers ?? {}), ...Object.keys(examples)]
  }
  for (const [operation, status, ...names] of sent) {
    const all = namesSent(operation, status)
    for (const name of names) t.ok(all.includes(name), `${operation} ${status} ${name}`)
  }
  for (const [operation, status, name] of [
    ['get /v1/crawls', 401, 'RateLimit'],
    ['get /v1/crawls', 400, 'X-Pages-Billed'],
    ['get /v1/crawls', 400, 'Link'],
    ['get /v1/crawls', 400, 'invalid_input.required'],
    ['post /v1/signup', 422, 'RateLimit'],
    ['post /v1/scan', 502, 'Retry-After'],
  ] as const)
    t.notOk(namesSent(operation, status).includes(name), `${operation} ${status} ${name}`)
})

test('No sample carries a key or a tag of another request', async t => {
  const document = await wholeOf('narrative')
  const headers = [
    document.components.parameters?.IfNoneMatch,
    ...['/v1/crawls', '/v1/crons/{id}/run'].flatMap(path =>
      document.paths[path]?.post?.parameters?.filter(
        parameter => 'in' in parameter && parameter.in === 'header',
      ),
    ),
  ]
  t.equal(headers.length, 3)
  for (const header of headers) t.notMatch(JSON.stringify(header), /"(examples?|default)":/)
})

test('Missing parts of a document are named with their place', async t => {
  const document = await wholeOf('narrative')
  const { post } = document.paths['/v1/map'] ?? {}
  const run = document.components.schemas?.Run as { properties: Record<string, object> }
  if (post?.requestBody === undefined) return t.fail('there is no map')
  post.tags = ['Charts']
  delete post.description
  post.requestBody.content = { 'application/json': { schema: {} } }
  post.responses['200'] = { description: 'Default Response', content: {} }
  run.properties.colour = { type: 'string' }
  const event = document.webhooks?.['crawl.done']?.post
  if (event?.requestBody === undefined) return t.fail('there is no webhook')
  delete event.summary
  const sent = event.requestBody.content['application/json'] as { example: object }
  sent.example = { ...sent.example, colour: 'red' }
  delete run.properties.warnings
  t.strictSame(faultsOf(document), [
    'GET /v1/crawls/{id} (getCrawl) 200 has no field warnings (contracts/http/lists.ts)',
    ...['cancel', 'pause', 'resume'].map(
      verb =>
        `POST /v1/crawls/{id}/${verb} (${verb}Crawl) 200 has no field warnings (contracts/http/lists.ts)`,
    ),
    'POST /v1/map (mapSite) has no description',
    'POST /v1/map (mapSite): reference/tags.ts has no "Charts"',
    'POST /v1/map (mapSite): its body has no example in reference/',
    'POST /v1/map (mapSite) 200 is not described in reference/',
    'POST /v1/map (mapSite) 200 has no header X-Request-Id',
    'POST crawl.done (onCrawlDone) has no summary',
    '/Run: field colour has no description',
    '/webhooks/crawl.done/post/requestBody/content/application~1json: data must NOT have additional properties',
  ])
})

test('An answer that the document does not promise is named', async t => {
  const document = JSON.parse(await documentOf('narrative'))
  const reference = readReference(document)
  const run: object = document.paths['/v1/crawls/{id}'].get.responses[200].content['application/json'].example
  const faultOf = (status: number, body: object | string, headers: Record<string, string> = {}) =>
    faultOfAnswer(reference, {
      ...{ method: 'GET', path: '/v1/crawls/42?x=1', status },
      headers: new Headers({ 'content-type': 'application/json; charset=utf-8', ...headers }),
      text: typeof body === 'string' ? body : JSON.stringify(body),
    })
  const refusal = (code: string, reason?: string) => ({ error: { code, message: 'No.', reason } })
  const at = 'GET /v1/crawls/{id}: '
  for (const [fault, expected] of [
    [faultOf(200, run, { etag: '"x"', 'access-control-allow-origin': '*', vary: 'Origin' }), null],
    [faultOf(304, ''), null],
    [faultOf(404, refusal('not_found')), null],
    [faultOf(418, ''), `${at}status 418 is not documented`],
    [faultOf(200, run, { 'x-colour': 'red' }), `${at}x-colour is not documented for 200`],
    [faultOf(200, 'run', { 'content-type': 'text/plain' }), `${at}text/plain is not documented for 200`],
    [faultOf(304, '1'), `${at}has a body where none is documented`],
    [faultOf(404, refusal('conflict', 'last_key')), `${at}conflict.last_key is not documented for 404`],
    [faultOf(200, { ...run, colour: 'red' }), `${at}data must NOT have additional properties`],
    [faultOf(200, { ...run, status: 'red' }), `${at}data/status must be equal to one of the allowed values`],
    [faultOf(200, { ...run, started_at: 'noon' }), `${at}data/started_at must match format "date-time"`],
  ] as const)
    t.equal(fault, expected)
  const nowhere = { method: 'PUT', path: '/v1/crawls/42', status: 404, headers: new Headers(), text: '' }
  t.equal(faultOfAnswer(reference, nowhere), undefined)
  const nested = { ...nowhere, method: 'POST', path: '/v1/cloud/fetch/pypi.org/project/requests' }
  t.match(faultOfAnswer(reference, nested), 'POST /v1/cloud/fetch/{domain}/{path}: ')
})

test('The reference page loads everything from its own origin, and only on request', async t => {
  const app = await lonelyServer()
  t.teardown(() => app.close())
  const page = await app.inject('/docs')
  t.match(page, {
    statusCode: 200,
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
    },
  })
  const policy = String(page.headers['content-security-policy'])
  t.match(policy, "default-src 'none'")
  t.match(policy, "script-src 'self';", 'no script but ours, and none in the page')
  t.match(policy, "frame-ancestors 'none'")
  t.notMatch(policy, /https?:|\*/, 'no other origin')
  t.notMatch(page.body, /https?:|<script>/)

  const [, address = ''] = page.body.match(/<script src="([^"]+)">/) ?? []
  const readWith = (accepted: string) =>
    app.inject({ url: address, headers: { 'accept-encoding': accepted } })
  const packed = await readWith('gzip, br')
  for (const accepted of ['gzip;q=0, *', 'gzip;q=0', '*;q=0', 'br'])
    t.equal((await readWith(accepted)).headers['content-encoding'], undefined, accepted)
  t.equal((await readWith('br, *')).headers['content-encoding'], 'gzip')
  t.match(packed.headers, {
    'content-type': 'text/javascript; charset=utf-8',
    'content-encoding': 'gzip',
    'cache-control': 'public, max-age=31536000, immutable',
    vary: 'Accept-Encoding',
  })
  const plain = await app.inject(address)
  t.equal(plain.headers['content-encoding'], undefined)
  t.ok(gunzipSync(packed.rawPayload).equals(plain.rawPayload))
  const [order = ''] =
    plain.body.match(/Object\.keys\(e\.responses\?\?\{\}\)\.sort\(.*?(?=\),\w+=\w+\(\(\)=>)/) ?? []
  const ordered = new Function('e', `return ${order}`)
  const shown: string[] = ordered({ responses: { 201: {}, 202: {}, 400: {}, default: {} } })
  t.strictSame(shown, ['202', '201', '400', 'default'], 'a crawl that was accepted comes before a monitor')
  const [path = ''] = address.split('?')
  t.equal((await app.inject(path)).headers['cache-control'], 'no-cache', 'another version is not kept')
})

test('The root leads to what there is', async t => {
  const app = await lonelyServer()
  t.teardown(() => app.close())
  const browser = await app.inject({ url: '/', headers: { accept: 'text/html,*/*;q=0.8' } })
  t.match(browser, { statusCode: 302, headers: { location: '/console' } })
  const program = await app.inject({ url: '/', headers: { accept: '*/*' } })
  t.equal(program.statusCode, 200)
  for (const path of ['openapi', 'postman', 'llms', 'health']) {
    const { statusCode } = await app.inject(program.json()[path])
    t.equal(statusCode, 200, path)
  }
})
