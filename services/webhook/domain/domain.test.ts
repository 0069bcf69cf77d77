import { test } from 'tap'
import { decide, type Ending, type Wanted } from './decision.ts'
import { bodyOf, webhookIdOf } from './message.ts'
import { signatureHeaders } from './signature.ts'
import { judge, type Outcome } from './verdict.ts'

test('A signature', async t => {
  const secret = Uint8Array.from({ length: 32 }, (_, n) => n)
  const body =
    '{"id":42,"project_id":7,"url":"https://example.com/","status":"done","page_count":3,"error_count":0,' +
    '"started_at":"2026-01-02T03:04:05Z","finished_at":"2026-01-02T03:04:09Z","error_message":null,' +
    '"delivered_at":"2026-01-02T03:04:10Z"}'

  t.test('is what the published vector says, in both forms', async t => {
    t.equal(Buffer.byteLength(body), 232)
    t.strictSame(signatureHeaders(secret, { id: 'msg_run42_crawl_done', timestamp: 1767323050, body }), {
      'x-crawler-signature': 'sha256=2118b4225e145888952d7448d4636409d9f283f00318e037fa0bb641ab362a12',
      'webhook-id': 'msg_run42_crawl_done',
      'webhook-timestamp': '1767323050',
      'webhook-signature': 'v1,hCkumkClvXazoWtw1X09/kKLFZnXKdKrPxFUt9pTU7Y=',
    })
  })

  t.test('is over a body with the fields of the specification in its order', async t => {
    const facts = {
      url: 'https://example.com/',
      status: 'done' as const,
      pageCount: 3,
      errorCount: 0,
      startedAt: '2026-01-02T03:04:05Z',
      finishedAt: '2026-01-02T03:04:09Z',
      errorMessage: null,
    }
    const deliveredAt = '2026-01-02T03:04:10Z'
    const told = bodyOf({ runId: 42, projectId: 7, event: 'crawl.done', facts, deliveredAt })
    t.equal(told, body.replace(/\}$/, ',"event":"crawl.done"}'))
    t.equal(webhookIdOf(42, 'crawl.done'), 'msg_run42_crawl_done')
  })
})

test('What is told of a run', async t => {
  const plain: Wanted = {
    events: ['crawl.done'],
    onlyChanged: false,
    isMonitored: false,
    previousRunId: null,
  }
  const none = { ...plain, events: [] }
  const onlyDiffs: Wanted = { ...plain, events: ['crawl.diff_detected'] }
  const first = { ...plain, onlyChanged: true, isMonitored: true }
  const done = { event: 'crawl.done', state: 'pending' }
  const rows: [string, Wanted, Ending, object | null][] = [
    ['its end, when that is subscribed', plain, 'done', done],
    ['nothing of a cancelled one', plain, 'cancelled', null],
    ['nothing that nobody subscribed to', onlyDiffs, 'done', null],
    ['its failure, whatever is subscribed', onlyDiffs, 'failed', done],
    ['its failure, though nothing is subscribed', none, 'failed', done],
    ['its failure, whatever is suppressed', first, 'failed', done],
    [
      'nothing of the first one of a monitor that tells only changes',
      first,
      'done',
      { ...done, state: 'suppressed_no_baseline' },
    ],
    [
      'the end of a first one of a monitor that tells everything',
      { ...first, onlyChanged: false },
      'done',
      done,
    ],
    ['the end of a later one', { ...first, previousRunId: 7 }, 'done', done],
    [
      'the end of one without a monitor, where only-changed means nothing',
      { ...first, isMonitored: false },
      'done',
      done,
    ],
  ]
  for (const [what, wanted, ending, expected] of rows) t.strictSame(decide(wanted, ending), expected, what)
})

test('What follows from an attempt', async t => {
  const rules = { waitsMs: [1_000, 2_000, 4_000, 8_000], retriedStatuses: [], chance: () => 0 }
  const answered = (status: number): Outcome => ({
    status,
    error: `HTTP ${status}`,
    isRefused: false,
    elapsedMs: 1,
  })
  const silent = { ...answered(0), status: null, error: 'timeout' }

  t.test('is the end after a success and after a 4xx, and another attempt after all else', async t => {
    t.strictSame(judge({ ...answered(204), error: null }, 3, rules), { state: 'delivered' })
    for (const status of [400, 404, 408, 410, 425, 429, 499])
      t.strictSame(judge(answered(status), 1, rules), { state: 'dead', error: `HTTP ${status}` })
    for (const status of [100, 302, 304, 500, 503, 599])
      t.match(judge(answered(status), 1, rules), { state: 'pending', waitMs: 1_000 })
    t.match(judge(silent, 1, rules), { state: 'pending', error: 'timeout', waitMs: 1_000 })
    t.strictSame(judge({ ...silent, isRefused: true }, 1, rules), { state: 'dead', error: 'timeout' })
  })

  t.test('waits 1, 2, 4 and 8 seconds and up to 8 % more, and is dead after the fifth', async t => {
    for (const [most, extra] of [
      [0, 1],
      [0.999_999, 1.08],
    ] as const) {
      const waits = [1, 2, 3, 4].map(attempt => judge(silent, attempt, { ...rules, chance: () => most }))
      const expected = rules.waitsMs.map(wait => Math.round(wait * extra))
      t.strictSame(
        waits.map(verdict => 'waitMs' in verdict && Math.round(verdict.waitMs)),
        expected,
      )
    }
    t.strictSame(judge(silent, 5, rules), { state: 'dead', error: 'timeout' })
  })

  t.test('is another attempt after those 4xx that the operator names', async t => {
    const patient = { ...rules, retriedStatuses: [408, 425, 429] }
    t.match(judge(answered(429), 2, patient), { state: 'pending', waitMs: 2_000 })
    t.match(judge(answered(404), 2, patient), { state: 'dead' })
  })
})
