import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { call } from '@tidemark/bus/rpc'
import type { IntentJudgement } from '@tidemark/contracts/diff'
import * as runsRpc from '@tidemark/contracts/rpc/runs'
import * as webhookRpc from '@tidemark/contracts/rpc/webhook'
import type { RunEvent } from '@tidemark/contracts/run'
import type { MonitorIntent } from '@tidemark/contracts/run-settings'
import { streams } from '@tidemark/contracts/subjects'
import { kill } from '@tidemark/testing/surroundings'
import { until } from '@tidemark/testing/until'
import { Webhook } from 'standardwebhooks'
import { type Test, test } from 'tap'
import { overdueSeconds } from './adapters/overdue.ts'
import { began, deleted, ended, queued } from './run-events.examples.ts'
import { type Hit, isWhole, patienceMs, type Row, type Scene, startScene, waitsMs } from './webhook.scene.ts'

const acme = 7
const other = 8
const limit = { timeoutMs: 10_000 }
/** Runs from 1 to this number end in waves. Runs of single tests have numbers from 1100. */
const manyRuns = isWhole ? 1_000 : 40
/** Number of concurrent runs that a busy machine answers within the time limit of these tests. */
const wave = isWhole ? 100 : 40
const kills = isWhole ? 20 : 2

/** Expected end, number of attempts and error of a delivery, by the receiver's behaviour. */
const ends: Record<string, [string, number, RegExp | null]> = {
  ok: ['delivered', 1, null],
  'fails-twice': ['delivered', 3, null],
  'fails-always': ['dead', 5, /^HTTP 500$/],
  hangs: ['dead', 5, /^timeout: /],
  resets: ['dead', 5, /^(protocol|connect): /],
  refuses: ['dead', 1, /^HTTP 410$/],
  moved: ['dead', 5, /^HTTP 307: Redirects are not followed/],
}
/** Twenty receivers: six respond with 5xx, two hang, one resets, one responds with 4xx, and one redirects. */
const kinds = [
  ...['ok', 'fails-twice', 'ok', 'hangs', 'ok', 'fails-always', 'ok', 'resets', 'fails-twice', 'ok'],
  ...['refuses', 'fails-always', 'ok', 'fails-twice', 'ok', 'hangs', 'ok', 'moved', 'ok', 'fails-always'],
]

