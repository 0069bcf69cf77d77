/** The evidence and the policy of a real crawl: the script verifies its pages, and the site confirms its requests. */
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { startOrigin } from '@tidemark/testing/origin'
import { test } from 'tap'
import { sharedSystem } from './system.ts'

const run = promisify(execFile)
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
    const { url, id: pageId, raw_hash } = JSON.parse(leaves.split('\n')[1] ?? '')
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
    const script = join(import.meta.dirname, '../../docs/verify-evidence.mjs')
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
    t.match(await get(`/v1/crawls/${id}/policy?offset=${'9'.repeat(25)}`), { items: [], next_offset: null })
  })
})
