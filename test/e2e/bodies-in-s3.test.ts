/**
 * A whole system that stores bodies of pages in S3: bodies equal the served ones, they are deleted with their crawl,
 * and an outage of the store during a crawl loses nothing.
 */

import { randomBytes } from 'node:crypto'
import fs from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { startObjectStore } from '@tidemark/testing/object-store'
import { type Page, startOrigin } from '@tidemark/testing/origin'
import { patient } from '@tidemark/testing/slowness'
import { sized } from '@tidemark/testing/tier'
import { until } from '@tidemark/testing/until'
import pg from 'pg'
import { test } from 'tap'
import { run as verify } from '../../deploy/admin/verify.ts'
import { startSystem } from './system.ts'

const pagesOfSite = sized(30, 120)
const settings = { max_pages: pagesOfSite, respect_robots: false, depth: 50 }
const type = { 'content-type': 'text/html; charset=utf-8' }
const codings = { gzip: gzipSync, br: brotliCompressSync }

const pathOf = (n: number) => (n === 0 ? '/' : `/${n}`)

/** Returns long and short pages in each content coding. Two pages have the same body. */
function siteOf(name: string): { texts: Map<string, string>; pages: Record<string, Page> } {
  const texts = new Map<string, string>()
  for (let n = 0; n < pagesOfSite; n++) {
    const links = Array.from(
      { length: 8 },
      (_, to) => `<a href="${pathOf((n * 8 + to + 1) % pagesOfSite)}">${to}</a>`,
    )
    const words = randomBytes(n % 3 === 0 ? 4_000 : 20).toString('base64')
    const same = n === 7 || n === 8 ? 'the same' : `${n} ü 漢 ${words}`
    texts.set(pathOf(n), `<title>${name}</title><p>${same}</p>${n === 7 || n === 8 ? '' : links.join('')}`)
  }
  const pages = [...texts].map(([path, text], n): [string, Page] => {
    const coding = (['gzip', 'br', null] as const)[n % 3] ?? null
    if (coding === null) return [path, { headers: type, body: text }]
    return [path, { headers: { ...type, 'content-encoding': coding }, body: codings[coding](text) }]
  })
  return { texts, pages: Object.fromEntries(pages) }
}

