import { setTimeout as sleep } from 'node:timers/promises'
import type { Refusal } from '@tidemark/bus/refusal'
import { call } from '@tidemark/bus/rpc'
import type { WebhookDelivery } from '@tidemark/contracts/http/webhook'
import * as runsRpc from '@tidemark/contracts/rpc/runs'
import * as webhookRpc from '@tidemark/contracts/rpc/webhook'
import type { RunEvent } from '@tidemark/contracts/run'
import type { NoticeEvent } from '@tidemark/contracts/run-settings'
import { kill } from '@tidemark/testing/surroundings'
import { until } from '@tidemark/testing/until'
import { Webhook } from 'standardwebhooks'
import { test } from 'tap'
import { began, deleted, ended, queued, settled } from './run-events.examples.ts'
import { isWhole, patienceMs, type Scene, startScene } from './webhook.scene.ts'

const acme = 7
const other = 8
const all: NoticeEvent[] = ['crawl.started', 'page.fetched', 'crawl.failed']
/** Pages wait this long for others, or practically for ever. */
const shortly = { WEBHOOK_PAGES_MS: '200' }
const long = { WEBHOOK_PAGES_MS: '600000' }

test('Notices of a run', async t => {
  const scene = await startScene(t)
  const { bus, pool, append } = scene
  let service = await scene.start(long)
  const limit = { timeoutMs: 10_000 }
  const ids = async (run: number) =>
    (await pool.query('select webhook_id from webhook.notice where run_id = $1 order by id', [run])).rows.map(
      row => row.webhook_id,
    )
  const list = (runId: number, more: object = {}) =>
    call(bus, webhookRpc.listDeliveries, { projectId: acme, runId, ...more }, limit)
  const one = async (runId: number, id: string): Promise<WebhookDelivery | undefined> =>
    (await list(runId)).deliveries.find(delivery => delivery.id === id)
  const untilIdle = async () => {
    await until(async () => {
      const { rowCount } = await pool.query(`select from webhook.delivery where state = 'pending'`)
      return rowCount === 0
    }, patienceMs)
    await scene.untilPublished()
  }

  t.test('are not sent without a subscription, and its pages are not read', async t => {
    await append(1, queued(1, acme, target(scene, 1, 'ok')), began)
    await append(1, settled(1, 2, 3))
    await append(1, { type: 'PagesSettled', data: { pages: 'unreadable' } } as unknown as RunEvent)
    await append(1, ended('failed'))
    await append(2, queued(2, acme), began, settled(4), ended('done'))
    await until(async () => bodies(scene, 1).length === 1)
    await untilIdle()
    t.strictSame(
      bodies(scene, 1).map(({ event, status }) => [event, status]),
      [['crawl.done', 'failed']],
    )
    t.equal((await pool.query('select from webhook.page_batching')).rowCount, 0)
    t.equal((await pool.query('select from webhook.notice')).rowCount, 0)
    t.strictSame(
      (await scene.facet(1)).map(({ type }) => type),
      ['DeliveryDecided', 'DeliveryAttempted', 'DeliveryEnded'],
    )
  })

  t.test('report its start, its pages in order, and its failure, each signed like its end', async t => {
    await append(10, queued(10, acme, target(scene, 10, 'ok', all)))
    await append(10, began)
    // A page whose first response was a 5xx has an id from before others.
    await append(10, settled(...numbers(11, 60)))
    await append(10, settled(...numbers(71, 60), 10))
    await until(async () => (await ids(10)).length === 2)
    await sleep(700)
    t.strictSame(await ids(10), ['msg_run10_crawl_started', 'msg_run10_page_fetched_1'], 'the rest waits')
    await append(10, settled(131), ended('failed'))
    await until(async () => bodies(scene, 10).length === 5)
    await untilIdle()
    t.strictSame(await ids(10), [
      ...['msg_run10_crawl_started', 'msg_run10_page_fetched_1'],
      ...['msg_run10_page_fetched_2', 'msg_run10_crawl_failed'],
    ])
    const [first, second] = batchesOf(scene, 10)
    t.strictSame(first, numbers(11, 100))
    t.strictSame(second, [...numbers(111, 20), 10, 131])
    const { secretHex } = await call(bus, webhookRpc.webhookSecret, { projectId: acme }, limit)
    const verifier = new Webhook(`whsec_${Buffer.from(secretHex, 'hex').toString('base64')}`)
    for (const { headers, body } of hitsOf(scene, 10)) {
      t.strictSame(verifier.verify(body, headers as Record<string, string>), JSON.parse(body))
      t.match(headers, { 'x-crawler-run-id': '10', 'x-crawler-event': JSON.parse(body).event })
    }
    const byEvent = new Map(bodies(scene, 10).map(body => [body.event, body]))
    t.match(byEvent.get('crawl.started'), { id: 10, project_id: acme, status: 'running', started_at: String })
    const { event: _, delivered_at: __, ...failure } = byEvent.get('crawl.failed') ?? {}
    t.match(byEvent.get('crawl.done'), failure, 'a failure has the body of the end')
    t.match(failure, { status: 'failed', error_message: 'The seed could not be fetched.' })
    t.strictSame(
      (await scene.facet(10)).map(({ type }) => type),
      ['DeliveryDecided', 'DeliveryAttempted', 'DeliveryEnded'],
      'the events of the webhook are those of its end',
    )
  })

  t.test(
    'are decided before the end, also of a cancelled run, and without a subscription of its end',
    async t => {
      await append(20, queued(20, acme, { ...target(scene, 20, 'ok', ['page.fetched']), events: [] }), began)
      await append(20, settled(1, 2), ended('cancelled'))
      await append(21, queued(21, acme, { ...target(scene, 21, 'ok', ['crawl.failed']), events: [] }), began)
      await append(21, settled(3), ended('done'))
      await until(async () => bodies(scene, 20).length === 1)
      await untilIdle()
      t.strictSame(batchesOf(scene, 20), [[1, 2]])
      t.strictSame(bodies(scene, 21), [])
    },
  )

  t.test('continue after a reopening, with a failure for each end and one start', async t => {
    const again = (nth: number): RunEvent => {
      const end = ended('failed')
      return { ...end, data: { ...end.data, reopenings: nth } } as RunEvent
    }
    await append(30, queued(30, acme, target(scene, 30, 'ok', all)), began, settled(1), ended('failed'))
    await until(async () => (await ids(30)).length === 3)
    await append(30, { type: 'RunReopened', data: { nth: 1, retried: 1 } })
    await append(30, settled(2), again(1))
    await until(async () => bodies(scene, 30).some(({ batch }) => batch === 2))
    await untilIdle()
    t.strictSame((await ids(30)).sort(), [
      ...['msg_run30_crawl_failed', 'msg_run30_crawl_failed_2', 'msg_run30_crawl_started'],
      ...['msg_run30_page_fetched_1', 'msg_run30_page_fetched_2'],
    ])
    t.strictSame(batchesOf(scene, 30), [[1], [2]])
  })

  t.test('are listed before the delivery of the end, in parts, and redelivered', async t => {
    await append(40, queued(40, acme, target(scene, 40, 'refuses', all)), began)
    for (let n = 0; n < 4; n++) await append(40, settled(...numbers(100 * n + 1, 100)))
    await append(40, ended('done'))
    await until(async () => (await list(40)).deliveries.length === 6)
    await untilIdle()
    const { deliveries, hasMore } = await list(40)
    t.equal(hasMore, undefined)
    t.strictSame(
      deliveries.map(({ id, run_id, state }) => [id.slice(10), run_id, state]),
      [
        ['crawl_started', 40, 'dead'],
        ...numbers(1, 4).map(n => [`page_fetched_${n}`, 40, 'dead']),
        ['crawl_done', 40, 'dead'],
      ],
    )
    t.match(deliveries[1], { event: 'page.fetched', attempts: [{ round: 1, attempt: 1, status: 410 }] })
    const part = await list(40, { limit: 2, offset: 2 })
    t.strictSame([part.deliveries, part.hasMore], [deliveries.slice(2, 4), true])
    t.strictSame(await list(40, { projectId: other }), { deliveries: [] })

    const id = 'msg_run40_page_fetched_3'
    const before = hitsOf(scene, 40).length
    const wanted = { projectId: acme, runId: 40, deliveryId: id }
    t.match(await call(bus, webhookRpc.redeliver, wanted, limit), { delivery: { id, state: 'pending' } })
    await until(async () => hitsOf(scene, 40).length === before + 1)
    t.match(hitsOf(scene, 40).at(-1)?.headers, { 'webhook-id': id })
    await until(async () => (await one(40, id))?.state === 'dead')
    t.match((await one(40, id))?.attempts, [{ round: 1 }, { round: 2 }])
    const none = { projectId: other, runId: 40, deliveryId: id }
    t.strictSame(await call(bus, webhookRpc.redeliver, none, limit), { delivery: null })
    await pool.query(`update webhook.delivery set round = 20 where webhook_id = $1`, [id])
    const exhausted = { code: 'conflict', reason: 'too_many_redeliveries' } as unknown as Refusal
    await t.rejects(call(bus, webhookRpc.redeliver, wanted, limit), exhausted)
    const since = deliveries[0]?.decided_at ?? ''
    const dead = { projectId: acme, since }
    t.match(await call(bus, webhookRpc.redeliverDead, dead, limit), { redelivered: 5, left: 0 })
    await untilIdle()
  })

  t.test('are listed once each, also to a reader of parts while the run ends and is reopened', async t => {
    const read: string[] = []
    const readOn = async () => {
      const { deliveries } = await list(80, { offset: read.length })
      read.push(...deliveries.map(({ id }) => id.slice(10)))
    }
    await append(80, queued(80, acme, target(scene, 80, 'ok', all)), began)
    await append(80, settled(...numbers(1, 150)))
    await until(async () => (await ids(80)).length === 2)
    await readOn()
    t.strictSame(read, ['crawl_started', 'page_fetched_1'])
    await append(80, ended('failed'))
    await until(async () => (await list(80)).deliveries.length === 5)
    await readOn()
    t.strictSame(read.slice(2), ['page_fetched_2', 'crawl_failed', 'crawl_done'])
    await append(80, { type: 'RunReopened', data: { nth: 1, retried: 1 } })
    await append(80, settled(...numbers(151, 100)))
    await until(async () => (await ids(80)).length === 5)
    await readOn()
    t.strictSame(read.slice(5), ['page_fetched_3'])
    await untilIdle()
  })

  t.test('are not repeated when every commit is read again', async t => {
    const rows = async () =>
      (await pool.query('select run_id, state, attempts, round from webhook.delivery order by run_id')).rows
    const [before, hits] = [await rows(), scene.receiver.hits.length]
    const end = await reached(scene)
    await service[Symbol.asyncDispose]()
    await pool.query('update webhook.checkpoint set sequence = 0')
    service = await scene.start(shortly)
    await until(async () => (await reached(scene).catch(() => 0)) === end)
    await sleep(1_500)
    t.strictSame([await rows(), scene.receiver.hits.length], [before, hits])
  })

  t.test('have pages that waited long enough, although fewer than a batch', async t => {
    await append(50, queued(50, acme, target(scene, 50, 'ok', ['page.fetched'])), began, settled(1, 2))
    await until(async () => batchesOf(scene, 50).length === 1)
    await append(50, settled(3))
    await until(async () => batchesOf(scene, 50).length === 2)
    await append(50, ended('done'))
    await until(async () => bodies(scene, 50).length === 3)
    t.strictSame(batchesOf(scene, 50), [[1, 2], [3]])
    const { rows } = await pool.query(
      'select pages::int, batches, waiting from webhook.page_batching where run_id = 50',
    )
    t.strictSame(rows, [{ pages: 3, batches: 2, waiting: [] }])
  })

  t.test('are deleted with their run', async t => {
    await append(60, queued(60, acme, target(scene, 60, 'fails-always', all)), began)
    await append(60, settled(...numbers(1, 120)))
    await until(async () => hitsOf(scene, 60).length > 2)
    await append(60, deleted(acme))
    const left = async () => {
      const { rows } = await pool.query(
        `select (select count(*) from webhook.notice where run_id = 60)
           + (select count(*) from webhook.page_batching where run_id = 60)
           + (select count(*) from webhook.delivery where url like '%/60/%')
           + (select count(*) from webhook.attempt where run_id >= 4503599627370496
               and run_id not in (select id from webhook.notice)) as count`,
      )
      return Number(rows[0].count)
    }
    await until(async () => (await left()) === 0)
    await append(60, settled(121), ended('failed'))
    await sleep(1_000)
    t.equal(await left(), 0, 'no late page restores them')
  })

  t.test('to a receiver that hangs do not delay other projects', async t => {
    await append(70, queued(70, acme, target(scene, 70, 'hangs', all)), began)
    for (let n = 0; n < 30; n++) await append(70, settled(...numbers(100 * n + 1, 100)))
    await until(async () => hitsOf(scene, 70).length >= 10)
    const startedAt = performance.now()
    const quick = {
      ...target(scene, 71, 'ok', all),
      url: `${scene.receiver.url.replace('127.0.0.1', 'localhost')}/71/ok`,
    }
    await append(71, queued(71, other, quick), began, settled(1), ended('done'))
    await until(async () => bodies(scene, 71).length === 3)
    const ms = performance.now() - startedAt
    t.ok(ms < 5_000, `${Math.round(ms)} ms`)
    await append(70, deleted(acme))
  })
})

