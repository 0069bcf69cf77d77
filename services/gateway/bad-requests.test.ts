import net from 'node:net'
import { Refusal } from '@tidemark/bus/refusal'
import { type ProblemCode, problems } from '@tidemark/contracts/problems'
import { webUrl } from '@tidemark/testing/any-url'
import { codePoint } from '@tidemark/testing/code-point'
import { isFullTier, sized } from '@tidemark/testing/tier'
import fc from 'fast-check'
import { test } from 'tap'
import { badBodies, badUrls, hostile, notHttp } from './bad-requests.examples.ts'
import { caller, keyNamed, seed, surroundings } from './gateway.scene.ts'
import { problemOf } from './http/requests/problem-of.ts'
import { proxyJudge, targetJudge } from './live-pages/adapters/target.ts'
import { textRequests } from './text-fields.examples.ts'

const pools = JSON.stringify({
  isp: { DE: ['http://user:word@192.0.2.1:8080'], us: ['socks5://192.0.2.2'] },
  residential: ['https://192.0.2.3'],
})

/** Each item has its own result. */
const oneOfMany = 'urls[0]'

/** The body is not read before its signature is verified. */
const signed = '/v1/billing/webhook'

/** Endpoints whose specification names 422. */
const ofCloud: ReadonlySet<string> = new Set(['/v1/cloud/transform', '/v1/cloud/unblock'])

