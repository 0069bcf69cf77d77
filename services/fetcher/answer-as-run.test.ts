/** Synchronous fetches for a run: they have its client identity and its back-offs, like its orders. */
import { call } from '@tidemark/bus/rpc'
import type { FetchNow } from '@tidemark/contracts/rpc/fetch'
import * as fetchRpc from '@tidemark/contracts/rpc/fetch'
import { sealer } from '@tidemark/secrets/seal'
import { startOrigin } from '@tidemark/testing/origin'
import { patient } from '@tidemark/testing/slowness'
import { test } from 'tap'
import { orders, startScene } from './fetcher.scene.ts'

const { seal } = sealer('0'.repeat(64))
const retryAfter = 3

test('A synchronous fetch for a run', { timeout: patient(300_000) }, async t => {
  const scene = await startScene()
  t.teardown(() => scene.close())
  await scene.start()
  const fetchNow = async (request: Pick<FetchNow, 'workId' | 'url' | 'runId' | 'asRun'>) => {
    const limits = { maxHops: 3, maxBytes: 30e6, cuts: false, timeoutMs: 20_000 }
    const { header } = await call(
      scene.bus,
      fetchRpc.fetchNow,
      { ...request, ...limits },
      { timeoutMs: 25_000 },
    )
    return header
  }
  const startSite = async (host: string) => {
    const origin = await startOrigin({
      host,
      pages: {
        '/busy': { status: 429, headers: { 'retry-after': String(retryAfter) } },
        '/llms.txt': '# Site',
        '/page': 'Page',
      },
    })
    t.teardown(() => origin.close())
    return origin
  }

  await t.test('has the user agent of the run', async t => {
    const site = await startSite('127.1.0.21')
    for (let run = 1; run <= 8; run++) {
      const first = site.hits.length
      await scene.order(orders(run, [`${site.url}/page`]))
      await scene.cameOf(run, 1)
      await fetchNow({ workId: -run, url: `${site.url}/llms.txt`, runId: run })
      await fetchNow({
        workId: -run,
        url: `${site.url}/llms.txt`,
        runId: run,
        asRun: { cookies: seal('a=b') },
      })
      const agents = site.hits.slice(first).map(({ headers }) => headers['user-agent'])
      t.strictSame(agents, [agents[0], agents[0], agents[0]], `run ${run}`)
    }
  })

  await t.test('pauses the run and its other fetches, if the run has its own cookies', async t => {
    const site = await startSite('127.1.0.22')
    const own = { cookies: seal('a=b') }
    const work = { workId: -20, runId: 20, asRun: own }
    t.match(await fetchNow({ ...work, url: `${site.url}/busy` }), { backOffMs: retryAfter * 1_000 })
    await scene.order(orders(20, [`${site.url}/page`], own))
    t.match(await fetchNow({ ...work, url: `${site.url}/llms.txt` }), { status: 200 })
    await scene.cameOf(20, 1)
    const [busy, ...next] = site.hits
    t.strictSame(next.map(({ path }) => path).sort(), ['/llms.txt', '/page'])
    for (const { path, at } of next)
      t.ok(at - Number(busy?.at) >= retryAfter * 1_000 - 50, `${path} after ${at - Number(busy?.at)} ms`)
  })

  await t.test('pauses no other run, if the run has its own cookies', async t => {
    const site = await startSite('127.1.0.23')
    const work = { workId: -30, runId: 30, asRun: { cookies: seal('a=b') } }
    t.match(await fetchNow({ ...work, url: `${site.url}/busy` }), { status: 429 })
    await scene.order(orders(31, [`${site.url}/page`]))
    await scene.cameOf(31, 1)
    const [busy, page] = site.hits
    t.ok(Number(page?.at) - Number(busy?.at) < retryAfter * 1_000)
  })
})