const runs = isWhole ? 40 : 6
const commits = isWhole ? 200 : 20
const kills = isWhole ? 20 : 2

test('Notices of runs, while the service is killed,', { timeout: 1_800_000 }, async t => {
  const scene = await startScene(t)
  let child = scene.spawn(shortly)
  const pagesOfRun = new Map<number, number>()
  for (const run of numbers(1, runs))
    await scene.append(run, queued(run, acme, target(scene, run, run % 3 ? 'ok' : 'fails-twice', all)), began)
  for (let nth = 0; nth < commits; nth++) {
    for (const run of numbers(1, runs)) {
      const first = pagesOfRun.get(run) ?? 0
      const count = 1 + ((nth * 7 + run * 5) % 40)
      await scene.append(run, settled(...numbers(first + 1, count)))
      pagesOfRun.set(run, first + count)
    }
    if ((nth + 1) % Math.ceil(commits / kills) !== 0) continue
    const before = scene.receiver.hits.length
    await until(async () => scene.receiver.hits.length >= before + 3, patienceMs)
    await kill(child)
    child = scene.spawn(shortly)
  }
  for (const run of numbers(1, runs)) await scene.append(run, ended('failed'))
  await until(async () => {
    const { rows } = await scene.pool.query(
      `select count(*) filter (where state = 'pending')::int as pending,
         count(*) filter (where event = 'crawl.done')::int as ends from webhook.delivery`,
    )
    return rows[0].pending === 0 && rows[0].ends === runs
  }, patienceMs)

  t.test('have every page in exactly one batch, in order', async t => {
    for (const run of numbers(1, runs))
      t.strictSame(batchesOf(scene, run).flat(), numbers(1, pagesOfRun.get(run) ?? 0), `run ${run}`)
  })

  t.test('have one id for each start, batch and failure', async t => {
    for (const run of numbers(1, runs)) {
      const byId = Map.groupBy(hitsOf(scene, run), ({ headers }) => String(headers['webhook-id']))
      const batches = batchesOf(scene, run).length
      t.strictSame([...byId.keys()].sort(), [
        ...[`msg_run${run}_crawl_done`, `msg_run${run}_crawl_failed`, `msg_run${run}_crawl_started`],
        ...numbers(1, batches)
          .map(n => `msg_run${run}_page_fetched_${n}`)
          .sort(),
      ])
      for (const [id, hits] of byId) {
        const contents = hits.map(({ body }) => JSON.stringify({ ...JSON.parse(body), delivered_at: '' }))
        t.equal(new Set(contents).size, 1, `${id} always has the same content`)
      }
    }
  })
  await kill(child)
})

const numbers = (first: number, count: number) => Array.from({ length: count }, (_, n) => first + n)

const target = ({ receiver }: Scene, run: number, kind: string, notices?: NoticeEvent[]) => ({
  url: `${receiver.url}/${run}/${kind}`,
  events: ['crawl.done' as const],
  onlyChanged: false,
  ...(notices && { notices }),
})

const hitsOf = ({ receiver }: Scene, run: number) =>
  receiver.hits.filter(({ path }) => path.startsWith(`/${run}/`))

const bodies = (scene: Scene, run: number) => hitsOf(scene, run).map(({ body }) => JSON.parse(body))

/** Returns the page ids of each batch that arrived, by number. Repetitions count once. */
function batchesOf(scene: Scene, run: number): number[][] {
  const batches = new Map<number, number[]>()
  for (const { event, batch, pages } of bodies(scene, run))
    if (event === 'page.fetched')
      batches.set(
        batch,
        pages.map(({ id }: { id: number }) => id),
      )
  return [...batches].sort(([a], [b]) => a - b).map(([, ids]) => ids)
}

async function reached({ bus }: Scene): Promise<number> {
  return (await call(bus, runsRpc.reached.webhook, null, { timeoutMs: 10_000 })).sequence
}