test('The gateway, given bad requests,', async t => {
  const around = await surroundings(t, { env: { EGRESS_ALLOW: '127.0.0.1/32', PROXY_POOLS: pools } })
  const { standIns } = around
  const key = keyNamed('m')
  standIns.addKey(key, 7)
  const { call, post } = caller(around, key)

  t.test('refuses bad fields by name, and starts nothing', async t => {
    const before = standIns.starts.length
    for (const [body, field, reason, message] of badBodies) {
      const { status, json } = await post('/v1/crawls', body)
      t.match({ status, ...json.error }, { status: 400, code: 'invalid_input', reason }, `${field} ${reason}`)
      t.equal(json.error.field, field)
      if (message) t.equal(json.error.message, message)
    }
    t.equal(standIns.starts.length, before)
  })

  t.test('refuses text that cannot be stored, in every field of every route', async t => {
    const before = standIns.starts.length
    const document = (await call('GET', '/openapi.json')).json
    const tried = new Set<string>()
    for (const text of ['a\0b', 'a\ud800b']) {
      for (const { method, path, field, body } of textRequests(document, text)) {
        // A query cannot contain lone surrogates: its bytes are decoded as UTF-8.
        if (body === undefined && !text.isWellFormed()) continue
        if (path === signed || field === oneOfMany) continue
        const { status, json } = await call(method, path, body === undefined ? {} : { body })
        const what = `${method} ${path} ${field} ${JSON.stringify(text)}`
        const isOfThose = method === 'PATCH' || path === '/v1/signup' || ofCloud.has(path)
        t.equal(status, isOfThose ? 422 : 400, what)
        t.match(json?.error, { code: 'invalid_input', field }, what)
        tried.add(field)
      }
    }
    for (const field of ['url', 'exclude_paths[0]', 'cron', 'schedule', 'headers.any', 'extract.any'])
      t.ok(tried.has(field), field)
    const named = await post('/v1/crawls', { url: seed, headers: { 'a\0': 'b' } })
    t.match(named, { status: 400, json: { error: { field: 'headers' } } }, 'names too')
    t.equal(standIns.starts.length, before)
  })

  t.test('refuses addresses that cannot or must not be crawled', async t => {
    const before = standIns.starts.length
    for (const [url, reason] of badUrls) {
      const { status, json } = await post('/v1/crawls', { url })
      t.match(
        { status, ...json.error },
        { status: 400, code: 'invalid_input', reason, field: 'url' },
        `${reason}: ${url}`,
      )
    }
    t.equal(standIns.starts.length, before)
  })

  t.test('refuses the names of metadata services in every field with an address to request', async t => {
    const before = standIns.starts.length
    const document = (await call('GET', '/openapi.json')).json
    const names = [
      ...['metadata.google.internal', 'METADATA.google.internal.', 'metadata', 'instance-data'],
      ...['metadata.azure.internal', 'metadata.tencentyun.com', '100-100-100-200.nip.io'],
    ]
    const tried = new Set<string>()
    for (const [first, name] of names.entries()) {
      const requests = textRequests(document, `http://${name}`).filter(
        // A filter of stored rows requests no host, and an item of a list has its own result.
        ({ path, field }) => /(?:^|_)url$/.test(field) && !/^\/v1\/(?:crawls\/\d|scans\?)/.test(path),
      )
      for (const [n, { method, path, field, body }] of requests.entries()) {
        if (!isFullTier && n % names.length !== first) continue // each field with one of the names
        const answer = await call(method, path, body === undefined ? {} : { body })
        const refused = { code: 'invalid_input', reason: 'private_address', field }
        const status = method === 'PATCH' || ofCloud.has(path) ? 422 : 400
        t.match(answer, { status, json: { error: refused } }, `${name}: ${method} ${path} ${field}`)
        tried.add(`${method} ${path.replace(/\?.*/, '')} ${field}`)
      }
    }
    const fields = ['/v1/crawls url', '/v1/crawls webhook_url', '/v1/crawls proxy_url', '/v1/scan url']
    for (const field of [...fields.map(field => `POST ${field}`), 'PATCH /v1/crons/1 webhook_url'])
      t.ok(tried.has(field), field)
    const monitor = { url: seed, cron: '0 0 * * *', webhook_url: 'http://metadata.google.internal/' }
    for (const body of [monitor, { url: 'http://metadata/sitemap.xml', seed_kind: 'sitemap' }]) {
      const field = 'cron' in body ? 'webhook_url' : 'url'
      const refused = { status: 400, json: { error: { reason: 'private_address', field } } }
      t.match(await post('/v1/crawls', body), refused, field)
    }
    t.equal(standIns.starts.length, before)
  })

  t.test('accepts a name that cannot be resolved, and knows the one sample site', async t => {
    const never = () => new Promise<never>(() => {})
    const unknown = () => Promise.reject(Object.assign(new Error(), { code: 'ENOTFOUND' }))
    for (const resolver of [never, unknown]) {
      await targetJudge({ EGRESS_ALLOW: [], SAMPLE_ORIGIN: '' }, resolver)('http://name.example/')
    }
    const sample = targetJudge({ EGRESS_ALLOW: [], SAMPLE_ORIGIN: '127.0.0.1:9000' })
    await sample('http://127.0.0.1:9000/')
    await t.rejects(sample('http://127.0.0.1:9001/'), { message: /public/ })
  })

  t.test('never discloses how a name resolves inside our network', async t => {
    const inside = () => Promise.resolve([{ address: '10.0.0.7', family: 4 as const }])
    const judge = targetJudge({ EGRESS_ALLOW: [], SAMPLE_ORIGIN: '' }, inside)
    const refused = { reason: 'private_address', message: 'The address is not on the public internet.' }
    for (const host of ['vm', 'localhost']) await t.rejects(judge(`http://${host}/`), refused, host)
    const judgeProxy = proxyJudge({ EGRESS_ALLOW: [], SAMPLE_ORIGIN: '' }, inside)
    await t.rejects(judgeProxy('http://vm:3128'), refused)
    for (const [host, address] of [
      ['10.0.0.7', '10.0.0.7'],
      ['0xa.7', '10.0.0.7'],
      ['[::1]', '::1'],
    ] as const)
      await t.rejects(judge(`http://${host}/`), { message: new RegExp(`: ${address} is `) }, host)
  })

  t.test('maps foreign errors to the list of problems', t => {
    for (const [code, status] of [
      ['ECONNREFUSED', 503],
      ['57P01', 503],
      ['57014', 503],
      ['55P03', 503],
      ['08006', 503],
      ['53300', 503],
      ['22P02', 500],
      ['42P01', 500],
    ] as const) {
      t.equal(problemOf(Object.assign(new Error('secret'), { code })).status, status, code)
    }
    t.equal(problemOf(new Error('Connection terminated unexpectedly')).status, 503)
    t.equal(problemOf(new Refusal({ status: 418, code: 'teapot', message: 'short' })).status, 503)
    for (const thrown of [null, undefined, 'text', 7, {}]) t.equal(problemOf(thrown).status, 500)
    t.notMatch(problemOf(new Error('secret')).message, /secret/)
    t.end()
  })

  t.test('refuses invalid idempotency keys', async t => {
    for (const key of ['', 'a b', 'a, b', 'x'.repeat(256), 'ä']) {
      const answer = await call('POST', '/v1/crawls', {
        body: { url: seed },
        headers: { 'idempotency-key': key },
      })
      t.match(
        answer,
        { status: 400, json: { error: { field: 'idempotency-key', reason: 'bad_value' } } },
        key,
      )
      t.match(answer.json.error.message, /must be 1 to 255 visible ASCII characters, without spaces;/)
    }
  })

  t.test('answers every hostile request in the envelope, and none with 500', async t => {
    for (const [what, status, method, path, options] of hostile) {
      const answer = await call(method, path, options)
      t.equal(answer.status, status, what)
      if (status < 400) continue
      t.type(answer.json?.error?.code, 'string', what)
      t.equal(answer.json.error.request_id, answer.headers.get('x-request-id'), what)
    }
  })

  t.test('distinguishes a forbidden field name from invalid JSON', async t => {
    const headers = { 'content-type': 'application/json' }
    for (const [raw, message] of [
      ['{"__proto__":{}}', /__proto__/],
      ['{"a":{"constructor":{"prototype":1}}}', /constructor/],
      ['{"__proto__":{}', /is not valid JSON/],
    ] as const) {
      const { status, json } = await call('POST', '/v1/crawls', { raw, headers })
      t.match({ status, ...json.error }, { status: 400, code: 'invalid_input', message }, raw)
    }
  })

  t.test('names the methods of a path', async t => {
    const answer = await call('DELETE', '/v1/crawls')
    t.match(answer, { status: 405, json: { error: { code: 'method_not_allowed' } } })
    t.strictSame(answer.headers.get('allow')?.split(', ').sort(), ['GET', 'HEAD', 'POST'])
    t.equal((await call('PUT', '/v1/crawls/5/pages?x=1')).headers.get('allow'), 'GET, HEAD')
    for (const method of ['GET', 'PUT', 'PATCH', 'DELETE']) {
      const { status, headers } = await call(method, '/v1/cloud/fetch/pypi.org/project/x')
      t.strictSame([status, headers.get('allow')], [405, 'POST'], method)
    }
    t.equal((await call('OPTIONS', '/openapi.json')).status, 405)
  })

  t.test('answers bytes that are not HTTP in the envelope', async t => {
    for (const [what, status, bytes] of notHttp) {
      const text = await raw(around.url, bytes)
      t.match(text, new RegExp(`^HTTP/1.1 ${status} `), what)
      const { error } = JSON.parse(text.slice(text.indexOf('\r\n\r\n')))
      t.equal(problems[error.code as ProblemCode]?.status, Number(status), `${what}: a code has one status`)
      t.match(text.toLowerCase(), `x-request-id: ${error.request_id}`, what)
    }
  })

  t.test('answers with RFC 9457 if the client prefers it', async t => {
    const headers = { accept: 'application/problem+json' }
    const answer = await call('POST', '/v1/crawls', { body: { url: seed, depth: 51 }, headers })
    t.match(answer.headers.get('content-type'), /^application\/problem\+json/)
    t.strictSame(answer.json, {
      type: 'about:blank',
      title: 'Bad Request',
      status: 400,
      detail: 'depth must be from 1 to 50; 51 was sent.',
      instance: `urn:uuid:${answer.headers.get('x-request-id')}`,
      code: 'invalid_input',
      reason: 'out_of_range',
      field: 'depth',
      request_id: answer.headers.get('x-request-id'),
    })
  })

  t.test('never fails on a JSON body, whatever its contents', async () => {
    const known = [
      'url',
      'max_pages',
      'depth',
      'concurrency',
      'delay_ms',
      'subdomains',
      'store_html',
      'params',
      'user_agent',
      'proxy_url',
      'proxy_pool',
      'proxy_country',
      'include_paths',
      'webhook_events',
      'max_age_seconds',
      'headers',
    ]
    const body = fc.oneof(
      fc.jsonValue(),
      fc.dictionary(fc.oneof(fc.constantFrom(...known), fc.string({ unit: codePoint })), fc.jsonValue()),
      fc.record({
        url: webUrl({ validSchemes: ['http'] }).map(url => url.replace(/\/\/[^/?#]+/, '//127.0.0.1')),
      }),
    )
    await fc.assert(
      fc.asyncProperty(body, async body => {
        const { status, json } = await post('/v1/crawls', body)
        if (status !== 202 && status !== 400) throw new Error(`${status} ${JSON.stringify(json)}`)
      }),
      { numRuns: sized(60, 200) },
    )
  })
})

async function raw(url: string, bytes: string): Promise<string> {
  const { port, hostname } = new URL(url)
  const socket = net.connect(Number(port), hostname)
  socket.on('error', () => {})
  let text = ''
  socket.on('data', data => {
    text += data
  })
  socket.write(bytes)
  await new Promise(resolve => socket.once('close', resolve))
  return text
}
