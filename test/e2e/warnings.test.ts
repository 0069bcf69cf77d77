/**
 * Calls every read operation of the API reference with unknown query parameters. The answer names them in every format.
 * New operations are covered automatically.
 */

import { startOrigin } from '@tidemark/testing/origin'
import { patient } from '@tidemark/testing/slowness'
import { until } from '@tidemark/testing/until'
import { test } from 'tap'
import { type Answer, sharedSystem } from './system.ts'

type Parameter = {
  $ref?: string
  name: string
  in: string
  required?: boolean
  schema: { enum?: string[]; maximum?: number; type?: string }
}
type Operation = { operationId: string; parameters?: Parameter[] }
type Pair = [name: string, value: string]
type Document = { paths: Record<string, Record<string, Operation>> }

const bogus = 'bogus=1&b%C3%A4d=2'
const expected = ["unknown query parameter 'bogus' was ignored", "unknown query parameter 'bäd' was ignored"]
/** The parameters that the API accepts only together with others: for each parameter, the pairs to add by operation. */
const companions: Record<string, Record<string, Pair[]>> = {
  only_main_content: {
    listPages: [
      ['include', 'markdown'],
      ['format', 'ndjson'],
    ],
    getPage: [['format', 'markdown']],
  },
  chunk_max_tokens: {
    listPages: [
      ['include', 'markdown'],
      ['format', 'ndjson'],
    ],
    getPage: [['format', 'markdown']],
  },
  chunk_overlap: {
    listPages: [
      ['include', 'markdown'],
      ['format', 'ndjson'],
      ['chunk_max_tokens', '512'],
    ],
    getPage: [
      ['format', 'markdown'],
      ['chunk_max_tokens', '512'],
    ],
  },
  article_format: {
    listPages: [
      ['include', 'article'],
      ['format', 'ndjson'],
    ],
    getPage: [['format', 'article']],
  },
}
/** These paths are not in the reference, but people and programs read them too. */
const besides = ['/', '/docs', '/docs/reference.js', '/openapi.json', '/postman.json']

test('Every answer to a read names the query parameters that it ignored', {
  timeout: patient(300_000),
}, async t => {
  const origin = await startOrigin({ pages: { '/': '<title>a</title><a href=/b>b</a>', '/b': 'b' } })
  t.teardown(() => origin.close())
  const system = await sharedSystem()
  t.teardown(() => system.stop())
  const key = await system.createProject('warnings', '--unlimited')
  const url = `${origin.url}/`
  const [old, fresh] = [await crawl(), await crawl()]
  const pictured = await crawl({ render: 'always', screenshots: true, max_pages: 1 })
  const { body: pages } = await call(`/v1/crawls/${pictured}/pages`)
  const { body: monitor } = await system.call(key, 'POST', '/v1/crawls', { url, cron: '0 3 1 1 *' })
  const signup = { project_name: `warned-${fresh}`, email: 'a@b.example', tier: 'pro' }
  const { body: intent } = await system.call(null, 'POST', '/v1/signup', signup)
  const file = await exported()
  const batch = await scanned()
  const signed = Object.fromEntries(new URL(file.download_url).searchParams)
  const queries: Record<string, unknown> = { url, intent_id: intent.intent_id, ...signed }
  const ids: Record<string, unknown> = { old_id: old, new_id: fresh }
  const byResource: Record<string, unknown> = {
    crawls: fresh,
    pages: pages.items[0].id,
    crons: monitor.monitor_id,
    exports: file.id,
    scan: batch,
  }
  const { body: document } = await system.call(null, 'GET', '/openapi.json')
  const reads = Object.entries((document as Document).paths).flatMap(([path, { get }]) =>
    get === undefined ? [] : [{ path, ...get }],
  )
  t.ok(reads.length > 25, `${reads.length} operations`)
  for (const { path, operationId, parameters = [] } of reads) {
    const filled = path.replaceAll(/\{(\w+)\}/g, (_, name) =>
      String(ids[name] ?? byResource[resourceOf(path)]),
    )
    const takes = parameters.filter(parameter => parameter.in === 'query')
    const needed = takes
      .filter(({ required }) => required)
      .map(({ name }): Pair => [name, String(queries[name])])
    await t.test(operationId, async t => {
      const at = (more: Pair[], rest = '') => {
        const query = [new URLSearchParams([...needed, ...more]).toString(), rest].filter(Boolean).join('&')
        return query === '' ? filled : `${filled}?${query}`
      }
      const quiet = await call(at([]))
      t.equal(quiet.status, 200)
      t.equal(quiet.headers.get('x-warnings'), null, 'known parameters give no warning')
      for (const form of [[], ...takes.flatMap(formsOf)]) {
        const what = at([...form, ...form.flatMap(([name]) => companions[name]?.[operationId] ?? [])], bogus)
        const { status, headers, body } = await call(what)
        t.equal(status, 200, what)
        t.strictSame(JSON.parse(headers.get('x-warnings') ?? '[]'), expected, `${what}: header`)
        if (body !== null) t.strictSame(body.warnings?.slice(0, 2), expected, `${what}: body`)
      }
    })
  }
  for (const path of besides) {
    const { headers } = await fetch(`${system.base}${path}?${bogus}`)
    t.strictSame(JSON.parse(headers.get('x-warnings') ?? '[]'), expected, path)
  }
  for (const path of [`/v1/crons/${monitor.monitor_id}`, `/v1/crawls/${old}`]) {
    const { status, headers } = await system.call(key, 'DELETE', `${path}?${bogus}`)
    t.strictSame([status, JSON.parse(headers.get('x-warnings') ?? '[]')], [204, expected], `DELETE ${path}`)
  }

  async function crawl(more: object = {}): Promise<number> {
    return (await system.crawl(key, { url, delay_ms: 0, ...more })).id
  }
  async function scanned(): Promise<number> {
    const { body } = await system.call(key, 'POST', '/v1/scan/batch', { urls: [url] })
    await until(async () => (await call(`/v1/scan/batches/${body.id}`)).body.status === 'done')
    return body.id
  }
  async function exported() {
    const { body } = await system.call(key, 'POST', `/v1/crawls/${fresh}/exports`, { format: 'sitemap' })
    let view = body
    await until(async () => {
      view = (await call(`/v1/exports/${body.id}`)).body
      return view.status === 'done'
    })
    return view
  }
  /** Returns the answer, with the body null unless it is JSON. */
  async function call(path: string): Promise<Answer> {
    const response = await fetch(system.base + path, { headers: { authorization: `Bearer ${key}` } })
    const text = await response.text()
    const isJson = response.headers.get('content-type')?.startsWith('application/json')
    return { status: response.status, headers: response.headers, body: isJson ? JSON.parse(text) : null }
  }
})

const resourceOf = (path: string): string => path.split('/')[2] ?? ''

/** Returns parameters that change the format of the answer: each choice, and a limit that leads to a streamed list. */
const formsOf = ({ name, schema }: Parameter): Pair[][] => [
  ...(schema.enum ?? []).map((value): Pair[] => [[name, value]]),
  ...(name === 'limit' && schema.maximum !== undefined
    ? [[[name, String(schema.maximum)] satisfies Pair]]
    : []),
]
