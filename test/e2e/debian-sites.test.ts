import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { isFullTier } from '@tidemark/testing/tier'
import { test } from 'tap'
import { serveFolder, unpacked } from './debian.ts'
import { walk } from './independent-walk.ts'
import { differences, graphFromApi, graphOf, rawPages } from './link-graph.ts'
import { type System, sharedBin, startSystem } from './system.ts'

/** The full tier crawls all of them. The first one has every feature of the others except their size. */
const sites = [
  { name: 'git-doc', path: 'usr/share/doc/git/html', isBroken: true },
  { name: 'sqlite3-doc', path: 'usr/share/doc/sqlite3', isBroken: true },
  { name: 'python3.11-doc', path: 'usr/share/doc/python3.11/html', isBroken: false },
]
const cache = join(sharedBin(), 'debian-sites')
const settings = { max_pages: 100_000, depth: 50, delay_ms: 0, concurrency: 32 }

test('Complete crawls of real documentation', async t => {
  const system = await startSystem()
  t.teardown(() => system.stop())
  const key = await system.createProject('debian', '--unlimited')

  for (const [n, { name, path, isBroken }] of sites.entries()) {
    const got =
      n === 0 || isFullTier ? await unpacked(name, cache) : { missing: 'only npm run test:full crawls it' }
    if ('missing' in got) {
      t.test(name, { skip: got.missing }, () => undefined)
      continue
    }
    const site = await serveFolder(join(got.folder, path), `127.1.2.${n + 1}`)
    const known = await walk(site.url)

    t.test(`${name}: every reachable page is found once`, async t => {
      const before = site.requests()
      const run = await system.crawl(key, { url: site.url, ...settings })
      await t.resolves(compare(system, key, run.id, known))
      t.equal(run.error_count, 0)
      t.ok(
        site.requests() - before <= known.size * 1.02 + 3,
        `${site.requests() - before} requests for ${known.size} pages`,
      )
      const graph = graphOf(await rawPages(site.url), site.url)
      t.strictSame(differences(graph, await graphFromApi(system.call, key, run.id)), [], 'links and orphans')
    })

    t.teardown(() => site.close())
    if (!isBroken) continue
    t.test(`${name}: the same when all Node processes are killed midway`, async t => {
      const { body } = await system.call(key, 'POST', '/v1/crawls', { url: site.url, ...settings })
      await untilPages(system, key, body.id, known.size / 4)
      for (const { pid } of (await system.runFile()).processes) process.kill(pid, 'SIGKILL')
      const run = await system.untilEnded(key, body.id)
      t.equal(run.status, 'done')
      await t.resolves(compare(system, key, run.id, known))
    })
  }
})

async function compare(system: System, key: string, id: number, known: Map<string, number>): Promise<void> {
  const { body } = await system.call(key, 'GET', `/v1/crawls/${id}/pages?limit=100000`)
  const found = new Map<string, number>(
    body.items.map((page: { url: string; status: number }) => [page.url, page.status]),
  )
  const missing = [...known].filter(([url, status]) => found.get(url) !== status)
  const extra = [...found.keys()].filter(url => !known.has(url))
  const run = (await system.call(key, 'GET', `/v1/crawls/${id}`)).body
  const summary = {
    missing: missing.slice(0, 5),
    extra: extra.slice(0, 5),
    items: body.items.length,
    run: run.page_count,
  }
  if (missing.length || extra.length || body.items.length !== found.size || run.page_count !== found.size) {
    throw new Error(`${missing.length} missing, ${extra.length} extra: ${JSON.stringify(summary)}`)
  }
}

async function untilPages(system: System, key: string, id: number, pages: number): Promise<void> {
  for (let tries = 0; tries < 600; tries++) {
    const { body } = await system.call(key, 'GET', `/v1/crawls/${id}`)
    if (body.page_count >= pages || body.finished_at) return
    await sleep(20)
  }
}
