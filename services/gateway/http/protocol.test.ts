/** The HTTP behaviour of the gateway on all requests: caches, browsers, profiles, certificates. */
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import http from 'node:http'
import https from 'node:https'
import { type AddressInfo, connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import tls from 'node:tls'
import type { SettingsError } from '@tidemark/config/settings'
import { selfSigned } from '@tidemark/testing/origin-certificate'
import { until } from '@tidemark/testing/until'
import fc from 'fast-check'
import fastify from 'fastify'
import { type Test, test } from 'tap'
import type { App } from '../app.ts'
import { type Call, caller, keyNamed, type Surroundings, seed, surroundings } from '../gateway.scene.ts'
import { page, settled, started } from '../read-model/projections/runs.examples.ts'
import { startService } from '../service.ts'
import { certificateWarning } from './adapters/measure-certificate.ts'
import { readTls, type Tls, watchTls } from './adapters/tls.ts'
import { prefersProblemDetails } from './domain/accept.ts'
import { etagOf, isNamed } from './domain/etag.ts'
import { originFault } from './domain/origin.ts'
import { type ApiProblem, clientLeftStatus } from './domain/problem.ts'
import { profiles } from './domain/profile.ts'
import { installClosing } from './plugins/closing.ts'
import { type DeprecationStyle, installDeprecation } from './plugins/deprecation.ts'
import { installProblems } from './plugins/problem.ts'
import { installProfile } from './plugins/profile.ts'
import { problemOf } from './requests/problem-of.ts'
import { vary } from './requests/vary.ts'

const mine = keyNamed('m')
const details = 'application/problem+json'
const dayMs = 86_400_000

test('HTTP behaviour', async t => {
  const around = await surroundings(t, { env: { EGRESS_ALLOW: '127.0.0.1/32' } })
  const { standIns } = around
  standIns.addKey(mine, 7)
  const { call, get, post, append } = caller(around, mine)

  await t.test('An unchanged read is 304, and a changed one has another tag', async t => {
    const { id } = (await post('/v1/crawls', { url: seed })).json
    const path = `/v1/crawls/${id}`
    await until(async () => (await get(path)).status === 200)
    const read = (etag: string, method = 'GET') => call(method, path, { headers: { 'if-none-match': etag } })
    const first = await get(path)
    const etag = first.headers.get('etag') ?? ''
    t.match(etag, /^"[\w-]+"$/)
    t.equal(first.headers.get('cache-control'), 'private, no-cache')
    t.equal((await get(path)).headers.get('etag'), etag, 'nothing happened')
    for (const named of [etag, `W/${etag}`, `"x", W/"a,b" ,${etag}`, '*']) {
      const same = await read(named)
      t.match(same, { status: 304, text: '' }, named)
      t.equal(same.headers.get('etag'), etag)
      t.equal(same.headers.get('cache-control'), 'private, no-cache')
      t.equal(same.headers.get('content-type'), null)
      t.ok(same.headers.get('x-request-id'))
    }
    for (const named of ['"x"', '', 'x', etag.slice(1, -1)]) t.equal((await read(named)).status, 200, named)
    const head = await read('"x"', 'HEAD')
    t.match(head, { status: 200, text: '' })
    t.equal(head.headers.get('etag'), etag)
    t.equal(head.headers.get('content-length'), String(first.text.length))
    t.equal((await read(etag, 'HEAD')).status, 304)

    const tags = new Set([etag])
    for (const events of [[started], [settled(page(3_001))], [settled(page(3_002))]]) {
      await append(id, ...events)
      await until(async () => !tags.has((await get(path)).headers.get('etag') ?? ''))
      tags.add((await get(path)).headers.get('etag') ?? '')
    }
    t.equal(tags.size, 4)
    t.equal((await read(etag)).status, 200)
  })

  await t.test(
    'Answers that must not be cached have no tag, nor have streams, errors and writes',
    async t => {
      for (const path of ['/v1/webhook/secret', '/v1/health', '/v1/ready']) {
        const { headers } = await get(path)
        t.equal(headers.get('cache-control'), 'no-store', path)
        t.equal(headers.get('etag'), null, path)
      }
      const { id } = (await post('/v1/crawls', { url: seed })).json
      for (const path of [
        `/v1/crawls/${id}/pages?limit=5000`,
        `/v1/crawls/${id}/pages?format=csv`,
        '/v1/crawls/0',
      ]) {
        const { headers } = await get(path, { headers: { 'if-none-match': '*' } })
        t.match(headers.get('content-type'), /json|csv/)
        t.equal(headers.get('etag'), null, path)
        t.equal(headers.get('cache-control'), 'private, no-cache', path)
      }
      t.equal((await call('POST', '/v1/crawls', { body: {} })).headers.get('etag'), null)
      const document = await get('/openapi.json', { key: null })
      t.equal(document.headers.get('cache-control'), 'no-cache')
      t.ok(document.headers.get('etag'))
    },
  )

  await t.test('HEAD answers like GET, on every path that has it', async t => {
    const { paths } = (await get('/openapi.json')).json
    const endless = '/v1/crawls/{id}/events'
    t.equal((await call('HEAD', endless.replace('{id}', '1'))).status, 200)
    for (const path of Object.keys(paths).filter(path => paths[path].get && path !== endless)) {
      const url = path.replace(/\{\w+\}/g, '1')
      const [got, head] = [await get(url), await call('HEAD', url)]
      t.match(head, { status: got.status, text: '' }, path)
      t.equal(head.headers.get('content-type'), got.headers.get('content-type'), path)
      t.equal((await call('OPTIONS', url)).status, 405, path)
    }
  })

  await t.test('Every answer forbids guessing its type, and none names its server', async t => {
    const odd: [method: string, path: string, options?: Call][] = [
      ['GET', '/v1/usage'],
      ['GET', '/v1/usage', { key: null }],
      ['POST', '/v1/crawls', { raw: '{', headers: { 'content-type': 'application/json' } }],
      ['GET', '/nowhere'],
      ['GET', '/%c0%ae'],
      ['OPTIONS', '/v1/usage'],
    ]
    for (const [method, path, options] of odd) {
      const { headers } = await call(method, path, options)
      t.equal(headers.get('x-content-type-options'), 'nosniff', path)
      for (const name of [
        'server',
        'x-powered-by',
        'strict-transport-security',
        'access-control-allow-origin',
      ])
        t.equal(headers.get(name), null, `${path} ${name}`)
    }
  })

  await t.test('Odd requests are answered in the envelope', async t => {
    const json = (charset: string) => ({ 'content-type': `application/json; charset=${charset}` })
    const umlaut = Buffer.from(`{"url":"${seed}ä"}`)
    const odd: [what: string, status: number, method: string, path: string, options?: Call][] = [
      ['a slash at the end', 404, 'GET', '/v1/usage/'],
      ['two slashes', 404, 'GET', '//v1//usage'],
      ['a slash in disguise', 404, 'GET', '/v1%2Fusage'],
      ['a slash within a name', 404, 'GET', '/v1/crawls/1%2F2'],
      ['a name beyond measure', 404, 'GET', `/v1/crawls/${'9'.repeat(5_000)}`],
      ['a parameter twice', 400, 'GET', '/v1/crawls?limit=1&limit=2'],
      ['a parameter as a list', 200, 'GET', '/v1/crawls?limit[]=1'],
      [
        'text in UTF-16',
        415,
        'POST',
        '/v1/crawls',
        { raw: Buffer.from('{}', 'utf16le'), headers: json('utf-16') },
      ],
      [
        'text in another charset',
        415,
        'POST',
        '/v1/crawls',
        { raw: Buffer.from(`{"url":"${seed}ä"}`, 'latin1'), headers: json('iso-8859-1') },
      ],
      ['text in UTF-8, in capitals', 202, 'POST', '/v1/crawls', { raw: umlaut, headers: json('"UTF-8"') }],
      [
        'a form',
        415,
        'POST',
        '/v1/crawls',
        { raw: 'url=x', headers: { 'content-type': 'application/x-www-form-urlencoded' } },
      ],
      [
        'a body in another coding',
        415,
        'POST',
        '/v1/crawls',
        { raw: '{}', headers: { 'content-type': 'application/json', 'content-encoding': 'gzip' } },
      ],
      ['no type at all', 415, 'POST', '/v1/crawls', { raw: Buffer.from('{}') }],
      ['an invalid type', 415, 'POST', '/v1/crawls', { raw: '{}', headers: { 'content-type': 'json' } }],
      ['a body where none belongs', 415, 'DELETE', '/v1/crawls/0', { raw: 'x' }],
    ]
    for (const [what, status, method, path, options] of odd) {
      const answer = await call(method, path, options)
      t.equal(answer.status, status, what)
      if (status >= 400) t.equal(answer.json?.error?.request_id, answer.headers.get('x-request-id'), what)
    }
    // Decoding it would yield another address.
    const spoilt = Buffer.concat([umlaut.subarray(0, -3), Buffer.from([0xff, 0xfe]), Buffer.from('"}')])
    t.match(
      await call('POST', '/v1/crawls', { raw: spoilt, headers: { 'content-type': 'application/json' } }),
      {
        status: 400,
        json: { error: { code: 'invalid_input', reason: 'bad_json', message: /UTF-8/ } },
      },
    )
  })

  await t.test('Problem details go to clients that prefer them', async t => {
    const preferences: [accept: string | undefined, wants: boolean][] = [
      [undefined, false],
      ['*/*', false],
      ['application/json', false],
      ['application/*', false],
      [details, true],
      ['APPLICATION/Problem+JSON ; q=0.3', true],
      ['application/json, application/problem+json', true],
      ['application/problem+json;q=0.5, application/json;q=0.4', true],
      ['application/problem+json;q=0.5, */*', false],
      ['application/problem+json;q=0.5, application/json;q=0.2, */*', true],
      ['application/problem+json;q=0', false],
      ['application/problem+json;q=2', false],
      ['text/html;x=",application/problem+json"', false],
      ['application/problem+jsonp', false],
    ]
    for (const [accept, wants] of preferences)
      t.equal(prefersProblemDetails(accept), wants, accept ?? 'nothing')
    fc.assert(fc.property(fc.string(), accept => typeof prefersProblemDetails(accept) === 'boolean'))
    const answer = await get('/v1/crawls/0', { headers: { accept: `${details}, application/json;q=0.9` } })
    const requestId = answer.headers.get('x-request-id')
    t.match(answer.headers.get('content-type'), /^application\/problem\+json/)
    t.equal(answer.headers.get('vary'), 'Accept')
    t.strictSame(answer.json, {
      type: 'about:blank',
      title: 'Not Found',
      status: 404,
      detail: 'There is no such resource.',
      instance: `urn:uuid:${requestId}`,
      code: 'not_found',
      request_id: requestId,
    })
    t.equal((await get('/v1/crawls/0')).headers.get('vary'), 'Accept')
  })

  await t.test('An unknown endpoint is not mistaken for a missing object', async t => {
    const { status, json } = await get(`/v1/monitors/${'x'.repeat(200)}`)
    t.equal(status, 404)
    t.match(json, {
      error: { code: 'not_found', message: /^There is no endpoint GET \/v1\/monitors\/x{87}\. GET \/docs/ },
    })
    t.match((await get('/v1/scan')).json, {
      error: { code: 'method_not_allowed', message: 'This path does not support GET, only POST.' },
    })
  })

  await t.test('The other profile differs in all its details at once, and so does its document', t =>
    otherProfile(t, around),
  )
  await t.test('A client can read why its body is refused while it still sends it', t =>
    refusedBodies(t, around),
  )
  await t.test('Browsers may send requests from the configured origins', t => browsers(t, around))
  await t.test('A certificate is served, and its renewal without a restart', t => certificates(t, around))
  await t.test('An expiring certificate is reported', t => endingCertificate(t, around))
})

/** Starts another gateway beside the first, with the same surroundings. */
async function another(t: Test, around: Surroundings, env: NodeJS.ProcessEnv) {
  const stop = new AbortController()
  const gateway = await startService({ ...around.env, ...env }, stop.signal)
  t.teardown(() => gateway[Symbol.asyncDispose]())
  return { ...caller({ ...around, url: gateway.url }, mine), url: gateway.url }
}

async function otherProfile(t: Test, around: Surroundings): Promise<void> {
  const { call, get, post } = await another(t, around, { API_PROFILE: 'openapi', IDEMPOTENCY_STRICT: 'true' })
  const headers = { 'idempotency-key': 'strict' }
  const first = await call('POST', '/v1/crawls', { body: { url: seed }, headers })
  t.match(first, { status: 201, json: { status: 'queued', url: seed } })
  t.equal(first.headers.get('location'), `/v1/crawls/${first.json.id}`)
  const again = await call('POST', '/v1/crawls', { body: { url: seed, depth: 5 }, headers })
  t.strictSame([again.status, again.json], [201, first.json])
  t.equal(again.headers.get('idempotent-replayed'), 'true')
  const other = await call('POST', '/v1/crawls', { body: { url: seed, depth: 6 }, headers })
  t.match(other, {
    status: 422,
    json: { error: { code: 'idempotency_key_reused', field: 'idempotency-key' } },
  })
  t.equal(other.headers.get('idempotent-replayed'), null)
  const none = await call('POST', '/v1/crawls', { body: { url: 7 }, headers })
  t.match(none, { status: 422, json: { error: { code: 'idempotency_key_reused' } } })

  t.match(await post('/v1/crawls', { url: 7 }), { status: 422, json: { error: { code: 'invalid_input' } } })
  t.match(await get('/v1/crawls?limit=0'), { status: 422, json: { error: { reason: 'out_of_range' } } })
  const asDetails = await get('/v1/crawls?limit=0', { headers: { accept: details } })
  t.match(asDetails.json, { status: 422, title: 'Unprocessable Entity' })
  t.equal((await get('/v1/crawls/0')).status, 404)
  const many = await post('/v1/scan/bulk', { urls: Array(101).fill(seed) })
  t.match(many, { status: 400, json: { error: { code: 'invalid_input', reason: 'too_many_urls' } } })
  t.match(await post('/v1/scan/bulk', { urls: seed }), { status: 422 })
  around.standIns.grant = () => ({ granted: 0, reason: 'daily_pages', retryAfterSeconds: 60 })
  const refused = await post('/v1/scan', { url: seed })
  around.standIns.grant = ({ units }) => ({ granted: units, reason: null, retryAfterSeconds: null })
  t.match(refused, { status: 429, json: { error: { code: 'RATE_LIMITED', reason: 'daily_pages' } } })

  const { info, paths, components } = (await get('/openapi.json')).json
  t.equal(info.version, '0.4.1')
  const answers = (path: string, method: string) =>
    Object.keys(paths[path][method].responses).filter(status => status.startsWith('2'))
  t.strictSame(answers('/v1/crawls', 'post'), ['201'])
  t.strictSame(answers('/v1/keys/{prefix}', 'delete'), ['200'])
  t.strictSame(answers('/v1/crons/{id}', 'delete'), ['200'])
  for (const path of ['/v1/scan/bulk', '/v1/actors/check-links']) {
    const { 400: many, 422: other } = paths[path].post.responses
    const reasons = ({ $ref }: { $ref: string }) => {
      const { content } = components.responses[$ref.split('/').at(-1) ?? '']
      return Object.keys(content['application/json'].examples)
    }
    t.strictSame(reasons(many), ['invalid_input.too_many_urls'], path)
    t.ok(reasons(other).includes('invalid_input.wrong_type'), path)
    t.notOk(reasons(other).includes('invalid_input.too_many_urls'), path)
  }
  t.equal(components.schemas.BulkScanRequest.properties.concurrency.default, 8)
  t.match(components.schemas.BulkScanRequest.properties.concurrency.description, /from 1 to 32/)
}

/** The MCP server answers under its own names only, and to pages of listed origins only. */
async function agentsOf(t: Test, url: string, ours: string): Promise<void> {
  const statusOf = (more: Record<string, string>) =>
    new Promise<number | undefined>((resolve, reject) => {
      const headers = {
        authorization: `Bearer ${mine}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...more,
      }
      const sent = http.request(`${url}/mcp`, { method: 'POST', headers }, answer => {
        answer.resume()
        resolve(answer.statusCode)
      })
      sent.on('error', reject).end(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }))
    })
  for (const host of ['mcp.example.com', 'mcp.example.com:8443', 'localhost:1', '127.0.0.1', '[::1]:8080'])
    t.equal(await statusOf({ host }), 200, host)
  for (const host of [
    'rebound.example',
    'mcp.example.com.rebound.example',
    'xmcp.example.com',
    'localhost.example',
  ])
    t.equal(await statusOf({ host }), 403, host)
  t.equal(await statusOf({ origin: ours, 'mcp-protocol-version': '2025-06-18' }), 200)
  for (const origin of ['https://evil.example', `${ours}.evil.example`, 'null'])
    t.equal(await statusOf({ origin }), 403, origin)
}

async function browsers(t: Test, around: Surroundings): Promise<void> {
  for (const text of ['*', 'https://a.example', 'http://localhost:3000']) t.equal(originFault(text), null)
  for (const text of [
    'a.example',
    'https://a.example/',
    'https://A.example',
    'null',
    'https://*.example',
    '',
  ])
    t.match(originFault(text), /origin/, text)
  const ours = 'https://app.example.com'
  const settings = { CORS_ORIGINS: `http://localhost:3000,${ours}`, MCP_HOSTS: 'mcp.example.com' }
  const { call, get, url } = await another(t, around, settings)
  const from = (origin: string, more = {}) => ({ headers: { origin, ...more } })
  const preflight = {
    'access-control-request-method': 'POST',
    'access-control-request-headers': 'authorization',
  }
  const may = await call('OPTIONS', '/v1/crawls', { ...from(ours, preflight), key: null })
  t.match(may, { status: 204, text: '' })
  t.equal(may.headers.get('access-control-allow-origin'), ours)
  t.match(may.headers.get('access-control-allow-methods'), /POST.*DELETE/)
  t.match(may.headers.get('access-control-allow-headers'), /Authorization, .*Idempotency-Key, If-None-Match/)
  t.match(
    may.headers.get('access-control-allow-headers'),
    /MCP-Protocol-Version, Mcp-Method, Mcp-Name/,
    'MCP clients in browsers send them',
  )
  await agentsOf(t, url, ours)
  t.match(may.headers.get('vary'), /Origin/i)
  const answers = [
    await get('/v1/usage', from(ours)),
    await get('/v1/usage', { ...from(ours), key: null }),
    await get('/nowhere', from(ours)),
    await get('/v1/crawls?limit=0', from(ours)),
    await get('/v1/crawls/1/pages?format=csv', from(ours)),
  ]
  t.strictSame(
    answers.map(({ status }) => status),
    [200, 401, 404, 400, 200],
  )
  for (const { headers, status } of answers) {
    t.equal(headers.get('access-control-allow-origin'), ours, `${status}`)
    t.equal(headers.get('access-control-allow-credentials'), null)
    t.match(
      headers.get('access-control-expose-headers'),
      /X-Request-Id, Retry-After, .*ETag, .*X-Pages-Billed/,
    )
    t.match(
      headers.get('access-control-expose-headers'),
      /Content-Range, Accept-Ranges/,
      'downloads of parts have them',
    )
    t.match(headers.get('vary'), /Origin/i)
  }
  for (const origin of ['https://app.example.com.evil.test', 'http://app.example.com', 'null'])
    for (const method of ['GET', 'OPTIONS'])
      t.equal(
        (await call(method, '/v1/usage', from(origin, preflight))).headers.get('access-control-allow-origin'),
        null,
      )
  t.match(await call('OPTIONS', '/v1/usage', from(ours)), {
    status: 405,
    json: { error: { code: 'method_not_allowed' } },
  })

  const toAll = await another(t, around, { CORS_ORIGINS: '*' })
  const open = await toAll.get('/v1/usage', from('https://anything.test'))
  t.equal(open.headers.get('access-control-allow-origin'), '*')
}

async function refusedBodies(t: Test, { url }: Surroundings): Promise<void> {
  const { hostname, port } = new URL(url)
  const refusal = async (status: number, headers: Record<string, string>, bytes: number) => {
    const socket = connect(Number(port), hostname).setEncoding('latin1')
    t.teardown(() => socket.destroy())
    const lines = Object.entries({ host: 'h', authorization: `Bearer ${mine}`, ...headers })
    socket.write(`POST /v1/scan HTTP/1.1\r\n${lines.map(line => line.join(': ')).join('\r\n')}\r\n\r\n{`)
    let received = ''
    socket.on('data', text => (received += text))
    await until(() => received.includes('request_id'))
    t.match(received, new RegExp(`^HTTP/1.1 ${status} `))
    if (status === 413) t.match(received, /exceeds 1048576 bytes/)
    if (bytes === 0) return t.match(received, /\r\nconnection: close\r\n/i)
    socket.write(' '.repeat(bytes - 1))
    socket.write('GET /v1/health HTTP/1.1\r\nhost: h\r\n\r\n')
    await until(() => received.endsWith('\r\n\r\nok'))
    t.pass('the connection is open after the body')
  }
  const json = { 'content-type': 'application/json' }
  const megabytes = 3 * 1024 ** 2
  await refusal(413, { ...json, 'content-length': String(megabytes) }, megabytes)
  await refusal(415, { 'content-type': 'text/html', 'content-length': String(megabytes) }, megabytes)
  await refusal(413, { ...json, 'content-length': String(2 ** 40) }, 0)
}

async function certificates(t: Test, around: Surroundings): Promise<void> {
  const dir = await mkdtemp(join(tmpdir(), 'tidemark-tls-'))
  t.teardown(() => rm(dir, { recursive: true }))
  const files = { TLS_CERT: join(dir, 'cert.pem'), TLS_KEY: join(dir, 'key.pem') }
  const [first, second, renewed] = [
    selfSigned(['127.0.0.1']),
    selfSigned(['127.0.0.1']),
    selfSigned(['127.0.0.1'], 90),
  ]
  const write = async ({ cert, key }: { cert: string; key: string }) => {
    await writeFile(files.TLS_CERT, cert)
    await writeFile(files.TLS_KEY, key)
  }
  const faultsOf = (given: Partial<typeof files>): string => {
    try {
      readTls({ TLS_CERT: '', TLS_KEY: '', ...given })
      return ''
    } catch (error) {
      return (error as SettingsError).faults.join('\n')
    }
  }
  t.equal(faultsOf({}), '')
  t.match(faultsOf({ TLS_CERT: files.TLS_CERT }), /^TLS_CERT .*ENOENT.*\nTLS_KEY is missing/)
  await writeFile(files.TLS_CERT, 'no certificate')
  await writeFile(files.TLS_KEY, first.cert)
  t.match(faultsOf(files), /^TLS_CERT .*without a certificate.*\nTLS_KEY .*without a private key/)
  await write({ cert: first.cert, key: second.key })
  t.match(faultsOf(files), /^TLS_KEY is not the key of/)
  await t.rejects(startService({ ...around.env, ...files }, new AbortController().signal), {
    code: 'SETTINGS_BAD',
  })

  await write(first)
  const { url } = await another(t, around, files)
  t.match(url, /^https:/)
  const [response] = await once(https.get(`${url}/v1/health`, { ca: first.cert, agent: false }), 'response')
  t.equal(response.statusCode, 200)
  t.match(response.headers['strict-transport-security'], /^max-age=\d+$/)
  response.resume()

  const server = tls.createServer(first).listen(0, '127.0.0.1')
  t.teardown(() => server.close())
  await once(server, 'listening')
  const faults: string[] = []
  using watching = watchTls(files, {
    now: readTls(files) as Tls,
    renewed: pair => server.setSecureContext(pair),
    faulty: error => faults.push(String(error)),
    intervalMs: 10,
  })
  await writeFile(files.TLS_CERT, second.cert)
  await until(async () => faults.length > 0)
  t.ok(await isTrusted(server, first.cert), 'half of a pair changes nothing')
  await writeFile(files.TLS_KEY, second.key)
  await until(() => isTrusted(server, second.cert))
  t.notOk(await isTrusted(server, first.cert))
  t.equal(new Set(faults).size, faults.length, 'each reported once')
  const { from, until: end } = watching.shown().life
  const daysLeft = (end - Date.now()) / dayMs
  t.ok(daysLeft > 9.9 && daysLeft <= 10)

  const warnedAt = (now: number, life = { from, until: end }) => certificateWarning({ ...second, life }, now)
  t.equal(warnedAt(end - 3.8 * dayMs), null)
  t.match(warnedAt(end - 3.6 * dayMs), /^certificate_expires: /, 'a third of its eleven days is left')
  const quarter = { from: end - 90 * dayMs, until: end }
  t.equal(warnedAt(end - 14.1 * dayMs, quarter), null)
  t.match(warnedAt(end - 13.9 * dayMs, quarter), /^certificate_expires: /)

  await write(renewed)
  await until(() => watching.shown().life.until > end)
}

async function endingCertificate(t: Test, around: Surroundings): Promise<void> {
  const dir = t.testdir(selfSigned(['127.0.0.1'], 0))
  const { TLS_CERT, TLS_KEY } = { TLS_CERT: join(dir, 'cert'), TLS_KEY: join(dir, 'key') }
  const port = 16_384 + randomInt(16_000)
  process.env.METRICS_PORT = String(port)
  await import('@tidemark/telemetry/register-metrics')
  await another(t, around, { TLS_CERT, TLS_KEY })
  const read = async (path: string) => (await fetch(`http://127.0.0.1:${port}${path}`)).text()

  const { warnings } = JSON.parse(await read('/readyz'))
  const today = new Date().toISOString().slice(0, 10)
  t.strictSame(warnings, [
    { service: 'gateway', cause: 'certificate_expires', says: `that in TLS_CERT ends on ${today}` },
  ])
  const [, expiry = ''] = /^tidemark_certificate_expires_seconds (\S+)$/m.exec(await read('/metrics')) ?? []
  const secondsAgo = Date.now() / 1_000 - Number(expiry)
  t.ok(secondsAgo >= 0 && secondsAgo < 300, expiry)
}

async function isTrusted(server: tls.Server, ca: string): Promise<boolean> {
  const { port } = server.address() as { port: number }
  const socket = tls.connect({ port, host: '127.0.0.1', ca })
  const isTrusted = await once(socket, 'secureConnect').then(
    () => true,
    () => false,
  )
  socket.destroy()
  return isTrusted
}

test('A client that leaves while it sends a body is no fault of the service', async t => {
  const app = fastify() as unknown as App
  const reports: unknown[] = []
  installProfile(app, profiles.narrative)
  installProblems(app, error => reports.push(error))
  const failed = new Promise<ApiProblem>(resolve => {
    app.addHook('onError', async (_request, _reply, error) => resolve(problemOf(error)))
  })
  app.post('/', async () => 'received')
  await app.listen({ host: '127.0.0.1', port: 0 })
  t.teardown(() => app.close())
  const { port } = app.server.address() as AddressInfo
  const socket = connect(port, '127.0.0.1')
  socket.write('POST / HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{')
  await once(app.server, 'request')
  socket.resetAndDestroy()
  t.equal((await failed).status, clientLeftStatus)
  t.strictSame(reports, [])
})

test('A deprecated route announces itself, and names its successor', async t => {
  const since = '2026-01-02T00:00:00Z'
  const answered = async (style: DeprecationStyle) => {
    const app = fastify() as unknown as App
    installDeprecation(app, style)
    const config = { deprecated: { since, successor: '/v1/new' } }
    app.get('/old', { config }, (_request, reply) => reply.header('link', '</a>; rel="next"').send({}))
    app.get('/fails', { config }, () => Promise.reject(new Error()))
    app.get('/new', () => ({}))
    const [old, fails, others] = await Promise.all(['/old', '/fails', '/new'].map(url => app.inject({ url })))
    t.equal(others?.headers.deprecation, undefined)
    t.equal(fails?.headers.link, '</v1/new>; rel="successor-version"')
    t.equal(old?.headers.link, '</a>; rel="next", </v1/new>; rel="successor-version"')
    return old?.headers.deprecation
  }
  t.equal(await answered('true'), 'true')
  t.equal(await answered('rfc9745'), `@${Date.parse(since) / 1000}`)
})

test('An entity tag is found in lists that contain it, and in no other', async t => {
  const tag = etagOf('x')
  t.equal(etagOf(Buffer.from('x')), tag)
  t.not(etagOf('y'), tag)
  const other = fc.string({ unit: fc.constantFrom('a', ',', '/', 'W', '!') }).map(text => `"${text}"`)
  const weak = (tag: string) => fc.constantFrom(tag, `W/${tag}`)
  fc.assert(
    fc.property(fc.array(other.chain(weak)), fc.array(other.chain(weak)), weak(tag), (before, after, own) => {
      t.equal(isNamed([...before, own, ...after].join(', '), tag), true)
      t.equal(isNamed([...before, ...after].join(','), tag), false)
    }),
    { numRuns: 50 },
  )
  const app = fastify()
  app.get('/', (_request, reply) => vary(vary(reply.header('vary', 'Origin'), 'Accept'), 'origin').send({}))
  t.equal((await app.inject('/')).headers.vary, 'Origin, Accept')
})

test('A gateway that stops closes a connection as soon as its last answer is sent', async t => {
  const app = fastify({ keepAliveTimeout: 72_000 }) as unknown as App
  installClosing(app)
  const requested = Promise.withResolvers<void>()
  app.get('/slow', async () => {
    requested.resolve()
    await sleep(200)
    return 'answered'
  })
  const url = await app.listen({ host: '127.0.0.1', port: 0 })
  const agent = new http.Agent({ keepAlive: true })
  t.teardown(() => agent.destroy())
  const status = new Promise<number | undefined>((resolve, reject) => {
    const request = http.get(`${url}/slow`, { agent }, answer => {
      answer.resume().on('end', () => resolve(answer.statusCode))
    })
    request.on('error', reject)
  })
  await requested.promise
  const startedAt = performance.now()
  await app.close()
  t.equal(await status, 200)
  t.ok(performance.now() - startedAt < 5_000)
})
