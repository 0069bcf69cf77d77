/**
 * The evidence and the policy of a real crawl. The script verifies its pages, OpenSSL verifies its time-stamp, and the
 * site confirms its requests.
 */
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { startOrigin } from '@tidemark/testing/origin'
import { startTimeStampAuthority } from '@tidemark/testing/time-stamp-authority'
import { until } from '@tidemark/testing/until'
import pg from 'pg'
import { test } from 'tap'
import { sharedSystem, startSystem } from './system.ts'

const run = promisify(execFile)
const script = join(import.meta.dirname, '../../docs/verify-evidence.mjs')
const delayMs = 150
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

test('A crawl of a real system is proven', async t => {
  const system = await sharedSystem()
  t.teardown(() => system.stop())
  const robots = 'User-agent: *\nDisallow: /private/\n'
  const bodyOf = (n: number) => `<title>Page ${n}</title><p>Größe ${n}</p>`
  const links = Array.from({ length: 8 }, (_, n) => `<a href="/${n + 1}">${n}</a>`).join('')
  const home = `<title>Home</title>${links}<a href="/private/a">a</a><a href="/private/b">b</a>`
  const pages = Object.fromEntries(Array.from({ length: 8 }, (_, n) => [`/${n + 1}`, bodyOf(n + 1)]))
  const origin = await startOrigin({ pages: { '/': home, ...pages, '/robots.txt': robots } })
  t.teardown(() => origin.close())
  const key = await system.createProject('evidence', '--unlimited')
  const get = async (path: string) => (await system.call(key, 'GET', path)).body
  const { id } = await system.crawl(key, { url: `${origin.url}/`, delay_ms: delayMs })

  await t.test('by its leaves, its signature and a stored body', async t => {
    const dir = t.testdir({ bodies: {} })
    const headers = { authorization: `Bearer ${key}` }
    const list = await fetch(`${system.base}/v1/crawls/${id}/evidence/leaves?format=ndjson`, { headers })
    const leaves = await list.text()
    const { url, id: pageId, raw_hash, address } = JSON.parse(leaves.split('\n')[1] ?? '')
    t.equal(address, new URL(origin.url).hostname)
    const body = (await get(`/v1/pages/${pageId}`)).html
    t.equal(
      raw_hash,
      sha256(bodyOf(Number(new URL(url).pathname.slice(1)))),
      'the hash of what the site sent',
    )
    await writeFile(join(dir, 'bodies', String(pageId)), body)
    const files = {
      'keys.json': JSON.stringify(await get('/v1/evidence-keys')),
      'evidence.json': JSON.stringify(await get(`/v1/crawls/${id}/evidence`)),
      'leaves.ndjson': leaves,
    }
    for (const [name, text] of Object.entries(files)) await writeFile(join(dir, name), text)
    const args = [script, ...[...Object.keys(files), 'bodies'].map(name => join(dir, name))]
    t.match((await run(process.execPath, args)).stdout, /^VALID: crawl \d+ with 9 pages, .* 1 bodies/)
  })

  await t.test('by its policy', async t => {
    const policy = await get(`/v1/crawls/${id}/policy`)
    t.match(policy, {
      run_id: id,
      respect_robots: true,
      delay_ms: delayMs,
      not_requested: { skipped: { total: 2, by_reason: { robots: 2 } }, not_reached: { total: 0 } },
      items: [
        {
          origin: origin.url,
          robots: {
            verdict: 'rules',
            status: 200,
            body_hash: sha256(robots),
            agent: '*',
            rules: [{ allow: false, pattern: '/private/' }],
            rule_count: 1,
          },
          delay_ms: delayMs,
          not_requested: { robots: 2, robots_unreachable: 0 },
          pages: { count: 9 },
        },
      ],
      next_offset: null,
    })
    t.equal(policy.items.length, 1)
    const requested = origin.hits.filter(({ path }) => path.startsWith('/private/'))
    t.strictSame(requested, [], 'the site received no request for these URLs')
    const [{ pages }] = policy.items
    t.ok(pages.average_gap_ms >= delayMs - 10, `${pages.average_gap_ms} ms`)
    const counted = pages.seconds.reduce(
      (sum: number, row: Record<string, number>) => sum + (row.pages ?? 0) * (row.seconds ?? 0),
      0,
    )
    t.equal(counted, 9)
    t.strictSame((await get(`/v1/crawls/${id}/policy?offset=1`)).items, [])
    t.match(await get(`/v1/crawls/${id}/policy?offset=${'9'.repeat(25)}`), {
      items: { length: 0 },
      next_offset: null,
    })
  })
})

