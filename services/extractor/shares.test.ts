import { call, serve } from '@tidemark/bus/rpc'
import type { FetchedNow } from '@tidemark/contracts/rpc/fetch'
import * as fetchRpc from '@tidemark/contracts/rpc/fetch'
import * as mapRpc from '@tidemark/contracts/rpc/map'
import * as policyRpc from '@tidemark/contracts/rpc/policy'
import * as sitemapsRpc from '@tidemark/contracts/rpc/sitemaps'
import { until } from '@tidemark/testing/until'
import { test } from 'tap'
import { startScene } from './extractor.scene.ts'

test('Requests about slow sites', async t => {
  const scene = await startScene()
  t.teardown(() => scene.close())
  const { bus } = scene
  await scene.start()
  const stop = new AbortController()
  t.teardown(() => stop.abort())
  const slow = Promise.withResolvers<void>()
  const failed: FetchedNow = { is: 'failed', reason: 'timeout', message: 'It did not respond.', hops: [] }
  const hosts = new Set<string>()
  const fetchNow = async ({ url }: { url: string }) => {
    hosts.add(new URL(url).host)
    await slow.promise
    return { header: failed, blobs: [] }
  }
  void serve(bus, fetchRpc.fetchNow, fetchNow, { signal: stop.signal, report: () => {} })
  await bus.nc.flush()
  const endings: Promise<unknown>[] = []
  const within = { timeoutMs: 20_000 }
  const refusalOf = async (requested: Promise<unknown>) => {
    const ending = requested.then(
      () => null,
      error => error,
    )
    endings.push(ending)
    return ending
  }
  const tooMany = { status: 429, code: 'too_many_requests', reason: 'concurrent_requests' }
  const options = { search: null, subdomains: false, sitemaps: true, respectRobots: true, limit: 10 }
  let sites = 0
  const url = () => `https://slow-${++sites}.example/`
  const map = (projectId?: number) =>
    refusalOf(call(bus, mapRpc.mapSite, { ...options, url: url(), ...(projectId && { projectId }) }, within))
  const sitemaps = (projectId: number) => {
    const work = { workId: -1, delayMs: 0, concurrency: 32, timeoutMs: 20_000 }
    return refusalOf(call(bus, sitemapsRpc.listSitemaps, { ...work, projectId, url: url() }, within))
  }
  const policy = (projectId: number) =>
    refusalOf(call(bus, policyRpc.robotsPolicy, { url: url(), projectId }, within))

  /** Waits until the requests so far have reached their sites. */
  const reached = (count: number) => until(() => hosts.size >= count)

  await t.test('leave seven eighths of the maps to other projects', async t => {
    for (let n = 0; n < 4; n++) void map(7)
    await reached(4)
    t.match(await map(7), tooMany)
    for (let n = 0; n < 27; n++) void map(100 + Math.floor(n / 4))
    await reached(31)
    void map()
    await reached(32)
    t.match(await map(20), { status: 503, code: 'unavailable' }, 'all are under way')
  })

  for (const [name, send] of Object.entries({ policies: policy, sitemaps })) {
    await t.test(`leave three quarters of the ${name} to other projects`, async t => {
      const before = hosts.size
      for (let n = 0; n < 16; n++) void send(7)
      await reached(before + 16)
      t.match(await send(7), tooMany)
      void send(8)
      await reached(before + 17)
    })
  }

  slow.resolve()
  await Promise.all(endings)
  t.notMatch(await map(7), tooMany, 'a request that has ended counts no more')
})
