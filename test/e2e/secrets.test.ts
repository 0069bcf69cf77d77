import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { startOrigin } from '@tidemark/testing/origin'
import pg from 'pg'
import { test } from 'tap'
import { type System, startSystem } from './system.ts'

const header = 'header-secret-5f2c9a7e41'
const cookie = 'cookie-secret-90b1d3e6aa'

test('Secrets of a customer', async t => {
  const [origin, elsewhere] = await Promise.all([startOrigin(), startOrigin({ host: '127.1.0.9' })])
  t.teardown(() => Promise.all([origin.close(), elsewhere.close()]))
  origin.site({
    '/': `<a href="/b">b</a><a href="${elsewhere.url}/c">c</a><a href="/away">away</a>`,
    '/b': 'b',
    '/away': { status: 302, headers: { location: `${elsewhere.url}/d` } },
  })
  const system = await startSystem()
  t.teardown(() => system.stop())
  const key = await system.createProject('secretive')
  const run = await system.crawl(key, {
    url: `${origin.url}/`,
    delay_ms: 0,
    headers: { 'X-Token': header },
    cookies: `session=${cookie}`,
  })

  t.test("go with every request to the seed's site", async t => {
    t.match(run, { status: 'done', page_count: 2 })
    t.ok(origin.hits.length >= 4, 'robots.txt, two pages and a redirect')
    for (const { path, headers } of origin.hits) {
      t.match(headers, { 'x-token': header, cookie: `session=${cookie}` }, path)
    }
  })

  t.test('go nowhere else', async t => {
    t.strictSame(elsewhere.hits, [])
  })

  t.test('stand nowhere in the clear: not in tables, streams, logs or Redis', async t => {
    const secrets = [header, cookie, key]
    const found = [...(await inFiles(system.dir, secrets)), ...(await inTables(system, secrets))]
    t.strictSame(found, [])
  })

  t.test('that could break out of their line are refused', async t => {
    const url = `${origin.url}/`
    const bad = [
      { headers: { 'x-a': 'b\r\nx-c: d' } },
      { headers: { 'x a': 'b' } },
      { headers: { Host: 'other' } },
      { headers: { 'x-a': 1 } },
      { headers: ['x'] },
      { cookies: 'a=b\nc' },
      { cookies: 'x'.repeat(65_537) },
    ]
    for (const wrong of bad) {
      const { status, body } = await system.call(key, 'POST', '/v1/crawls', { url, ...wrong })
      const field = Object.keys(wrong)[0] ?? ''
      t.match(
        { status, ...body.error },
        { status: 400, code: 'invalid_input' },
        JSON.stringify(wrong).slice(0, 60),
      )
      t.ok(String(body.error.field).startsWith(field))
    }
  })
})

/** Every file that the system has written, but the key that is kept for the person who started it. */
async function inFiles(dir: string, secrets: string[]): Promise<string[]> {
  const files = await readdir(dir, { recursive: true, withFileTypes: true })
  const found: string[] = []
  for (const file of files.filter(file => file.isFile() && file.name !== 'first-key.json')) {
    const bytes = await readFile(join(file.parentPath, file.name)).catch(() => Buffer.alloc(0))
    for (const secret of secrets) if (bytes.includes(secret)) found.push(`${secret} in ${file.name}`)
  }
  return found
}

async function inTables(system: System, secrets: string[]): Promise<string[]> {
  const client = new pg.Client({ connectionString: (await system.runFile()).postgres.url })
  await client.connect()
  const { rows: tables } = await client.query(
    `select format('%I.%I', schemaname, tablename) as name from pg_tables where schemaname not in ('pg_catalog', 'information_schema')`,
  )
  const found: string[] = []
  for (const { name } of tables) {
    for (const secret of secrets) {
      const { rowCount } = await client.query(`select 1 from ${name} as row where row::text like $1`, [
        `%${secret}%`,
      ])
      if (rowCount) found.push(`${secret} in ${name}`)
    }
  }
  await client.end()
  return found
}