test('webhook', async t => {
  const scene = await startScene(t)
  const { bus, pool, receiver, append, rows, facet } = scene
  let service = await scene.start()

  t.test(`delivers the webhooks of ${manyRuns} runs, and each ends according to the rules`, async t => {
    for (let first = 1; first <= manyRuns; first += wave) {
      const runs = numbers(first, wave)
      await Promise.all(runs.map(run => appendRun(scene, run, run % 2 ? acme : other, kindOf(run))))
      const quick = numbers(1, first + wave - 1).filter(run => kindOf(run) !== 'hangs')
      await scene.untilEnded(quick.length)
    }
    await scene.untilEnded(manyRuns)
    await scene.untilPublished()
    for (const row of await rows()) await endsByTheRules(t, scene, row)
    t.notOk(
      receiver.hits.some(({ path }) => path === '/ok'),
      'no redirect was followed',
    )
  })

  t.test('signs every attempt for its project, under an id that never changes', async t => {
    const secrets = new Map<number, string>()
    for (const projectId of [acme, other]) {
      const { secretHex } = await call(bus, webhookRpc.webhookSecret, { projectId }, limit)
      t.match(secretHex, /^[0-9a-f]{64}$/)
      secrets.set(projectId, secretHex)
    }
    t.not(secrets.get(acme), secrets.get(other))
    for (const hit of receiver.hits) isSigned(t, hit, secrets)
    const { rows } = await pool.query('select sealed from webhook.secret')
    t.ok(rows.every(({ sealed }) => sealed.startsWith('sealed2.') && sealed.length > 64))
  })

  t.test('waits longer before each attempt', async t => {
    const late: string[] = []
    let waits = 0
    for (const run of numbers(1, manyRuns).filter(run => kindOf(run) === 'fails-always')) {
      const times = hitsOf(scene, run).map(({ at }) => at)
      const gaps = times.slice(1).map((at, n) => at - (times[n] ?? 0))
      gaps.forEach((gap, n) => {
        const wait = waitsMs[n] ?? 0
        t.ok(gap >= wait - 1 && gap < wait * 1.08 + 2_000, `${gap} ms for a wait of ${wait}`)
        if (gap > wait * 1.1) late.push(`${gap.toFixed()} ms for ${wait.toFixed()}`)
        waits++
      })
    }
    t.comment(`${late.length} of ${waits} waits were more than 10 % too long: ${late.join(', ')}`)
    if (isWhole) t.ok(late.length <= waits / 100)
  })

  t.test('sends failures regardless of subscriptions, and no events without a subscription', async t => {
    const onlyDiffs = target(scene, 1103, 'ok', { events: ['crawl.diff_detected'] })
    const changes = (run: number) => target(scene, run, 'ok', { onlyChanged: true })
    const tick = (previousRunId: number | null) => ({
      tick: { monitorId: 1, minute: '2026-01-02T03:04:00.000Z', previousRunId },
    })
    await append(1100, queued(1100, acme, target(scene, 1100, 'ok')), began, ended('cancelled'))
    await append(1101, queued(1101, acme), began, ended('done'))
    await append(1102, queued(1102, acme, onlyDiffs), began, ended('done'))
    await append(1103, queued(1103, acme, onlyDiffs), ended('failed', 0))
    await append(1104, queued(1104, acme, changes(1104), tick(null)), began, ended('done'))
    await append(1105, queued(1105, acme, changes(1105), tick(1104)), began, ended('failed'))
    // A run that a limit ends before its first page is done, and its webhook has no comparison.
    await append(1106, queued(1106, acme, changes(1106), tick(null)), began, ended('done', 0, 'quota'))
    await append(1107, queued(1107, acme, changes(1107), tick(1104)), began, ended('done', 0, 'time_limit'))
    await scene.untilEnded(manyRuns + 5)
    await scene.untilPublished()
    t.strictSame(
      (await rows()).slice(manyRuns).map(({ run_id, state, attempts }) => [run_id, state, attempts]),
      [
        [1103, 'delivered', 1],
        [1104, 'suppressed_no_baseline', 0],
        [1105, 'delivered', 1],
        [1106, 'delivered', 1],
        [1107, 'delivered', 1],
      ],
    )
    t.strictSame(await facet(1104), [
      { type: 'DeliveryEnded', data: { state: 'suppressed_no_baseline', attempts: 0, error: null } },
    ])
    t.match(JSON.parse(hitsOf(scene, 1103)[0]?.body ?? ''), {
      status: 'failed',
      page_count: 0,
      error_count: 1,
      started_at: null,
      error_message: 'The seed could not be fetched.',
    })
    const empty = { status: 'done', page_count: 0, error_message: null, event: 'crawl.done' }
    t.match(JSON.parse(hitsOf(scene, 1107)[0]?.body ?? ''), empty)
  })

  t.test('waits for the comparison if the webhook needs it, and sends it', async t => {
    const tick = {
      tick: { monitorId: 1, minute: '2026-01-02T03:04:00.000Z', previousRunId: 1104 },
    }
    const onlyChanges = { onlyChanged: true, events: ['crawl.diff_detected', 'crawl.done'] }
    const onlyDiffs = { events: ['crawl.diff_detected'] }
    const wanted: [run: number, what: object, changed: number | null | 'never'][] = [
      [1130, onlyChanges, 0],
      [1131, onlyChanges, 3],
      [1132, onlyChanges, null],
      [1133, onlyDiffs, 0],
      [1134, onlyDiffs, 'never'],
      [1135, { events: ['crawl.done'] }, 'never'],
    ]
    for (const [run, what, changed] of wanted) {
      await append(run, queued(run, acme, target(scene, run, 'ok', what), tick), began, ended('done'))
      if (changed !== 'never') await scene.compare(run, 1104, changed)
    }
    const compared = async () => (await rows()).filter(({ run_id }) => run_id >= 1130)
    await until(async () => (await compared()).filter(({ state }) => state !== 'pending').length === 4)
    t.notOk(
      (await compared()).some(({ run_id }) => run_id === 1134),
      'it waits',
    )
    await pool.query('update webhook.run set waits_until = clock_timestamp() where run_id = 1134')
    await until(async () => (await compared()).filter(({ state }) => state !== 'pending').length === 5)
    t.strictSame(
      (await compared()).map(({ run_id, state, webhook_id }) => [run_id, state, webhook_id.slice(12)]),
      [
        [1130, 'suppressed_no_change', 'crawl_done'],
        [1131, 'delivered', 'crawl_diff_detected'],
        [1132, 'delivered', 'crawl_done'],
        [1134, 'delivered', 'crawl_done'],
        [1135, 'delivered', 'crawl_done'],
      ],
    )
    const [hit] = hitsOf(scene, 1131)
    t.equal(hit?.headers['x-crawler-event'], 'crawl.diff_detected')
    t.match(JSON.parse(hit?.body ?? ''), {
      event: 'crawl.diff_detected',
      diff: { added: 0, removed: 0, changed: 3, unchanged: 50 },
      previous_run_id: 1104,
    })
    await scene.compare(1134, 1104, 5)
    await scene.compare(1133, 1104, 5)
    await scene.untilPublished()
  })

  t.test('waits for the judgement of an intent, and is sent without one that fails or is late', async t => {
    const tick = { tick: { monitorId: 1, minute: '2026-01-02T03:04:00.000Z', previousRunId: 1104 } }
    const first = { tick: { ...tick.tick, previousRunId: null } }
    const intent = { text: 'The price falls.' }
    const only = { ...intent, onlyMatching: true as const }
    const quotes = [{ url: 'https://example.com/', change: 'added' as const, text: 'Price: 39.90 EUR' }]
    const yes = { matched: true, reason: 'The price fell to 39.90 EUR.', quotes }
    const no = { matched: false, reason: 'The price is the same.', quotes }
    const failed = { matched: null, reason: 'model_failed', quotes: [] }
    type Case = [
      run: number,
      intent: MonitorIntent,
      changed: number | null,
      judged: IntentJudgement | null,
      tick: object,
    ]
    const cases: Case[] = [
      [1160, intent, 3, yes, tick],
      [1161, intent, 3, no, tick],
      [1162, only, 3, no, tick],
      [1163, only, 3, yes, tick],
      [1164, only, 3, failed, tick],
      [1165, only, 3, null, tick],
      [1166, only, 0, null, tick],
      [1167, intent, 0, null, tick],
      [1168, only, null, null, tick],
      [1169, only, null, null, first],
      [1170, intent, null, null, first],
    ]
    for (const [run, intent, changed, judged, when] of cases) {
      const events = { events: ['crawl.diff_detected', 'crawl.done'] }
      await append(
        run,
        queued(run, acme, target(scene, run, 'ok', events), when, intent),
        began,
        ended('done'),
      )
      if (when === tick) await scene.compare(run, 1104, changed)
      if (judged) await scene.judge(run, 1104, judged)
    }
    const ofThese = async () => (await rows()).filter(({ run_id }) => run_id >= 1160 && run_id <= 1170)
    await until(async () => (await ofThese()).filter(({ state }) => state !== 'pending').length === 10)
    t.notOk(
      (await ofThese()).some(({ run_id }) => run_id === 1165),
      'it waits for the model',
    )
    await pool.query('update webhook.run set waits_until = clock_timestamp() where run_id = 1165')
    await until(async () => (await ofThese()).filter(({ state }) => state !== 'pending').length === 11)
    const states = (await ofThese()).map(({ run_id, state }) => {
      const body = hitsOf(scene, run_id)[0]?.body
      return [run_id, state, body && JSON.parse(body).event, body && JSON.parse(body).intent]
    })
    const unknown = (reason: string) => ({ matched: null, reason, quotes: [] })
    const same = { matched: false, reason: 'Nothing has changed.', quotes: [] }
    t.strictSame(states, [
      [1160, 'delivered', 'crawl.diff_detected', yes],
      [1161, 'delivered', 'crawl.diff_detected', no],
      [1162, 'suppressed_no_match', undefined, undefined],
      [1163, 'delivered', 'crawl.diff_detected', yes],
      [1164, 'delivered', 'crawl.diff_detected', failed],
      [1165, 'delivered', 'crawl.diff_detected', unknown('timeout')],
      [1166, 'suppressed_no_match', undefined, undefined],
      [1167, 'delivered', 'crawl.done', same],
      [1168, 'delivered', 'crawl.done', unknown('not_compared')],
      [1169, 'suppressed_no_baseline', undefined, undefined],
      [1170, 'delivered', 'crawl.done', unknown('no_baseline')],
    ])
    await scene.judge(1165, 1104, no)
    await scene.judge(1163, 1104, no)
    await scene.untilPublished()
    t.equal(hitsOf(scene, 1163).length, 1, 'a second judgement changes nothing')
  })

  t.test(
    'sends each end of a reopened run under its own id, and only the last one that is pending',
    async t => {
      const again = (nth: number): RunEvent[] => {
        const end = ended('done', 3 + nth)
        const data = { ...end.data, reopenings: nth } as never
        return [
          { type: 'RunReopened', data: { nth, retried: 1 } },
          { type: 'RunFinished', data },
        ]
      }
      await append(1140, queued(1140, acme, target(scene, 1140, 'ok')), began, ended('done'))
      await append(1141, queued(1141, acme, target(scene, 1141, 'fails-always')), began, ended('done'))
      await until(async () => hitsOf(scene, 1140).length === 1 && hitsOf(scene, 1141).length > 0)
      for (const run of [1140, 1141]) for (const nth of [1, 2]) await append(run, ...again(nth))
      const rowOf = async (run: number) => (await rows()).find(({ run_id }) => run_id === run)
      const last = (run: number) => `msg_run${run}_crawl_done_3`
      await until(async () => (await rowOf(1140))?.state === 'delivered' && hitsOf(scene, 1140).length >= 2)
      await until(async () => (await rowOf(1141))?.state === 'dead', patienceMs)
      t.match(await rowOf(1140), { webhook_id: last(1140), attempts: 1 })
      t.match(await rowOf(1141), { webhook_id: last(1141), attempts: 5 })
      const ids = hitsOf(scene, 1140).map(({ headers }) => headers['webhook-id'])
      t.strictSame([ids[0], ids.at(-1)], ['msg_run1140_crawl_done', last(1140)])
      t.match(JSON.parse(hitsOf(scene, 1140).at(-1)?.body ?? ''), { page_count: 5 })
      await scene.untilPublished()
    },
  )

  t.test('never connects to an address that is not public, and reports it', async t => {
    const before = receiver.hits.length
    const { port } = new URL(receiver.url)
    const targets = [
      `http://127.0.0.2:${port}/ok`,
      'http://10.0.0.1/',
      'http://[::1]/',
      'ftp://example.com/',
      'nonsense',
    ]
    for (const [n, url] of targets.entries())
      await append(1110 + n, queued(1110 + n, acme, { ...target(scene, 1, 'ok'), url }), ended('done'))
    await scene.untilEnded(manyRuns + 28)
    const refused = (await rows()).filter(({ run_id }) => run_id >= 1110 && run_id < 1120)
    t.strictSame(
      refused.map(({ state, attempts, last_error }) => [state, attempts, last_error?.split(':')[0]]),
      ['private_address', 'private_address', 'private_address', 'bad_url', 'bad_url'].map(code => [
        'dead',
        1,
        code,
      ]),
    )
    t.equal(receiver.hits.length, before)
  })

  t.test('waits for the comparison of a reopened run whose earlier end had none', async t => {
    const tick = { tick: { monitorId: 1, minute: '2026-01-02T03:04:00.000Z', previousRunId: 1104 } }
    const wanted = { events: ['crawl.done' as const], onlyChanged: true }
    await append(1190, queued(1190, acme, target(scene, 1190, 'ok', wanted), tick), began, ended('failed'))
    const stateNow = async () => (await rows()).find(({ run_id }) => run_id === 1190)?.state
    await until(async () => (await stateNow()) === 'delivered')
    const { data } = ended('done')
    await append(
      1190,
      { type: 'RunReopened', data: { nth: 1, retried: 1 } },
      { type: 'RunFinished', data: { ...data, reopenings: 1 } as never },
    )
    await scene.compare(1190, 1104, 0)
    await until(async () => (await stateNow()) === 'suppressed_no_change')
    t.equal(hitsOf(scene, 1190).length, 1, 'only the failure was sent')
  })

  t.test('changes nothing when it re-reads every commit', async t => {
    await scene.untilPublished()
    const before = await rows()
    const hits = receiver.hits.length
    const { state } = await bus.jsm.streams.info(streams.runs)
    const end = await reached(scene)
    await service[Symbol.asyncDispose]()
    await pool.query('update webhook.checkpoint set sequence = 0')
    service = await scene.start()
    await until(async () => (await reached(scene).catch(() => 0)) === end)
    await sleep(300)
    await scene.untilPublished()
    t.strictSame(await rows(), before)
    t.equal(receiver.hits.length, hits)
    t.equal((await bus.jsm.streams.info(streams.runs)).state.last_seq, state.last_seq)
  })

  t.test('erases a deleted run, and sends no more webhooks for it', async t => {
    await appendRun(scene, 1120, acme, 'fails-always')
    await until(async () => hitsOf(scene, 1120).length > 0)
    await append(1120, deleted(acme))
    await until(async () => (await rows()).find(({ run_id }) => run_id === 1120)?.state === 'deleted')
    await scene.untilPublished()
    const [hits, events] = [hitsOf(scene, 1120).length, (await facet(1120)).length]
    await append(1120, queued(1120, acme, target(scene, 1120, 'ok')), ended('done'))
    await sleep(1_000)
    t.ok(hitsOf(scene, 1120).length <= hits + 1, 'an attempt in progress may arrive')
    t.equal((await facet(1120)).length, events)
    const { rows: left } = await pool.query(
      'select url, facts from webhook.delivery where run_id = 1120 union all select target, null from webhook.run where run_id = 1120',
    )
    t.strictSame(left, [
      { url: '', facts: null },
      { url: '', facts: null },
    ])
  })

  t.test('does not let a hanging receiver delay others, or its own retries', async t => {
    await service[Symbol.asyncDispose]()
    service = await scene.start({ WEBHOOK_FAILURES_IN_A_ROW: '10', WEBHOOK_TIMEOUT_MS: '10000' })
    const { port } = new URL(receiver.url)
    const quick = `http://localhost:${port}`
    await Promise.all(numbers(2000, 100).map(run => appendRun(scene, run, acme, 'hangs')))
    await until(async () => receiver.hits.filter(({ path }) => /^\/20\d\d\/hangs/.test(path)).length >= 64)
    const ofHanging = async () => (await rows()).filter(({ run_id }) => run_id >= 2000 && run_id < 2100)
    await until(async () => (await ofHanging()).length === 100)
    const [others, own] = [numbers(2300, 20), numbers(2400, 5)]
    const sentAt = new Map<number, number>()
    for (const run of others) {
      sentAt.set(run, performance.now())
      await appendRun(scene, run, other, 'ok', quick)
    }
    for (const run of own) await appendRun(scene, run, acme, 'fails-twice', quick)
    await until(async () => [...others, ...own].every(run => hitsOf(scene, run).length > 0))
    const latencies = others.map(run => (hitsOf(scene, run)[0]?.at ?? 0) - (sentAt.get(run) ?? 0))
    const p95 = latencies.sort((a, b) => a - b).at(-2) ?? 0
    t.ok(p95 <= 2_000, `another project gets its webhook within ${Math.round(p95)} ms`)
    const hanging = await ofHanging()
    t.ok(hanging.every(({ state }) => state === 'pending'))
    const begun = hanging.filter(({ attempts }) => attempts > 0).length
    t.ok(begun <= 64, `it holds ${begun} slots of its own`)
    const { rows: late } = await scene.pool.query(
      'select project_id, host from webhook.delivery where run_id = 2000',
    )
    const broken = { projectId: late[0].project_id, host: late[0].host }
    await until(async () => (await overdueSeconds(scene.pool, [])) > 0.5, 3_000)
    t.pass('deliveries without a slot are overdue')
    // A retry to another host may be slightly late.
    await until(async () => (await overdueSeconds(scene.pool, [broken])) === 0)
    t.pass('a broken endpoint does not count as overdue')
  })
})

