import { archiveTables, openArchives } from '@tidemark/content/archive'
import { notifications, streams, subjects } from '@tidemark/contracts/subjects'
import { patient } from '@tidemark/testing/slowness'
import { until } from '@tidemark/testing/until'
import { test } from 'tap'
import { caller, keyNamed, keyView, surroundings } from '../gateway.scene.ts'
import { failed, finished, page, queued, settled, started } from '../read-model/projections/runs.examples.ts'
import { listen, listenToEnd, type Sent } from './events.scene.ts'

const [mine, theirs] = [keyNamed('a'), keyNamed('b')]
const found = (id: number, from: number | null = null) => ({
  key: page(id).key,
  url: page(id).url,
  depth: 1,
  from: from === null ? null : page(from).key,
  hops: 0,
})
const admitted = (...pages: object[]) => ({ type: 'PagesAdmitted', data: { pages } })
const deferred = (...pages: object[]) => ({ type: 'PagesDeferred', data: { limit: 'max_pages', pages } })
const ids = (sent: Sent[]) => sent.map(({ id }) => id)

test('A run can be followed as server-sent events', { timeout: patient(300_000) }, async t => {
  const around = await surroundings(t, { env: { EVENT_STREAMS_PER_PROJECT: '3' } })
  const { url, bus, pool, standIns } = around
  for (const statement of archiveTables) await pool.query(statement)
  standIns.addKey(mine, 7)
  standIns.addKey(theirs, 8)
  const { append, get } = caller(around, mine)
  const known = (runId: number) => until(async () => (await get(`/v1/crawls/${runId}`)).status === 200)
  const ended = (runId: number) =>
    until(async () => typeof (await get(`/v1/crawls/${runId}`)).json.finished_at === 'string')
  const hold = async (runId: number, options = {}) => {
    const listening = await listen(url, mine, runId, options)
    t.teardown(() => listening.leave())
    return listening
  }
  const next = async ({ events }: { events: AsyncGenerator<Sent> }) => (await events.next()).value as Sent
  const consumers = async () => (await bus.jsm.streams.info(streams.runs)).state.consumer_count

  await append(1, queued(1))
  const first = await append(1, started, admitted(found(1)))
  const second = await append(1, settled(page(1)), admitted(found(2, 1), found(3, 1)), deferred(found(4, 1)))
  await known(1)

  await t.test('while it runs, with ids that count within each commit', async t => {
    const live = await hold(1)
    t.equal(live.status, 200)
    t.match(live.headers.get('content-type'), /^text\/event-stream/)
    t.match(live.headers.get('cache-control'), 'no-store')
    t.strictSame(await next(live), {
      id: `${first.sequence}-0`,
      type: 'decision',
      data: { decision: 'admitted', pages: [{ url: page(1).url, depth: 1, from: null }] },
    })
    const counts = { page_count: 0, error_count: 0, pending: 1, discovered: 1 }
    t.strictSame(await next(live), { id: `${first.sequence}-1`, type: 'progress', data: counts })
    const settledPage = await next(live)
    t.strictSame(settledPage, {
      id: `${second.sequence}-0`,
      type: 'page',
      data: {
        id: 1,
        url: 'https://example.com/1',
        status: 200,
        bytes: 1234,
        title: 'Page 1',
        depth: 1,
        fetched_at: page(1).fetchedAt,
      },
    })
    t.match(await next(live), { data: { pages: [{ url: page(2).url, from: page(1).url }, {}] } })
    t.match(await next(live), { data: { decision: 'deferred', limit: 'max_pages' } })
    t.match(await next(live), { data: { page_count: 1, error_count: 0, pending: 2, discovered: 4 } })
    const third = await append(1, { type: 'PagesRetried', data: { pages: [retried(2)] } })
    t.match(await next(live), {
      id: `${third.sequence}-0`,
      data: { decision: 'retried', pages: [{ url: page(2).url, reason: 'dns', attempt: 2 }] },
    })
    live.leave()
  })

  await t.test('for as many streams as a project may have, each of which is given back', async t => {
    const held = await Promise.all([hold(1), hold(1), hold(1)])
    await Promise.all(held.map(next))
    t.equal(await consumers(), 2, 'the projector and one for all three')
    const refused = await listen(url, mine, 1)
    t.equal(refused.status, 429)
    t.match(JSON.parse(refused.text), { error: { code: 'too_many_requests', reason: 'event_streams' } })
    t.equal((await listen(url, theirs, 1)).status, 404, 'others have slots of their own')
    for (const { leave } of held) leave()
    await until(async () => (await consumers()) === 1)
    await until(async () => {
      const again = await hold(1)
      again.leave()
      return again.status === 200
    })
  })

  await t.test('and does not exist for another project, or for an invalid id', async t => {
    t.equal((await listen(url, theirs, 1)).status, 404)
    const missing = await listen(url, mine, 99)
    t.match(JSON.parse(missing.text), { error: { code: 'not_found' } })
    for (const after of ['x', '1', '1-', '-1', '0-0', '1-01', '1-1-1', '9'.repeat(17)]) {
      t.match(
        JSON.parse((await listen(url, mine, 1, { after })).text).error,
        { field: 'last_event_id' },
        after,
      )
    }
    const refused = ['?types=pages', '?types=', '?types=page,failure', '?last_event_id=1']
    for (const query of [...refused, '?max_per_second=0', '?max_per_second=1001', '?max_per_second=x']) {
      t.equal((await listen(url, mine, 1, { query })).status, 400, query)
    }
    t.equal((await listen(url, 'tmk_nobody', 1)).status, 401)
  })

  await t.test('from any id on, again to its end, in part, and never beyond', async t => {
    const live = await hold(1, { after: `${second.sequence}-3` })
    await append(1, failed(page(2).key), settled(page(3)))
    const last = await append(1, finished(2, 1))
    await ended(1)
    const followed = await Array.fromAsync(live.events)
    const all = await listenToEnd(url, mine, 1)
    t.strictSame(followed, all.slice(-followed.length))
    t.strictSame(all.at(-1), {
      id: `${last.sequence}-0`,
      type: 'end',
      data: {
        status: 'done',
        stop_reason: 'exhausted',
        error_message: null,
        totals: {
          discovered: 5,
          fetched: 2,
          failed: 1,
          skipped: 1,
          duplicate: 1,
          not_reached: 0,
          pending: 0,
        },
      },
    })
    t.equal(new Set(ids(all)).size, all.length)
    for (const [n, { id }] of all.slice(0, -1).entries()) {
      t.strictSame(await listenToEnd(url, mine, 1, { after: id }), all.slice(n + 1), id)
      const query = `?last_event_id=${id}`
      t.strictSame(await listenToEnd(url, mine, 1, { query }), all.slice(n + 1), query)
    }
    const some = await listenToEnd(url, mine, 1, { query: '?types=page,end' })
    t.strictSame(
      some,
      all.filter(({ type }) => ['page', 'end'].includes(type)),
    )
    const failures = await listenToEnd(url, mine, 1, { query: '?types=failed' })
    t.strictSame(
      failures,
      all.filter(({ data }) => data.decision === 'failed'),
    )
    const over = await listen(url, mine, 1, { after: all.at(-1)?.id ?? '' })
    t.equal(over.status, 204, 'a client that reconnects automatically gets a 204, which stops it')
    const named = { authorization: `Bearer ${mine}`, 'last-event-id': all.at(-1)?.id ?? '' }
    const both = await fetch(`${url}/v1/crawls/1/events?last_event_id=${all[0]?.id}`, { headers: named })
    t.equal(both.status, 204)
    t.match(
      both.headers.get('x-warnings'),
      /last_event_id was ignored, because the header Last-Event-ID takes precedence/,
    )
    const readings = bus.nc.subscribe(`$JS.EVENT.ADVISORY.CONSUMER.CREATED.${streams.runs}.>`)
    for (let n = 0; n < 5; n++) {
      t.equal((await listen(url, mine, 1, { after: all.at(-1)?.id ?? '' })).status, 204)
    }
    await bus.nc.flush()
    readings.unsubscribe()
    t.strictSame(await Array.fromAsync(readings), [], 'and costs no reading')
  })

  await t.test('from the archive as from the stream', async t => {
    const before = await listenToEnd(url, mine, 1)
    const subject = subjects.run(1)
    const kept = []
    for await (const message of stored(subject)) kept.push(message)
    await openArchives(pool).store(1, kept)
    await bus.jsm.streams.purge(streams.runs, { filter: subject, keep: 1 })
    t.strictSame(await listenToEnd(url, mine, 1), before)
    t.strictSame(await listenToEnd(url, mine, 1, { after: before[3]?.id ?? '' }), before.slice(4))
  })

  await t.test('with a few pages of each second for a screen, and the last counts', async t => {
    await append(8, queued(8))
    await append(8, started, admitted(...Array.from({ length: 50 }, (_, n) => found(n + 1))))
    await known(8)
    const live = await hold(8, { query: '?types=page,progress,end,failed&max_per_second=20' })
    t.match(await next(live), { type: 'progress', data: { pending: 50 } })
    const busy = await append(8, ...Array.from({ length: 49 }, (_, n) => settled(page(n + 1))))
    for (let n = 0; n < 20; n++) t.strictSame((await next(live)).id, `${busy.sequence}-${n}`)
    t.match(await next(live), { id: `${busy.sequence}-49`, type: 'progress', data: { page_count: 49 } })
    await append(8, failed(page(50).key), finished(49, 1))
    const rest = await Array.fromAsync(live.events)
    t.match(rest, [{ type: 'decision' }, { type: 'progress', data: { pending: 0 } }, { type: 'end' }])
  })

  await t.test('while it waits, and until it is deleted', async t => {
    await append(2, queued(2))
    await known(2)
    const waiting = await hold(2)
    t.equal(waiting.status, 200)
    const deleted = await append(2, { type: 'RunDeleted', data: { projectId: 7, billedPages: 0 } })
    const data = { status: 'deleted', stop_reason: null, error_message: null, totals: null }
    t.strictSame(await Array.fromAsync(waiting.events), [{ id: `${deleted.sequence}-0`, type: 'end', data }])
    await until(async () => (await listen(url, mine, 2)).status === 404)
  })

  await t.test('until its key is revoked or expires', async t => {
    const view = keyView(mine, 7)
    const at = new Date().toISOString()
    for (const [id, invalid] of [
      [7, { ...view, revokedAt: at }],
      [9, { ...view, expiresAt: at }],
    ] as const) {
      await append(id, queued(id))
      await append(id, started, admitted(found(1)))
      await known(id)
      const live = await hold(id)
      await next(live)
      standIns.keys.set(view.prefix, invalid)
      bus.nc.publish(notifications.keysChanged)
      await until(async () => (await listen(url, mine, id)).status === 401)
      await append(id, settled(page(1)))
      const rest = await Array.fromAsync(live.events)
      t.notOk(rest.some(({ type }) => type === 'page'))
      standIns.keys.set(view.prefix, view)
      bus.nc.publish(notifications.keysChanged)
      await known(id)
    }
  })

  await t.test('with the listed URLs from its start', async t => {
    const begun = queued(6)
    if (begun.type === 'RunQueued')
      begun.data.settings = { ...begun.data.settings, urls: [`${begun.data.url}a`, `${begun.data.url}b`] }
    await append(6, begun)
    await append(6, started)
    await known(6)
    const live = await hold(6)
    t.match(await next(live), { type: 'progress', data: { pending: 2, discovered: 2 } })
    live.leave()
  })

  await t.test('while a large run is read slowly by one and fast by another', async t => {
    await append(3, queued(3))
    await append(3, started)
    const pages = 5_000
    const before = await append(3, admitted(...Array.from({ length: pages }, (_, n) => found(n + 1))))
    await known(3)
    const slow = await hold(3)
    await next(slow)
    const fast = await hold(3)
    t.equal(fast.status, 200, fast.text)
    for (let n = 0; n < pages; n += 100) {
      const long = Array.from({ length: 100 }, (_, i) => page(n + i + 1, { title: 'x'.repeat(2000) }))
      await append(3, settled(...long))
    }
    await append(3, finished(pages, 0))
    const read = await Array.fromAsync(fast.events)
    t.equal(read.filter(({ type }) => type === 'page').length, pages)
    const rest = await Array.fromAsync(slow.events)
    t.equal(rest.length, read.length - 1)
    t.strictSame(ids(rest), ids(read.slice(1)))
    t.equal(read.filter(({ id }) => id.startsWith(`${before.sequence}-`)).length, pages / 100 + 1)
  })

  await t.test('after a reopening, to the new end, without the earlier one', async t => {
    await append(5, queued(5))
    await append(5, started, admitted(found(1), found(2, 1)))
    await append(5, settled(page(1)), failed(page(2).key))
    const end = await append(5, finished(1, 1))
    await ended(5)
    const before = await listenToEnd(url, mine, 5)
    t.match(before.at(-1), { id: `${end.sequence}-0`, type: 'end' })
    await append(5, { type: 'RunReopened', data: { nth: 1, retried: 1 } })
    const live = await hold(5, { after: before.at(-1)?.id ?? '' })
    t.match(await next(live), { data: { decision: 'reopened', urls: 1 } })
    t.match(await next(live), { type: 'progress', data: { page_count: 1, error_count: 0, pending: 1 } })
    await append(5, settled(page(2)), finished(2, 0))
    const rest = await Array.fromAsync(live.events)
    t.match(rest, [{ type: 'page' }, { type: 'progress', data: { pending: 0 } }, { type: 'end' }])
    const all = await listenToEnd(url, mine, 5)
    t.strictSame(ids(all.slice(0, before.length - 1)), ids(before.slice(0, -1)))
    t.strictSame(ids(all.slice(-rest.length)), ids(rest))
    t.equal(all.filter(({ type }) => type === 'end').length, 1)
  })

  await t.test('over a restart of NATS, without a gap', async t => {
    await append(4, queued(4))
    await append(4, started, admitted(found(1)))
    await known(4)
    const live = await hold(4)
    t.match([await next(live), await next(live)], [{ type: 'decision' }, { type: 'progress' }])
    await around.nats.restart()
    await append(4, settled(page(1)), finished(1, 0))
    t.match(await Array.fromAsync(live.events), [{ type: 'page' }, { type: 'progress' }, { type: 'end' }])
  })

  /** The commits of a subject as the archive stores them. */
  async function* stored(subject: string) {
    const { state } = await bus.jsm.streams.info(streams.runs)
    for (let sequence = 1; sequence <= state.last_seq; sequence++) {
      const message = await bus.jsm.streams.getMessage(streams.runs, { seq: sequence }).catch(() => null)
      if (message?.subject === subject) yield { facet: 'crawl', sequence, data: Buffer.from(message.data) }
    }
  }
})

const retried = (id: number) => ({
  key: page(id).key,
  reason: 'dns',
  attempt: 2,
  notBefore: page(id).fetchedAt,
})
