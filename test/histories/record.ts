/**
 * `node test/histories/record.ts NAME` records a history: the messages of a few crawls in the streams of this checkout,
 * and the rows that its services make of them. A release adds one file (docs/recipes.md, Add an event).
 */
import { writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type System, startSystem } from '../e2e/system.ts'
import { messagesOf, ofProject, rowsOf } from './stored.scene.ts'

const [name = ''] = process.argv.slice(2)
if (!/^[\w.-]+$/.test(name)) throw new Error('Give the history a name: node test/histories/record.ts 0.5.0')

const link = (path: string) => `<p><a href="${path}">about ${path}</a></p>`
const chain = Array.from({ length: 6 }, (_, n): [string, string] => [`/deep/${n}`, link(`/deep/${n + 1}`)])
const pages = new Map<string, string>([
  ['/', ['/a', '/b', '/old', '/missing', '/fails', '/closes', '/private', '/deep/0'].map(link).join('')],
  ['/a', `${link('/b')}${link('/a?session=1')}`],
  ['/b', link('https://elsewhere.example/')],
  ['/a?session=1', link('/')],
  ...chain,
])

/** A site with a page of each outcome. */
const site = createServer((request, response) => {
  const { url: path = '/', socket } = request
  const body = pages.get(path)
  const { port } = socket.address() as AddressInfo
  if (path === '/closes') return void socket.destroy()
  if (path === '/fails') return void response.writeHead(500).end('no')
  if (path === '/old') return void response.writeHead(301, { location: '/a' }).end()
  if (path === '/robots.txt') return void response.end('User-agent: *\nDisallow: /private\n')
  if (path === '/sitemap.xml') {
    const listed = ['/a', '/b'].map(each => `<url><loc>http://127.1.0.9:${port}${each}</loc></url>`)
    response.writeHead(200, { 'content-type': 'application/xml' })
    return void response.end(`<urlset>${listed.join('')}</urlset>`)
  }
  if (body === undefined) return void response.writeHead(404).end('<title>Not found</title>')
  response.writeHead(200, { 'content-type': 'text/html', etag: `"${path.length}"` })
  response.end(`<title>Page ${path}</title>${body}`)
})
await new Promise<void>(resolve => site.listen(0, '127.1.0.9', resolve))
const origin = `http://127.1.0.9:${(site.address() as AddressInfo).port}`

const system = await startSystem()
const key = await system.createProject('history', '--unlimited')
await crawlAll(system)
// The read models follow the streams within a second.
await sleep(4_000)
const { nats, postgres } = await system.runFile()
const rows = await rowsOf(postgres.url)
const [run] = rows['read.run'] ?? []
const messages = ofProject(await messagesOf(nats.url), Number(run && Reflect.get(run, 'project_id')))
await system.stop()
site.closeAllConnections()
site.close()
const lines = [
  ...messages,
  ...Object.entries(rows).flatMap(([table, found]) => found.map(row => ({ table, row }))),
]
await writeFile(
  join(import.meta.dirname, `${name}.jsonl`),
  lines.map(line => `${JSON.stringify(line)}\n`).join(''),
)

/**
 * Crawls the site in each way that produces other events. A version without an endpoint answers 404, which is ignored.
 */
async function crawlAll({ call, untilEnded }: System): Promise<void> {
  const send = (method: string, path: string, body?: object) => call(key, method, `/v1${path}`, body)
  const start = async (request: object): Promise<number> =>
    (await send('POST', '/crawls', { delay_ms: 0, url: `${origin}/`, ...request })).body.id
  const ended = async (request: object) => {
    const id = await start(request)
    await untilEnded(key, id)
    return id
  }
  const whole = await ended({ depth: 4, webhook_url: `${origin}/b` })
  await ended({ max_pages: 3, exclude_paths: ['^/b$'] })
  await ended({ seed_kind: 'sitemap' })
  await ended({ url: `${origin}/private` })
  await ended({ store_html: false, respect_robots: false, concurrency: 1 })
  const cancelled = await start({ delay_ms: 2_000 })
  await sleep(1_500)
  await send('POST', `/crawls/${cancelled}/pause`)
  await send('POST', `/crawls/${cancelled}/resume`)
  await send('POST', `/crawls/${cancelled}/cancel`)
  await send('DELETE', `/crawls/${await ended({ max_pages: 2 })}`)
  await send('POST', `/crawls/${whole}/retry-failed`)
  await untilEnded(key, whole)
  const monitor = await send('POST', '/crawls', { url: `${origin}/`, delay_ms: 0, cron: '0 0 1 1 *' })
  for (let nth = 0; nth < 2; nth++) {
    const { body } = await send('POST', `/crons/${monitor.body.monitor_id}/run`)
    const id = body.run_id ?? body.id
    if (typeof id === 'number') await untilEnded(key, id)
  }
  await send('POST', '/scan', { url: `${origin}/a` })
}