test('webhook, killed repeatedly', async t => {
  const scene = await startScene(t)
  const { rows, append } = scene
  const runs = numbers(1, 16 * kills)
  let child = scene.spawn()
  for (const run of runs) {
    await appendRun(scene, run, acme, kindOf(run))
    if (run % 16 !== 0) continue
    const before = scene.receiver.hits.length
    await until(async () => scene.receiver.hits.length >= before + 12)
    await kill(child)
    child = scene.spawn()
  }
  await until(async () => {
    const all = await rows()
    return all.length === runs.length && all.every(({ state }) => state !== 'pending')
  }, patienceMs)
  await scene.untilPublished()

  t.test('misses no delivery, and attempts none a sixth time', async t => {
    for (const row of await rows()) {
      const [state] = ends[kindOf(row.run_id)] ?? []
      const hits = hitsOf(scene, row.run_id)
      t.ok(
        row.attempts <= 5 && hits.length <= row.attempts,
        `run ${row.run_id} was tried ${row.attempts} times`,
      )
      t.ok(hits.length > 0)
      if (state === 'delivered' || row.attempts === 5) t.equal(row.state, state, kindOf(row.run_id))
      t.strictSame([...new Set(hits.map(({ headers }) => headers['webhook-id']))], [row.webhook_id])
    }
  })

  t.test('records the end of every delivery once', async t => {
    let interrupted = 0
    for (const row of await rows()) {
      const [first, ...events] = await scene.facet(row.run_id)
      t.match(first, { type: 'DeliveryDecided', data: { webhookId: row.webhook_id } })
      t.strictSame(events.at(-1), {
        type: 'DeliveryEnded',
        data: { state: row.state, attempts: row.attempts, error: row.last_error },
      })
      const attempts = events.flatMap(event =>
        event.type === 'DeliveryAttempted' ? [event.data.attempt] : [],
      )
      t.strictSame(attempts, numbers(1, row.attempts), `run ${row.run_id}`)
      t.equal(events.length, row.attempts + 1)
      for (const event of events)
        if (event.type === 'DeliveryAttempted' && event.data.error?.startsWith('interrupted')) interrupted++
    }
    const taken = runs.filter(run => kindOf(run) === 'ok').map(run => hitsOf(scene, run).length)
    const repeats = taken.reduce((sum, hits) => sum + hits - 1, 0)
    t.comment(`${interrupted} attempts were interrupted, ${repeats} of ${taken.length} successes repeated`)
  })

  t.test('stops within ten seconds of SIGTERM, with an attempt in progress', async t => {
    await append(500, queued(500, acme, target(scene, 500, 'hangs')), began, ended('done'))
    await until(async () => hitsOf(scene, 500).length > 0)
    const started = performance.now()
    child.kill('SIGTERM')
    t.strictSame(await once(child, 'exit'), [0, null])
    t.ok(performance.now() - started < 10_000)
  })
})