test('Bodies in S3', { timeout: patient(300_000) }, async t => {
  const store = await startObjectStore()
  t.teardown(() => store.stop())
  // Admin commands that run in this process need the settings, too.
  Object.assign(process.env, store.env, { BODIES: 's3' })
  const system = await startSystem()
  t.teardown(() => system.stop())
  const { postgres } = await system.runFile()
  const pool = new pg.Pool({ connectionString: postgres.url, max: 2 })
  pool.on('error', () => {})
  t.teardown(() => pool.end())
  const key = await system.createProject('bodies', '--unlimited')
  const names = async (sql: string) =>
    (await pool.query<{ name: string }>(sql)).rows.map(({ name }) => name).sort()
  const held = () => names('select object as name from content.body where object is not null')
  const verified = async () => {
    const { ok, checks } = await verify([], system.dir, () => {})
    return { ok, bodies: checks.find(({ name }) => name === 'bodies'), text: JSON.stringify(checks) }
  }
  const start = async (site: ReturnType<typeof siteOf>, more: object) => {
    const origin = await startOrigin({ pages: site.pages })
    t.teardown(() => origin.close())
    const { status, body } = await system.call(key, 'POST', '/v1/crawls', {
      url: `${origin.url}/`,
      ...settings,
      ...more,
    })
    if (status !== 202) throw new Error(`POST /v1/crawls answered ${status}: ${JSON.stringify(body)}`)
    return { id: body.id as number, url: origin.url }
  }
  /** Returns the URLs of pages whose stored HTML differs from the HTML that the site served. */
  const unlike = async (id: number, url: string, { texts }: ReturnType<typeof siteOf>) => {
    const { body } = await system.call(key, 'GET', `/v1/crawls/${id}/pages?limit=1000`)
    const wrong: string[] = []
    for (const item of body.items as { id: number; url: string }[]) {
      const page = await system.call(key, 'GET', `/v1/pages/${item.id}?format=html`)
      if (page.body.html !== texts.get(item.url.slice(url.length))) wrong.push(item.url)
    }
    return { pages: body.items.length, wrong }
  }
  const site = siteOf('first')

  await t.test('equal the served bodies', async t => {
    const { id, url } = await start(site, { delay_ms: 0 })
    t.match(await system.untilEnded(key, id), { status: 'done', page_count: pagesOfSite })
    t.strictSame(await unlike(id, url, site), { pages: pagesOfSite, wrong: [] })
    const { rows } = await pool.query(
      `select count(distinct body_hash)::int as bodies from content.page where run_id = $1`,
      [id],
    )
    t.equal(rows[0].bodies, pagesOfSite - 1, 'equal bodies are stored once')
    t.strictSame(await store.names(), await held(), 'S3 has exactly the referenced objects')
    t.equal(
      (
        await names(`select url_key as name from content.page join content.body on hash = body_hash
      where object is null and run_id = ${id}`)
      ).length,
      0,
    )
    const page = (await system.call(key, 'GET', `/v1/crawls/${id}/pages?limit=1`)).body.items[0]
    const markdown = await system.call(key, 'GET', `/v1/pages/${page.id}?format=markdown`)
    t.match(markdown.body.markdown, /漢/, 'the extractor reads them')
    const { ok, bodies, text } = await verified()
    t.ok(ok, text)
    t.match(bodies?.looked, /bodies, \d+ of them in S3, with \d+ objects/)
  })

  await t.test('wait while the store is down, and none is lost', async t => {
    const second = siteOf('second')
    const { id, url } = await start(second, { delay_ms: 60 })
    const count = async () => (await system.call(key, 'GET', `/v1/crawls/${id}`)).body.page_count as number
    await until(async () => (await count()) > 10)
    await store.kill()
    await until(async () => {
      const { status, body } = await system.call(null, 'GET', '/v1/ready')
      return status === 503 && JSON.stringify(body).includes('bodies_away')
    })
    const settledBy = await count()
    const [{ id: any }] = (await system.call(key, 'GET', `/v1/crawls/${id}/pages?limit=1`)).body.items
    t.match(await system.call(key, 'GET', `/v1/pages/${any}?format=html`), {
      status: 503,
      body: { error: { code: 'unavailable', message: /bodies_away/ } },
    })
    t.equal((await system.call(key, 'GET', `/v1/crawls/${id}/links`)).status, 200, 'other requests succeed')
    t.ok(settledBy < pagesOfSite, `${settledBy} pages were settled by then`)
    await store.restart()
    t.match(await system.untilEnded(key, id), { status: 'done', page_count: pagesOfSite })
    t.strictSame(await unlike(id, url, second), { pages: pagesOfSite, wrong: [] })
    await until(async () => (await system.call(null, 'GET', '/v1/ready')).status === 200)
    const { ok, text } = await verified()
    t.ok(ok, text)
  })

  await t.test('are not in a backup, and the backup reports their number', async t => {
    const to = await fs.mkdtemp(join(tmpdir(), 'tidemark-backup-'))
    t.teardown(() => fs.rm(to, { recursive: true }))
    t.match(await system.admin('backup', '--to', to), { bodies_elsewhere: (await held()).length })
  })

  await t.test('are deleted with their crawls, without a remaining object', async t => {
    const first = JSON.parse(await fs.readFile(join(system.dir, 'first-key.json'), 'utf8')).api_key
    for (const one of [key, first])
      for (const { id } of (await system.call(one, 'GET', '/v1/crawls?limit=100')).body.items)
        t.equal((await system.call(one, 'DELETE', `/v1/crawls/${id}`)).status, 204)
    // Objects without a body, from the time of the outage, are swept an hour later.
    await pool.query('update content.object set sweep_at = now()')
    await until(async () => (await store.names()).length === 0)
    await until(async () => (await names('select name from content.object')).length === 0)
    t.strictSame(await held(), [])
    const { ok, text } = await verified()
    t.ok(ok, text)
  })

  await t.test('are checked by verify: missing objects and objects without a body are reported', async t => {
    const { id } = await start(site, { delay_ms: 0, max_pages: 10 })
    await system.untilEnded(key, id)
    const [name = ''] = await held()
    await store.remove(name)
    await store.put('bodies/stray/object', 'text')
    const { ok, bodies } = await verified()
    t.notOk(ok)
    t.strictSame(bodies?.details, [`${name} is not in S3`, 'bodies/stray/object in S3 belongs to no body'])
  })
})