test('A crawl of a system with a Time-Stamp Authority is stamped once', async t => {
  const dir = t.testdir({ authority: {} })
  const authority = await startTimeStampAuthority(join(dir, 'authority'))
  t.teardown(() => authority.close())
  const system = await startSystem({ EVIDENCE_TSA_URL: authority.url })
  t.teardown(() => system.stop())
  const origin = await startOrigin({
    pages: { '/': '<title>Home</title><a href="/a">a</a>', '/a': '<title>A</title>' },
  })
  t.teardown(() => origin.close())
  const key = await system.createProject('stamped', '--unlimited')
  const get = async (path: string) => (await system.call(key, 'GET', path)).body
  const crawled = async () => {
    const { id } = await system.crawl(key, { url: `${origin.url}/`, delay_ms: 0, respect_robots: false })
    return id
  }
  const id = await crawled()
  const path = `/v1/crawls/${id}/evidence`
  const at = (name: string) => join(dir, name)

  await t.test('with one token for requests at once, and later ones', async t => {
    const [first, second] = await Promise.all([get(path), get(path)])
    t.match(first, { statement: { crawl_id: id, page_count: 2 }, timestamp: { tsa: /CN=Test TSA/ } })
    t.strictSame(second, first)
    authority.behaviour = 'not found'
    t.strictSame(await get(path), first)
    const pageId = (await get(`/v1/crawls/${id}/pages?limit=1`)).items[0].id
    t.strictSame((await get(`/v1/pages/${pageId}/evidence`)).evidence, first)
    await writeFile(at('evidence.json'), JSON.stringify(first))
  })

  await t.test('as the script and OpenSSL verify, and a changed byte is found', async t => {
    const headers = { authorization: `Bearer ${key}` }
    const list = await fetch(`${system.base}${path}/leaves?format=ndjson`, { headers })
    await writeFile(at('leaves.ndjson'), await list.text())
    await writeFile(at('keys.json'), JSON.stringify(await get('/v1/evidence-keys')))
    const files = ['keys.json', 'evidence.json', 'leaves.ndjson'].map(at)
    t.match((await run(process.execPath, [script, ...files])).stdout, /^VALID: .* 2 pages.*\nIts time-stamp/)
    await run(process.execPath, [script, '--timestamp', at('evidence.json')], { cwd: dir })
    const verify = (...more: string[]) =>
      run('openssl', [
        ...['ts', '-verify', '-data', at('stamped.txt'), '-in', at('token.der'), '-token_in'],
        ...['-CAfile', authority.caFile, ...more],
      ])
    t.match((await verify()).stdout, /Verification: OK/)
    const daySeconds = 86_400
    const afterExpiry = Math.floor(Date.now() / 1000) + 60 * daySeconds
    await t.rejects(verify('-attime', String(afterExpiry)), 'the certificate has expired then')
    t.match((await verify('-attime', String(afterExpiry - 50 * daySeconds))).stdout, /Verification: OK/)
    for (const name of ['stamped.txt', 'token.der']) {
      const bytes = await readFile(at(name))
      const changed = Buffer.from(bytes)
      changed[bytes.length - 1] = (bytes.at(-1) ?? 0) ^ 1
      await writeFile(at(name), changed)
      await t.rejects(verify(), name)
      await writeFile(at(name), bytes)
    }
    t.match((await verify()).stdout, /Verification: OK/)
  })

  await t.test('unless the authority fails, and its row is deleted with the crawl', async t => {
    const other = await crawled()
    t.match(await get(`/v1/crawls/${other}/evidence`), {
      statement: { crawl_id: other },
      timestamp: null,
      warnings: [/Time-Stamp Authority refused/],
    })
    const pool = new pg.Pool({ connectionString: (await system.runFile()).postgres.url, max: 1 })
    t.teardown(() => pool.end())
    const stamped = async () => {
      const { rows } = await pool.query<{ id: string }>('select run_id as id from content.time_stamp')
      return rows.map(row => Number(row.id))
    }
    t.strictSame(await stamped(), [id])
    t.equal((await system.call(key, 'DELETE', `/v1/crawls/${id}`)).status, 204)
    t.equal((await system.call(key, 'GET', path)).status, 404)
    await until(async () => (await stamped()).length === 0)
    t.strictSame(await stamped(), [])
  })
})