const numbers = (first: number, count: number) => Array.from({ length: count }, (_, n) => first + n)
const kindOf = (run: number) => kinds[run % kinds.length] ?? ''

const target = ({ receiver }: Scene, run: number, kind: string, more: object = {}) => ({
  url: `${receiver.url}/${run}/${kind}`,
  events: ['crawl.done' as const],
  onlyChanged: false,
  ...more,
})

/** Appends a run as the coordinator does, in three commits. */
async function appendRun(scene: Scene, run: number, project: number, kind: string, base?: string) {
  const { append } = scene
  const url = base ? { url: `${base}/${run}/${kind}` } : {}
  await append(run, queued(run, project, target(scene, run, kind, url)))
  await append(run, began)
  await append(run, ended('done'))
}

const hitsOf = ({ receiver }: Scene, run: number): Hit[] =>
  receiver.hits.filter(({ path }) => path.split('/')[1] === String(run))

async function reached({ bus }: Scene): Promise<number> {
  return (await call(bus, runsRpc.reached.webhook, null, limit)).sequence
}

async function endsByTheRules(t: Test, scene: Scene, row: Row): Promise<void> {
  const { run_id: run, state, attempts, last_error: error } = row
  const kind = kindOf(run)
  const [endState, endAttempts, endError] = ends[kind] ?? ['', 0, null]
  t.strictSame([state, attempts], [endState, endAttempts], `run ${run}, ${kind}`)
  t.equal(hitsOf(scene, run).length, endAttempts, `${kind}: the receiver got the same number of requests`)
  if (endError === null) t.equal(error, null)
  else t.match(error, endError)
  const events = await scene.facet(run)
  t.strictSame(
    events.map(({ type }) => type),
    ['DeliveryDecided', ...numbers(1, attempts).map(() => 'DeliveryAttempted'), 'DeliveryEnded'],
  )
  t.match(events.at(-1), { data: { state, attempts, error } })
}

