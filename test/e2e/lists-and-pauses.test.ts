/** Crawls of listed URLs, and paused crawls, while the coordinator is killed. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Coverage } from '@tidemark/contracts/http/coverage'
import { startOrigin } from '@tidemark/testing/origin'
import { test } from 'tap'
import { startSystem } from './system.ts'

const count = 2_000
const paths = Array.from({ length: count }, (_, n) => `/item/${n}`)

test('Lists and pauses', { timeout: 600_000 }, async t => {
  const origin = await startOrigin({
    pages: {
      '/robots.txt': {
        headers: { 'content-type': 'text/plain' },
        body: 'User-agent: *\nDisallow: /item/7\n',
      },
      '/': '<a href="/linked">linked</a>',
      ...Object.fromEntries(paths.map(path => [path, `<title>${path}</title><a href="/linked">linked</a>`])),
    },
  })
  t.teardown(() => origin.close())
  const system = await startSystem()
  t.teardown(() => system.stop())
  const key = await system.createProject('lists', '--unlimited')
  const url = `${origin.url}/`
  const urls = paths.map(path => origin.url + path)
  const start = async (request: object): Promise<number> => {
    const { status, body } = await system.call(key, 'POST', '/v1/crawls', { url, urls, ...request })
    t.equal(status, 202, JSON.stringify(body).slice(0, 300))
    return body.id
  }
  const coverage = async (id: number): Promise<Coverage> =>
    (await system.call(key, 'GET', `/v1/crawls/${id}/coverage`)).body
  /** Polls the receipt, also while the coordinator is away. */
  const until = async (id: number, isSo: (receipt: Coverage) => boolean): Promise<Coverage> => {
    for (let left = 1_200; left > 0; left--) {
      const receipt = await coverage(id).catch(() => null)
      if (receipt?.discovered !== undefined) {
        if (!receipt.holds) t.fail(JSON.stringify(receipt))
        if (isSo(receipt)) return receipt
      }
      await sleep(100)
    }
    throw new Error(`still ${JSON.stringify(await coverage(id))}`)
  }
  const killCoordinator = async () => {
    const { processes } = await system.runFile()
    const control = processes.find(({ services }) => services.includes('crawl-coordinator'))
    process.kill(control?.pid ?? 0, 'SIGKILL')
  }
  const hitsOf = (path: string) => origin.hits.filter(hit => hit.path === path).length

  await t.test(`${count} listed URLs are crawled once each, although the coordinator is killed`, async t => {
    const id = await start({ max_pages: 3_000, delay_ms: 0, follow_links: false })
    const began = await until(id, ({ fetched }) => fetched >= 100)
    t.equal(began.discovered, count + 1, 'the whole list is on the receipt')
    t.ok(began.fetched < count, `killed after ${began.fetched} pages`)
    await killCoordinator()
    const run = await system.untilEnded(key, id)
    t.match(run, { status: 'done', stop_reason: 'exhausted' })
    const forbidden = paths.filter(path => path.startsWith('/item/7')).length
    t.match(await coverage(id), {
      discovered: count + 1,
      fetched: count + 1 - forbidden,
      skipped: { by_reason: { robots: forbidden } },
      pending: 0,
      holds: true,
    })
    t.equal(run.page_count, count + 1 - forbidden, 'each page is counted once')
    t.equal(hitsOf('/item/7'), 0)
    t.equal(hitsOf('/linked'), 0, 'no link is followed')
    const explain = async (path: string) => {
      const query = new URLSearchParams({ url: origin.url + path })
      return (await system.call(key, 'GET', `/v1/crawls/${id}/explain?${query}`)).body
    }
    t.match(await explain('/item/1'), { verdict: 'fetched', found: { from_url: null, depth: 1 } })
    t.match(await explain('/item/7'), { verdict: 'skipped', what_would_change: [/robots/] })
    t.match(await explain('/linked'), {
      verdict: 'never_seen',
      rules: { 8: { rule: 'found', because: 'follow_links is false, and urls does not list it' } },
    })
  })

  await t.test('a paused crawl orders nothing, although the coordinator is killed, and resumes', async t => {
    const id = await start({ max_pages: 3_000, delay_ms: 0, follow_links: false, respect_robots: false })
    const change = async (what: string) => {
      const { status, body } = await system.call(key, 'POST', `/v1/crawls/${id}/${what}`)
      t.equal(status, 200, JSON.stringify(body).slice(0, 300))
      return body
    }
    await until(id, ({ fetched }) => fetched >= 50)
    const first = await change('pause')
    t.match(first, { status: 'running', paused_at: String, finished_at: null })
    t.equal((await change('pause')).paused_at, first.paused_at, 'pausing again changes nothing')
    t.equal((await system.call(key, 'GET', `/v1/crawls/${id}`)).body.paused_at, first.paused_at)
    /** Waits until no page has been stored for two seconds. */
    const still = async (): Promise<Coverage> => {
      for (let before = await until(id, () => true); ; ) {
        await sleep(2_000)
        const after = await until(id, () => true)
        if (after.fetched === before.fetched) return after
        before = after
      }
    }
    const stopped = await still()
    t.match(stopped, { status: 'running', paused_at: first.paused_at, discovered: count + 1 })
    t.ok(stopped.fetched < count, `${stopped.fetched} pages when the crawl is paused`)
    const hits = origin.hits.length
    await killCoordinator()
    await sleep(1_000)
    await until(id, ({ paused_at }) => paused_at === first.paused_at)
    await sleep(3_000)
    t.equal((await coverage(id)).fetched, stopped.fetched)
    t.equal(origin.hits.length, hits, 'the site was not requested')
    t.match(await change('resume'), { status: 'running', paused_at: null })
    await change('resume')
    const run = await system.untilEnded(key, id)
    t.match(run, { status: 'done', stop_reason: 'exhausted', page_count: count + 1, paused_at: null })
    t.match(await coverage(id), { fetched: count + 1, pending: 0, holds: true })
    for (const what of ['pause', 'resume']) {
      const refused = await system.call(key, 'POST', `/v1/crawls/${id}/${what}`)
      t.match(refused, { status: 409, body: { error: { code: 'conflict', reason: 'run_ended' } } })
    }
  })
})
