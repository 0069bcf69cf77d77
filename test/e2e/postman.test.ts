/** Runs the Postman collection as a new user would: every request against a real instance. */
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import type { Document } from '@tidemark/gateway/reference-pages/domain/openapi/document'
import { startOrigin } from '@tidemark/testing/origin'
import { test } from 'tap'
import { sharedSystem } from './system.ts'

type Answered = { name: string; status: number; body: string }
type Response = { code: number; text(): string }
type Entry = {
  item?: Entry[]
  request?: { method: string; url: { variable?: { key: string; value: string }[] } }
}
type Collection = { item: Entry[] }
type Callbacks = {
  response(
    error: Error | null,
    cursor: unknown,
    response: Response,
    request: unknown,
    item: { name: string },
  ): void
  done(error: Error | null): void
}
type Run = { start(callbacks: Callbacks): void }
type Runner = {
  run(collection: object, options: object, then: (error: Error | null, run: Run) => void): void
}

const required = createRequire(import.meta.url)
const { Runner } = required('postman-runtime') as { Runner: new () => Runner }
const sdk = required('postman-collection') as { Collection: new (definition: object) => object }
const limitMs = 120_000

const page = (links: string) => `<!doctype html><title>Harbour</title><main><h1>Harbour</h1>${links}</main>`

test('Each request of the Postman collection gets a documented answer', async t => {
  const system = await sharedSystem()
  t.teardown(() => system.stop())
  const origin = await startOrigin({
    pages: {
      '/': { body: page('<a href=/pricing>Prices</a>') },
      '/pricing': { body: page('<a href=/>Home</a>') },
      '/sitemap.xml': { headers: { 'content-type': 'application/xml' }, body: '<urlset></urlset>' },
    },
  })
  t.teardown(() => origin.close())
  const key = await system.createProject('postman')
  const { id: runId } = await system.crawl(key, { url: `${origin.url}/`, delay_ms: 0 })
  const { items } = (await system.call(key, 'GET', `/v1/crawls/${runId}/pages`)).body

  const served = await fetch(`${system.base}/postman.json`)
  const file = new URL('../../services/gateway/reference/postman.json', import.meta.url)
  const text = await served.text()
  t.ok(text === (await readFile(file, 'utf8')), 'the served collection equals the file')

  const found = JSON.parse(text.replaceAll(/https:\/\/[a-z.]*example\.(com|org)/g, origin.url)) as Collection
  const ids = { 41: runId, 42: runId, 51: items[0].id }
  // No test sends requests to a real site.
  const sites = { 'pypi.org': 'nowhere.test', 'news.ycombinator.com': 'nowhere.test' }
  const requests = withValues(found, { ...ids, ...sites })
  const answers = await run({ ...found, item: requests }, { baseUrl: system.base, apiKey: key })

  const document: Document = (await system.call(null, 'GET', '/openapi.json')).body
  const operations = Object.values(document.paths).flatMap(methods => Object.values(methods))
  t.equal(answers.length, operations.length)
  for (const { name, status, body } of answers) {
    const { responses = {} } = operations.find(({ summary }) => summary === name) ?? {}
    const isAnswered = status < 500 || body.includes('"not_configured"')
    t.ok(isAnswered && status in responses, `${name}: ${status}`, { body: body.slice(0, 500) })
    t.notMatch(body, 'bad_json', name)
  }
  const successes = answers.filter(({ status }) => status < 300)
  t.ok(successes.length >= 25, `${successes.length} of ${answers.length} succeeded`)
})

/** Returns all requests in one list, with real ids instead of those in the examples, and with deletions last. */
function withValues(collection: Collection, values: Record<string, number | string>): Entry[] {
  const all = flat(collection.item)
  for (const variable of all.flatMap(({ request }) => request?.url.variable ?? [])) {
    const value = values[variable.value]
    if (value !== undefined) variable.value = String(value)
  }
  const isDeletion = ({ request }: Entry) => request?.method === 'DELETE'
  return [...all.filter(entry => !isDeletion(entry)), ...all.filter(isDeletion)]
}

const flat = (entries: Entry[]): Entry[] =>
  entries.flatMap(entry => (entry.item ? flat(entry.item) : [entry]))

function run(collection: Collection, variables: Record<string, string>): Promise<Answered[]> {
  const answers: Answered[] = []
  const variable = Object.entries(variables).map(([key, value]) => ({ key, value, type: 'string' }))
  const whole = new sdk.Collection({ ...collection, variable })
  return new Promise((resolve, reject) =>
    new Runner().run(whole, { timeout: { global: limitMs } }, (error, run) => {
      if (error) return reject(error)
      run.start({
        response(error, _cursor, response, _request, { name }) {
          if (error) reject(new Error(`${name}: ${error.message}`))
          else answers.push({ name, status: response.code, body: response.text() })
        },
        done: error => (error ? reject(error) : resolve(answers)),
      })
    }),
  )
}
