/**
 * A client that follows the OpenAPI document, and a hostile one, send hundreds of requests to the whole system. Every
 * response must match the document. FUZZ=10000 sends more requests, SEED selects others.
 */

import { readReference } from '@tidemark/gateway/openapi-answers.scene'
import { startDns } from '@tidemark/testing/dns'
import { startOrigin } from '@tidemark/testing/origin'
import fc from 'fast-check'
import { test } from 'tap'
import { type FuzzRequest, type Known, requestsOf } from './fuzz-requests.ts'
import { valuesFor } from './fuzz-values.ts'
import { logLines } from './log-lines.ts'
import { startSystem } from './system.ts'

const times = Number(process.env.FUZZ ?? 250)
const seed = Number(process.env.SEED ?? 20_261_121)
const atOnce = 8
const maxShown = 30
/** Length of a path that leaves enough of the 16 KiB limit for the headers. */
const maxReadLength = 12_000
const unavailable = new Set(['not_ready', 'unavailable', 'not_configured'])
/** Errors that a valid request must not get. */
const wronglyRefused = new Set(['wrong_type', 'bad_json'])

const home =
  '<!doctype html><title>Harbour</title><h1>Tides</h1><a href=/a>a</a> <a href=/b>b</a><p>High water.'

test('Every response matches the API reference', { timeout: 1_800_000 }, async t => {
  const dns = await startDns({ answer: name => (name === 'harbour.test' ? ['127.1.0.1'] : null) })
  t.teardown(() => dns.close())
  const origin = await startOrigin({
    pages: { '/': home, '/a': home, '/b': 'B', '/robots.txt': 'User-agent: *\n' },
  })
  t.teardown(() => origin.close())
  const system = await startSystem({ DNS_SERVERS: dns.server, EVENT_STREAMS_PER_PROJECT: '1000' })
  t.teardown(() => system.stop())
  const key = await system.createProject('fuzz', '--unlimited', '--tier', 'agency')
  // A cap that is never reached, so that responses contain the remaining pages.
  await system.admin('set-project', '--name', 'fuzz', '--pages-per-day', '1000000')
  // A rotation without grace period ends earlier keys, so it uses a project and a key of its own.
  let rotating = await system.createProject('rotating', '--unlimited')

  const run = await system.crawl(key, { url: origin.url, delay_ms: 0 })
  const { items } = (await system.call(key, 'GET', `/v1/crawls/${run.id}/pages`)).body
  const monitor = await system.call(key, 'POST', '/v1/crawls', { url: origin.url, cron: '0 0 1 1 *' })
  const pages = items.map(({ id }: { id: number }) => id)
  const others = Array.from({ length: 25 }, (_, n) => n + 1).filter(
    id => id !== run.id && id !== monitor.body.monitor_id,
  )
  const known: Known = ({ method, path }, name) => {
    if (name === 'domain') return ['pypi.org', 'nowhere.test']
    if (name === 'path') return ['project/requests', 'a']
    if (name === 'prefix') return ['abcdefghijkl', rotating.slice(0, 12)]
    if (method === 'GET') return path.startsWith('/v1/pages/') ? pages : [run.id, run.id, run.id, 1]
    return method === 'PATCH' ? [monitor.body.monitor_id] : others
  }
  const urls = [
    ...['', '/', '/a', '/b?x=1#y', '/missing', '/status/503', '/redirect-loop'].map(
      path => origin.url + path,
    ),
    `http://harbour.test:${origin.port}/`,
    ...[
      'http://nowhere.invalid/',
      'https://nowhere.test:8443/x',
      'http://127.1.0.9:9/',
      'http://127.0.0.1:1/',
    ],
    ...[
      'http://[::1]/',
      'http://10.0.0.1/',
      'http://user:word@127.1.0.1/',
      'ftp://127.1.0.1/',
      'http://malware.test/',
    ],
  ]
  const document = (await system.call(null, 'GET', '/openapi.json')).body
  const reference = readReference(document)
  const requests = fc.sample(requestsOf(reference, valuesFor(reference, urls), known), {
    numRuns: times,
    seed,
  })

  const faults = new Map<string, string>()
  const tally = new Map<string, number>()
  const succeeded = new Set<string>()
  const all = requests.values()
  await Promise.all(Array.from({ length: atOnce }, work))
  t.comment(`${times} requests, seed ${seed}: ${JSON.stringify(Object.fromEntries([...tally].sort()))}`)
  t.ok((tally.get('valid 2xx') ?? 0) > times / 8, 'many requests succeed')
  const never = reference.operations.map(({ id }) => id).filter(id => !succeeded.has(id))
  t.comment(`never succeeded: ${never.join(', ')}`)
  if (faults.size > 0) t.comment((await logLines(system.dir, /"level":"error"/)).slice(-maxShown).join('\n'))
  t.strictSame([...faults].slice(0, maxShown), [])
  t.equal((await system.call(null, 'GET', '/v1/ready')).status, 200)

  async function work(): Promise<void> {
    for (const request of all) {
      const fault = await send(request).catch((error: Error) => `no answer: ${error.cause ?? error.name}`)
      const { operation, path, headers, body } = request
      const text = `${operation.method} ${path} ${JSON.stringify(headers)} ${String(body)}`.slice(0, 600)
      if (fault !== null && !faults.has(`${operation.id}: ${fault}`))
        faults.set(`${operation.id}: ${fault}`, text)
    }
  }

  async function send({ operation, path, headers, body, isValid }: FuzzRequest): Promise<string | null> {
    const isRotation = operation.path.startsWith('/v1/keys')
    const response = await fetch(system.base + path, {
      method: operation.method,
      headers: { ...headers, authorization: `Bearer ${isRotation ? rotating : key}` },
      ...(body !== null && { body }),
      signal: AbortSignal.timeout(95_000),
    })
    const type = response.headers.get('content-type')?.split(';')[0] ?? ''
    const text = await textOf(response, type)
    const json = /[/+]json$/.test(type) && text !== '' ? parsed(text) : text
    if (json === undefined) return 'is not JSON'
    count(`${isValid ? 'valid' : 'wrong'} ${Math.floor(response.status / 100)}xx`)
    if (response.status < 300) succeeded.add(operation.id)
    if (operation.id === 'rotateKey' && response.status === 200) rotating = json.api_key
    if (operation.id === 'startCrawl' && json.id)
      await system.call(key, 'POST', `/v1/crawls/${json.id}/cancel`)
    const fault = faultOf(response, json)
    // The server rejects the headers before routing, so no operation documents this.
    if (response.status === 431 && path.length > maxReadLength) return fault
    if (operation.id === 'none') return type === 'text/html' ? null : fault
    const { status, headers: sent } = response
    return fault ?? reference.answerFault(operation, { status, headers: sent, type, body: json })

    function faultOf({ status, headers }: Response, json: ReturnType<typeof parsed>): string | null {
      if (status === 401 && isRotation) return null
      if (headers.get('x-content-type-options') !== 'nosniff') return 'no nosniff'
      if (status < 400 || operation.method === 'HEAD') return null
      const problem = type === 'application/problem+json' ? json : json.error
      if (typeof problem?.code !== 'string') return `${status} without the error envelope`
      if (problem.request_id !== headers.get('x-request-id')) return `${status} without its request_id`
      if (status === 500) return '500'
      if (status === 503 && !unavailable.has(problem.code)) return `503 ${problem.code}`
      if (isValid && wronglyRefused.has(problem.reason))
        return `valid, but ${problem.reason}: ${problem.message}`
      return null
    }
  }

  function count(what: string): void {
    tally.set(what, (tally.get(what) ?? 0) + 1)
  }
})

/** Returns the text of a response, but only the beginning of an event stream, which may be endless. */
async function textOf(response: Response, type: string): Promise<string> {
  if (type !== 'text/event-stream') return response.text()
  const reader = response.body?.getReader()
  await reader?.read()
  await reader?.cancel()
  return 'stream'
}

// biome-ignore lint/suspicious/noExplicitAny: any answer of the API
function parsed(text: string): any {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
