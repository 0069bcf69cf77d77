/** Synchronous fetches: they have the guard, rate limits and limits of orders, and a response in time. */

import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { openBulky } from '@tidemark/bus/bulky'
import { call } from '@tidemark/bus/rpc'
import type { FetchNow } from '@tidemark/contracts/rpc/fetch'
import * as fetchRpc from '@tidemark/contracts/rpc/fetch'
import { notifications, streams } from '@tidemark/contracts/subjects'
import { FetchError } from '@tidemark/http/fetch-error'
import { startOrigin } from '@tidemark/testing/origin'
import { patient } from '@tidemark/testing/slowness'
import { until } from '@tidemark/testing/until'
import { test } from 'tap'
import { lendBodies } from './adapters/lent-bodies.ts'
import { ByteBudget } from './concurrency/byte-budget.ts'
import { orders, startScene } from './fetcher.scene.ts'
import { answerFetch } from './handlers/answer-fetch.ts'

const large = Buffer.alloc(7 * 1024 ** 2, 'Plain words, worth packing. ')

const nobodyLeaves = {
  watch: () => ({ signal: new AbortController().signal, [Symbol.dispose]() {} }),
}

const policy = `default-src ${'https://a.example '.repeat(600)}`

test('A synchronous fetch', { timeout: patient(300_000) }, async t => {
  const scene = await startScene()
  t.teardown(() => scene.close())
  const origin = await startOrigin({
    pages: {
      '/': { headers: { 'x-robots-tag': 'noindex' }, body: 'Home' },
      '/seven': { body: large },
      '/length': { headers: { 'content-length': '7' }, body: 'a page.' },
      '/safe': {
        headers: { etag: '"1"', 'content-security-policy': policy, 'set-cookie': 'a=b' },
        body: 'Safe',
      },
    },
  })
  t.teardown(() => origin.close())
  await scene.start({ FETCH_IN_FLIGHT: '4' })
  let works = 0
  async function fetchNow(path: string, more: Partial<FetchNow> = {}) {
    works -= 1
    const url = path.startsWith('/') ? origin.url + path : path
    const request = {
      workId: works,
      url,
      maxHops: 3,
      maxBytes: 30e6,
      cuts: false,
      timeoutMs: 5_000,
      ...more,
    }
    const { header, blobs } = await call(scene.bus, fetchRpc.fetchNow, request, { timeoutMs: 10_000 })
    return { ...header, body: Buffer.from(blobs[0] ?? []) }
  }

  await t.test('returns the response of the origin', async t => {
    const { body, ...home } = await fetchNow('/')
    t.match(home, {
      is: 'fetched',
      url: `${origin.url}/`,
      status: 200,
      robotsHeader: 'noindex',
      bulkyKey: null,
    })
    t.equal(body.toString(), 'Home')
    t.match(await fetchNow('/status/404'), { is: 'fetched', status: 404 })
    t.match(await fetchNow('/gzip'), { encodings: ['gzip'] })
    const hops = [{ status: 302 }, { status: 302 }]
    t.match(await fetchNow('/redirect-chain/2'), { url: `${origin.url}/redirect-chain/0`, hops })
    t.match(await fetchNow('/', { userAgent: 'Own/1' }), { status: 200 })
    t.equal(origin.hits.at(-1)?.headers['user-agent'], 'Own/1')
  })

  await t.test('returns delivery data on request', async t => {
    const { headers } = (await fetchNow('/safe', { tellsDelivery: true })) as { headers: object }
    t.strictSame(headers, { etag: '"1"', 'content-security-policy': policy.slice(0, 8192) })
    t.strictSame(Object.keys(((await fetchNow('/safe')) as { headers: object }).headers), [])
  })

  await t.test('returns headers without a body for HEAD', async t => {
    const began = origin.hits.length
    const head = await fetchNow('/length', { method: 'HEAD', maxBytes: 10 })
    t.match(head, { is: 'fetched', status: 200, announced: 7, contentType: /html/ })
    t.equal(head.body.length, 0)
    t.notOk(
      Object.hasOwn(await fetchNow('/length'), 'announced'),
      'without an announced length if there is a body',
    )
    t.notOk(
      Object.hasOwn(await fetchNow('/', { method: 'HEAD' }), 'announced'),
      'and if the site announces none',
    )
    await fetchNow('/redirect-chain/2', { method: 'HEAD' })
    t.strictSame(
      origin.hits.slice(began).map(({ method }) => method),
      ['HEAD', 'GET', 'HEAD', 'HEAD', 'HEAD', 'HEAD'],
      'also behind redirects',
    )
    t.match(await fetchNow('http://10.0.0.1/', { method: 'HEAD' }), {
      is: 'failed',
      reason: 'private_address',
    })
  })

  await t.test('returns the target of a redirect without a request to it, if it must not follow', async t => {
    const to = (url: string) => `/redirect-to?url=${encodeURIComponent(url)}`
    const first = await fetchNow(to('/a b'), { maxHops: 0 })
    t.match(first, { is: 'fetched', status: 302, location: `${origin.url}/a%20b`, hops: { length: 0 } })
    t.match(await fetchNow(to('http://10.0.0.1/'), { maxHops: 0 }), { location: 'http://10.0.0.1/' })
    const nowhere = await fetchNow(to('mailto:a@b.test'), { maxHops: 0 })
    t.match(nowhere, { is: 'fetched', status: 302 })
    t.notOk(Object.hasOwn(nowhere, 'location'))
    const headers = { location: '/', 'x-robots-tag': 'noindex', 'content-encoding': 'gzip' }
    await using hidden = await startOrigin({ host: '127.1.0.9', pages: { '/': { status: 302, headers } } })
    t.match(await fetchNow(`${hidden.url}/`, { maxHops: 0 }), {
      headers: { 'x-robots-tag': 'noindex' },
      encodings: { length: 0 },
    })
  })

  await t.test('reports throttling by a host, and requests that were not sent because of it', async t => {
    await using busy = await startOrigin({
      host: '127.1.0.9',
      pages: { '/': { status: 429, headers: { 'retry-after': '2' } } },
    })
    t.match(await fetchNow(`${busy.url}/`), { is: 'fetched', status: 429, backOffMs: 2000 })
    const next = await fetchNow(`${busy.url}/`, { timeoutMs: 300 })
    t.match(next, { is: 'failed', reason: 'timeout', isUnasked: true })
    t.equal(busy.hits.length, 1)
    const requested = await fetchNow('/never-answers', { timeoutMs: 300 })
    t.match(requested, { is: 'failed', reason: 'timeout' })
    t.notOk(Object.hasOwn(requested, 'isUnasked'))
  })

  await t.test('stores a page in the object store if it is too large for a message', async t => {
    const bulky = openBulky(scene.bus)
    const packed = await fetchNow('/seven')
    t.match(packed, { is: 'fetched', encodings: ['gzip'] }, 'compression may suffice')
    origin.site({ '/noise': { body: randomBytes(7 * 1024 ** 2) } })
    const answer = await fetchNow('/noise')
    t.equal(answer.body.length, 0)
    t.ok(answer.is === 'fetched' && answer.bulkyKey)
    if (answer.is !== 'fetched' || answer.bulkyKey === null) return
    t.ok(((await bulky.get(answer.bulkyKey))?.length ?? 0) > 6 * 1024 ** 2)
    const again = await fetchNow('/noise', { workId: works })
    t.ok(again.is === 'fetched' && again.bulkyKey !== answer.bulkyKey, 'each under its own key')
  })

  await t.test('fails with a reason', async t => {
    const failed = (reason: string) => ({ is: 'failed', reason })
    t.match(await fetchNow('http://10.0.0.1/'), failed('private_address'))
    t.match(
      await fetchNow(`/redirect-to?url=${encodeURIComponent('http://10.0.0.1/')}`),
      failed('private_address'),
    )
    const listed = 'https://www.malware.test/'
    for (const path of [listed, `/redirect-to?url=${encodeURIComponent(listed)}`])
      t.match(await fetchNow(path), {
        ...failed('blocked_domain'),
        message: /^The host is on .*malware\.test/,
      })
    t.match(await fetchNow('ftp://example.com/'), failed('bad_url'))
    t.match(await fetchNow('http://no-such-host.invalid/'), failed('dns'))
    t.match(await fetchNow('/redirect-loop/a'), failed('too_many_redirects'))
    t.match(await fetchNow('/endless', { maxBytes: 10_000 }), failed('too_large'))
    t.match(await fetchNow('/accepts-and-closes'), failed('protocol'))
    const cut = await fetchNow('/endless', { maxBytes: 10_000, cuts: true })
    t.match(cut, { is: 'fetched', status: 200, isCut: true })
    t.equal(cut.body.length, 10_000)
    t.notHas(await fetchNow('/', { cuts: true }), { isCut: true }, 'a whole one')
  })

  await t.test('keeps the delay between requests of its work, and the first one does not wait', async t => {
    const began = origin.hits.length
    await Promise.all(Array.from({ length: 4 }, () => fetchNow('/', { workId: -1000 })))
    const at = origin.hits.slice(began).map(hit => hit.at)
    for (const [n, time] of at.entries()) if (n > 0) t.ok(time - (at[n - 1] ?? 0) >= 99, 'by 100 ms')
  })

  await t.test('ends in time, during the request and while it waits for a slot', async t => {
    t.match(await fetchNow('/never-answers', { timeoutMs: 300 }), { is: 'failed', reason: 'timeout' })
    const slow = { workId: -2000, timeoutMs: 400 }
    const all = await Promise.all(Array.from({ length: 6 }, () => fetchNow('/never-answers', slow)))
    t.ok(all.every(answer => answer.is === 'failed' && answer.reason === 'timeout'))
  })

  await t.test('is aborted when its client is no longer waiting', async t => {
    const began = origin.hits.length
    const [requested, next] = ['one', 'two'].map(() =>
      fetchNow('/never-answers', { workId: -3000, timeoutMs: 9_000, concurrency: 1 }),
    )
    await until(() => origin.hits.length > began)
    scene.bus.nc.publish(notifications.workDropped, JSON.stringify({ workId: -3000 }))
    t.match(await requested, { is: 'failed', reason: 'aborted' })
    t.match(await next, { is: 'failed', reason: 'aborted' }, 'also while it waits for a slot')
    t.equal(origin.hits.length, began + 1)
    t.match(await fetchNow('/'), { is: 'fetched' }, 'but no other fetch')
  })

  await t.test('works while pages cannot be published, and these arrive later', async t => {
    const limit = (max_msgs: number) =>
      scene.bus.jsm.streams.update(streams.pages, { max_msgs, discard: 'new' })
    await limit(1)
    const paths = Array.from({ length: 60 }, (_, n) => `${origin.url}/?n=${n}`)
    for (let at = 0; at < paths.length; at += 6)
      await scene.order(orders(1 + at, paths.slice(at, at + 6), { concurrency: 60 }))
    await until(() => origin.hits.filter(({ path }) => path.startsWith('/?n=')).length === paths.length)
    t.match(await fetchNow('/'), { is: 'fetched', status: 200 })
    await limit(-1)
    for (let at = 0; at < paths.length; at += 6) t.equal((await scene.cameOf(1 + at, 6)).size, 6)
  })

  await t.test(
    'of a page that is too large for a message fails if the store is full, like ordered pages',
    async t => {
      await scene.bus.jsm.streams.update('OBJ_BULKY', { max_bytes: 1024 ** 2, discard: 'new' })
      t.match(await fetchNow('/noise'), { is: 'failed', reason: 'no_room' })
      await scene.order(orders(100, [`${origin.url}/noise`]))
      const [came] = (await scene.cameOf(100, 1)).values()
      t.match(came, { type: 'failed', reason: 'no_room', transient: true, retryAfterMs: 60_000 })
      t.match(await fetchNow('/'), { is: 'fetched' })
    },
  )
})

