import { listenForHeartbeats } from '@tidemark/bus/heartbeat'
import type { Refusal } from '@tidemark/bus/refusal'
import { call } from '@tidemark/bus/rpc'
import type { DeliveryCommit } from '@tidemark/contracts/delivery'
import type { WebhookDelivery } from '@tidemark/contracts/http/webhook'
import type { RequestOf, Rpc } from '@tidemark/contracts/rpc/rpc'
import * as webhookRpc from '@tidemark/contracts/rpc/webhook'
import { streams, subjects } from '@tidemark/contracts/subjects'
import { until } from '@tidemark/testing/until'
import { Webhook } from 'standardwebhooks'
import { test } from 'tap'
import { openRedeliveries } from './adapters/redelivery.ts'
import { redeliverDead } from './handlers/redeliver.ts'
import { forgetAttempts } from './policies/sweep-attempts.ts'
import { began, ended, queued } from './run-events.examples.ts'
import { type Hit, startScene } from './webhook.scene.ts'

const acme = 7
const other = 8

test('webhook, for requests of projects,', async t => {
  const scene = await startScene(t)
  const { bus, pool, receiver, append } = scene
  await scene.start()
  const on = <Procedure extends Rpc>(rpc: Procedure, request: RequestOf<Procedure>) =>
    call(bus, rpc, request, { timeoutMs: 10_000 })

  const hitsOf = (run: number) => receiver.hits.filter(({ path }) => path.startsWith(`/${run}/`))
  const deliveryOf = async (runId: number, projectId = acme): Promise<WebhookDelivery | undefined> =>
    (await on(webhookRpc.listDeliveries, { projectId, runId })).deliveries[0]
  const stateOf = async (run: number) => (await deliveryOf(run))?.state
  const redeliver = (runId: number, more: object = {}) =>
    on(webhookRpc.redeliver, {
      projectId: acme,
      runId,
      deliveryId: `msg_run${runId}_crawl_done`,
      ...more,
    })
  const endRun = (run: number, kind: string, projectId = acme) => {
    const url = `${receiver.url}/${run}/${kind}`
    return append(
      run,
      queued(run, projectId, { url, events: ['crawl.done'], onlyChanged: false }),
      began,
      ended('done'),
    )
  }
  const refusal = (code: string, reason: string) => ({ name: 'Refusal', code, reason }) as unknown as Refusal

  t.test('lists a delivery with every attempt, for its own project only', async t => {
    await endRun(1, 'fails-twice')
    await endRun(2, 'refuses')
    await until(async () => (await stateOf(1)) === 'delivered' && (await stateOf(2)) === 'dead')
    const delivery = await deliveryOf(1)
    t.match(delivery, {
      id: 'msg_run1_crawl_done',
      run_id: 1,
      event: 'crawl.done',
      url: `${receiver.url}/1/fails-twice`,
      state: 'delivered',
      ended_at: String,
      next_attempt_at: null,
      attempts: [
        { round: 1, attempt: 1, status: 503, error: 'HTTP 503', response_excerpt: null },
        { round: 1, attempt: 2, status: 503 },
        { round: 1, attempt: 3, status: 200, error: null, response_excerpt: null },
      ],
    })
    const times = delivery?.attempts.map(({ at }) => Date.parse(at)) ?? []
    t.strictSame(
      times,
      [...times].sort((a, b) => a - b),
    )
    t.ok(delivery?.attempts.every(({ latency_ms }) => latency_ms >= 0))
    t.equal(await deliveryOf(1, other), undefined)
    t.equal(await deliveryOf(99), undefined)
  })

  t.test('redelivers under the same id, with five new attempts', async t => {
    await endRun(3, 'fails-always')
    await until(async () => (await stateOf(3)) === 'dead')
    t.match(await redeliver(3), { delivery: { state: 'pending', ended_at: null } })
    await t.rejects(redeliver(3), refusal('conflict', 'delivery_under_way'))
    await until(async () => (await stateOf(3)) === 'dead')
    const attempts = (await deliveryOf(3))?.attempts ?? []
    const numbers = [1, 2, 3, 4, 5]
    t.strictSame(
      attempts.map(({ round, attempt }) => [round, attempt]),
      [...numbers.map(n => [1, n]), ...numbers.map(n => [2, n])],
    )
    t.equal(attempts[0]?.response_excerpt, 'sorry')
    t.strictSame(
      hitsOf(3).map(({ headers }) => headers['webhook-id']),
      Array(10).fill('msg_run3_crawl_done'),
    )
    await redeliver(1)
    await until(async () => (await stateOf(1)) === 'delivered')
    await scene.untilPublished()
    t.match((await scene.facet(3)).slice(6, 9), [
      { type: 'DeliveryEnded', data: { state: 'dead', attempts: 5 } },
      { type: 'RedeliveryOrdered', data: { webhookId: 'msg_run3_crawl_done', round: 2 } },
      { type: 'DeliveryAttempted', data: { attempt: 1 } },
    ])
  })

  t.test('returns the position of the order, so that the gateway can wait for its read model', async t => {
    const project = 12
    const ordered = async (seq = 0) => {
      const message = await bus.jsm.streams.getMessage(streams.runs, { seq })
      return { subject: message?.subject, events: message?.json<DeliveryCommit>().events }
    }
    const order = (round: number) => ({
      subject: subjects.run(8, 'webhook'),
      events: [{ type: 'RedeliveryOrdered', data: { webhookId: 'msg_run8_crawl_done', round } }],
    })
    await endRun(8, 'refuses', project)
    await until(async () => (await deliveryOf(8, project))?.state === 'dead')
    t.strictSame(await ordered((await redeliver(8, { projectId: project })).sequence), order(2))
    await until(async () => (await deliveryOf(8, project))?.state === 'dead')
    const all = { projectId: project, since: '2026-01-01T00:00:00.000Z' }
    t.strictSame(await ordered((await on(webhookRpc.redeliverDead, all)).sequence), order(3))
    await until(async () => (await deliveryOf(8, project))?.state === 'dead')
    const { sequence, ...rest } = await on(webhookRpc.redeliverDead, { ...all, projectId: 13 })
    t.strictSame([sequence, rest], [undefined, { redelivered: 0, left: 0 }])
  })

  t.test('does not redeliver unknown or suppressed webhooks, or those of another project', async t => {
    const monitored = { tick: { monitorId: 1, minute: '2026-01-02T03:04:00.000Z', previousRunId: null } }
    const target = { url: `${receiver.url}/4/ok`, events: ['crawl.done' as const], onlyChanged: true }
    await append(4, queued(4, acme, target, monitored), began, ended('done'))
    await until(async () => (await stateOf(4)) === 'suppressed_no_baseline')
    await t.rejects(redeliver(4), refusal('conflict', 'delivery_suppressed'))
    const hits = receiver.hits.length
    for (const more of [{ projectId: other }, { deliveryId: 'msg_run2_crawl_done' }, { runId: 99 }])
      t.strictSame(await redeliver(1, more), { delivery: null })
    t.equal(receiver.hits.length, hits)
  })

  t.test('delivers no webhook more than twenty times', async t => {
    const rounds = async (run: number) =>
      (await scene.facet(run)).filter(({ type }) => type === 'RedeliveryOrdered').length
    await endRun(6, 'ok')
    await endRun(7, 'refuses')
    await until(async () => (await stateOf(6)) === 'delivered' && (await stateOf(7)) === 'dead')
    await pool.query('update webhook.delivery set round = 19 where run_id in (6, 7)')
    t.match(await redeliver(6), { delivery: { state: 'pending' } })
    await until(async () => (await stateOf(6)) === 'delivered')
    await t.rejects(redeliver(6), refusal('conflict', 'too_many_redeliveries'))
    t.strictSame(await redeliver(6, { projectId: other }), { delivery: null })

    const { rows } = await pool.query('select ended_at from webhook.delivery where run_id = 7')
    const request = { projectId: acme, since: rows[0].ended_at.toISOString() }
    t.match(await on(webhookRpc.redeliverDead, request), { redelivered: 1, left: 0 })
    await until(async () => (await stateOf(7)) === 'dead')
    t.strictSame(await on(webhookRpc.redeliverDead, request), { redelivered: 0, left: 0 })
    await scene.untilPublished()
    t.strictSame([await rounds(6), await rounds(7)], [1, 1])

    await pool.query('update webhook.delivery set reopenings = 1 where run_id = 6')
    t.match(
      await redeliver(6),
      { delivery: { state: 'pending' } },
      'the end of a reopened run is not counted',
    )
    await until(async () => (await stateOf(6)) === 'delivered')
    await t.rejects(redeliver(6), refusal('conflict', 'too_many_redeliveries'))
  })

  t.test('deletes attempts after the retention time of the log', async t => {
    const count = async () => (await deliveryOf(1))?.attempts.length
    await pool.query(`update webhook.attempt set at = at - interval '31 days' where run_id = 1 and round = 1`)
    const before = (await count()) ?? 0
    await forgetAttempts(pool, 32)
    t.equal(await count(), before)
    await forgetAttempts(pool, 30)
    t.equal(await count(), before - 3, 'the delivery itself stays')
  })

  t.test('redelivers all webhooks that died since a time', async t => {
    await endRun(5, 'fails-always', other)
    await until(async () => (await deliveryOf(5, other))?.state === 'dead')
    await pool.query(`update webhook.delivery set ended_at = '2020-01-01T00:00:00Z' where run_id = 3`)
    const since = '2026-01-01T00:00:00.000Z'
    const before = [2, 3, 5].map(run => hitsOf(run).length)
    const request = { projectId: acme, since }
    t.match(await on(webhookRpc.redeliverDead, request), { redelivered: 1, left: 0 })
    await until(async () => (await stateOf(2)) === 'dead' && hitsOf(2).length === 2)
    t.strictSame([hitsOf(3).length, hitsOf(5).length], before.slice(1))
  })

  t.test('redelivers a webhook once, even if it dies again before the call ends', async t => {
    const project = 11
    await pool.query(
      `insert into webhook.delivery (run_id, project_id, url, host, event, webhook_id, state, facts, ended_at)
       select 4000 + n, $1, '', 'dead.test', 'crawl.done', 'msg_' || n, 'dead', '{}', clock_timestamp()
       from generate_series(1, 150) as n`,
      [project],
    )
    const redeliveries = openRedeliveries(pool)
    const begun: number[] = []
    const dead: typeof redeliveries.dead = async (...which) => {
      const again = await redeliveries.dead(...which)
      const runIds = again.map(({ runId }) => runId)
      begun.push(...runIds)
      await pool.query(
        `update webhook.delivery set state = 'dead', ended_at = clock_timestamp() where run_id = any($1)`,
        [runIds],
      )
      return again
    }
    const call = redeliverDead({
      redeliveries: { ...redeliveries, dead },
      findDelivery: async () => null,
      publish: async again => again.at(-1)?.runId ?? null,
      announce: () => {},
    })
    const answer = await call({ projectId: project, since: '2026-01-01T00:00:00.000Z' })
    t.strictSame(answer, { redelivered: 150, left: 0, sequence: 4_150 })
    t.equal(new Set(begun).size, 150)
  })

  t.test('signs with the old and the new secret during a rotation', async t => {
    const read = async () => (await on(webhookRpc.webhookSecret, { projectId: acme })).secretHex
    const rotate = async (graceSeconds = 86_400) =>
      (await on(webhookRpc.rotateWebhookSecret, { projectId: acme, graceSeconds })).secretHex
    const accepts = (secretHex: string, { body, headers }: Hit) => {
      const key = Buffer.from(secretHex, 'hex').toString('base64')
      try {
        return new Webhook(`whsec_${key}`).verify(body, headers as Record<string, string>) !== null
      } catch {
        return false
      }
    }
    const next = async (run: number): Promise<Hit> => {
      await endRun(run, 'ok')
      await until(async () => (await stateOf(run)) === 'delivered')
      return hitsOf(run)[0] as Hit
    }
    const first = await read()
    const second = await rotate()
    t.match(second, /^[0-9a-f]{64}$/)
    t.not(second, first)
    t.equal(await read(), second)
    const both = await next(20)
    t.ok(accepts(first, both) && accepts(second, both))
    t.equal(accepts(await rotate(), both), false)

    const { rows } = await pool.query('select sealed from webhook.old_secret')
    t.ok(rows.length === 2 && rows.every(({ sealed }) => sealed.startsWith('sealed2.') && sealed.length > 64))
    await pool.query(`update webhook.old_secret set until = clock_timestamp() where id = 1`)
    const later = await next(21)
    t.strictSame(
      [accepts(first, later), accepts(second, later), accepts(await read(), later)],
      [false, true, true],
    )

    for (let left = 3; left > 0; left--) await rotate()
    await t.rejects(rotate(), refusal('conflict', 'too_many_secrets'))
    const newest = await read()
    t.ok(accepts(newest, await next(22)), 'a rejected rotation changes nothing')
    const last = await rotate(0)
    const alone = await next(23)
    t.strictSame([accepts(newest, alone), accepts(last, alone)], [false, true])
    t.equal(alone.headers['webhook-signature']?.includes(' '), false)
    t.match(await on(webhookRpc.rotateWebhookSecret, { projectId: 9, graceSeconds: 60 }), {
      secretHex: /^[0-9a-f]{64}$/,
    })
    const made = await Promise.all(
      Array.from({ length: 4 }, () => on(webhookRpc.webhookSecret, { projectId: 10 })),
    )
    t.equal(new Set(made.map(answer => JSON.stringify(answer))).size, 1)
  })

  t.test('sends a signed test webhook immediately, and returns its outcome', async t => {
    const sample = (url: string) => on(webhookRpc.testWebhook, { projectId: acme, url })
    const { secretHex } = await on(webhookRpc.webhookSecret, { projectId: acme })
    const taken = await sample(`${receiver.url}/30/ok`)
    t.match(taken, { id: /^msg_test_/, delivered: true, status: 201, error: null, response_excerpt: null })
    const [hit] = hitsOf(30)
    const key = Buffer.from(secretHex, 'hex').toString('base64')
    const body = new Webhook(`whsec_${key}`).verify(hit?.body ?? '', hit?.headers as Record<string, string>)
    t.match(body, { id: 0, project_id: acme, event: 'crawl.done', test: true })
    t.match(await sample(`${receiver.url}/31/refuses`), { delivered: false, status: 410, error: 'HTTP 410' })
    t.match(await sample(`${receiver.url}/32/moved`), { delivered: false, status: 307, error: /Redirects/ })
    t.match(await sample(`${receiver.url}/33/fails-always`), { status: 500, response_excerpt: 'sorry' })
    t.match(await sample(`${receiver.url}/34/long-answer`), { delivered: true, status: 200 })
    const accepted = { delivered: true, status: 200, error: null }
    t.match(await sample(`${receiver.url}/34/cut-answer`), accepted, 'the status decides, not the body')
    t.match(await sample(`${receiver.url}/34/endless-answer`), { delivered: true, status: 202 })
    t.match(await sample(`${receiver.url}/34/cut-refusal`), { status: 410, error: 'HTTP 410' })
    t.match(await sample(`${receiver.url}/35/resets`), { status: null, error: /^(protocol|connect): / })
    const hits = receiver.hits.length
    await t.rejects(sample('http://10.0.0.1/'), refusal('invalid_input', 'private_address'))
    await t.rejects(sample('nonsense'), refusal('invalid_input', 'bad_url'))
    t.equal(receiver.hits.length, hits)
    const many = await Promise.allSettled(Array.from({ length: 8 }, () => sample(`${receiver.url}/36/hangs`)))
    t.equal(many.filter(({ status }) => status === 'rejected').length, 3, 'at most five at once')
    t.match(
      many.find(({ status }) => status === 'fulfilled'),
      { value: { status: null, error: /^timeout: / } },
    )
  })
})

test('webhook, without the key that its secrets were sealed with,', async t => {
  const { bus, start } = await startScene(t)
  const requested = (rpc: typeof webhookRpc.webhookSecret | typeof webhookRpc.rotateWebhookSecret) =>
    call(bus, rpc, { projectId: acme, graceSeconds: 0 }, { timeoutMs: 10_000 })
  const before = await start()
  await requested(webhookRpc.webhookSecret)
  await before[Symbol.asyncDispose]()

  await start({ SECRETS_KEY: 'a5'.repeat(32) })
  const heartbeats = listenForHeartbeats(bus)
  t.teardown(() => heartbeats.close())
  const beat = () => heartbeats.latestByService().get('webhook')?.heartbeat
  await t.rejects(requested(webhookRpc.webhookSecret), { code: 'internal' })
  await until(() => beat()?.cause?.startsWith('secret_unreadable: the secrets of 1 projects') === true)
  t.equal(beat()?.status, 'pass', 'a warning: other projects get their webhooks')
  await requested(webhookRpc.rotateWebhookSecret)
  await until(() => beat()?.cause === undefined)
})