/** Verifies a hit like a receiver: from the raw body and the secret only. */
function isSigned(t: Test, { headers, body }: Hit, secrets: Map<number, string>): void {
  const content = JSON.parse(body)
  const key = Buffer.from(secrets.get(content.project_id) ?? '', 'hex')
  const id = `msg_run${content.id}_crawl_done`
  const standard = new Webhook(`whsec_${key.toString('base64')}`)
  const sentAt = new Date(Number(headers['webhook-timestamp']) * 1000)
  t.match(headers, {
    'content-type': 'application/json',
    'x-crawler-run-id': String(content.id),
    'x-crawler-event': 'crawl.done',
    'x-crawler-signature': `sha256=${createHmac('sha256', key).update(body).digest('hex')}`,
    'webhook-id': id,
    'webhook-signature': standard.sign(id, sentAt, body),
  })
  t.ok(Math.abs(sentAt.getTime() - Date.parse(content.delivered_at)) <= 1_000)
  if (!isWhole) t.strictSame(standard.verify(body, headers as Record<string, string>), content)
  t.match(content, {
    url: 'https://example.com/',
    status: 'done',
    page_count: 3,
    error_count: 1,
    error_message: null,
  })
  t.strictSame(Object.keys(content).join(), fields)
}

const fields =
  'id,project_id,url,status,page_count,error_count,started_at,finished_at,error_message,delivered_at,event'