test('A body that no client reads is removed', { timeout: patient(300_000) }, async t => {
  const deleted: string[] = []
  const bulky = {
    put: async () => {},
    get: async () => null,
    delete: async (key: string) => void deleted.push(key),
  }
  const stop = new AbortController()
  const lending = { bulky, signal: stop.signal, report: (error: unknown) => t.fail(String(error)) }
  lendBodies({ ...lending, maxMs: 10 }).lend('left')
  await until(() => deleted.length > 0)
  const lent = lendBodies(lending)
  lent.lend('may still be read')

  const fetched = { url: 'http://a.test/', status: 200, headers: {}, hops: [], encodings: [], elapsedMs: 1 }
  const answer = answerFetch({
    chooseBackend: () => async () => ({
      fetched: { ...fetched, body: Buffer.alloc(10) },
      backOffMs: null,
    }),
    acquireSendPermit: async () => ({
      sent() {},
      responseBegan() {},
      ended() {},
      landed() {},
      [Symbol.dispose]() {},
    }),
    packBody: async (_body, encodings, bulkyKey) => {
      await sleep(50)
      return { body: Buffer.alloc(0), encodings, bulkyKey }
    },
    lentBodies: lent,
    dropped: nobodyLeaves,
    reading: new ByteBudget(1),
    maxBytes: 100,
    hardStop: stop.signal,
  })
  const request = { workId: -7, url: fetched.url, maxHops: 0, maxBytes: 100, cuts: false, timeoutMs: 10 }
  t.match(await answer(request), { header: { is: 'failed', reason: 'timeout' } })
  t.match(deleted, ['left', /^now:-7:/], 'also when it arrives too late')
  stop.abort()
})

test('A timeout while a body waits for memory is no evidence about its host', async t => {
  const reading = new ByteBudget(1)
  const strains: unknown[] = []
  const answer = answerFetch({
    chooseBackend:
      () =>
      async (_question, { bodyMemory }) => {
        bodyMemory.claim(1)
        return { error: new FetchError('timeout') }
      },
    acquireSendPermit: async () => ({
      sent() {},
      responseBegan() {},
      ended: strain => void strains.push(strain),
      landed() {},
      [Symbol.dispose]() {},
    }),
    packBody: async () => null,
    dropped: nobodyLeaves,
    lentBodies: { lend() {}, discard() {} },
    reading,
    maxBytes: 100,
    hardStop: new AbortController().signal,
  })
  const request = { workId: -8, url: 'http://a.test/', maxHops: 0, maxBytes: 100, cuts: false }
  await answer({ ...request, timeoutMs: 10_000 })
  const others = reading.claim(1)
  await answer({ ...request, timeoutMs: 10_000 })
  others[Symbol.dispose]()
  t.same(strains, ['bad', null])
  t.equal(reading.claim(1).granted, null)
})
