import fc from 'fast-check'
import { Webhook } from 'standardwebhooks'
import { test } from 'tap'
import { type Changes, decide, decideByChanges, type Ending, toBeCompared, type Wanted } from './decision.ts'
import { excerptOf } from './excerpt.ts'
import { bodyOf, type FetchedPage, sampleBodyOf, webhookIdOf } from './message.ts'
import { cutBatches, firstNoticeId, isNotice, noticeIdOf } from './notice.ts'
import { requestOf } from './request.ts'
import { signatureHeaders } from './signature.ts'
import { isFaultOfEndpoint, judge, type Outcome } from './verdict.ts'

test('A signature', async t => {
  const secret = Uint8Array.from({ length: 32 }, (_, n) => n)
  const body =
    '{"id":42,"project_id":7,"url":"https://example.com/","status":"done","page_count":3,"error_count":0,' +
    '"started_at":"2026-01-02T03:04:05Z","finished_at":"2026-01-02T03:04:09Z","error_message":null,' +
    '"delivered_at":"2026-01-02T03:04:10Z"}'

  t.test('equals the published test vector, in both forms', async t => {
    t.equal(Buffer.byteLength(body), 232)
    t.strictSame(signatureHeaders([secret], { id: 'msg_run42_crawl_done', timestamp: 1767323050, body }), {
      'x-crawler-signature': 'sha256=2118b4225e145888952d7448d4636409d9f283f00318e037fa0bb641ab362a12',
      'webhook-id': 'msg_run42_crawl_done',
      'webhook-timestamp': '1767323050',
      'webhook-signature': 'v1,hCkumkClvXazoWtw1X09/kKLFZnXKdKrPxFUt9pTU7Y=',
    })
  })

  t.test('is accepted by a library of Standard Webhooks, with every signing secret', async t => {
    const older = secret.map(byte => 255 - byte)
    const timestamp = Math.floor(Date.now() / 1000)
    const headers = signatureHeaders([secret, older], { id: 'msg_run42_crawl_done', timestamp, body })
    for (const key of [secret, older]) {
      const receiver = new Webhook(`whsec_${Buffer.from(key).toString('base64')}`)
      t.strictSame(receiver.verify(body, headers), JSON.parse(body))
      t.throws(() => receiver.verify(`${body} `, headers), { name: 'WebhookVerificationError' })
    }
    const [newest, ...others] = headers['webhook-signature'].split(' ')
    const alone = signatureHeaders([secret], { id: 'msg_run42_crawl_done', timestamp, body })
    t.strictSame([newest, others.length], [alone['webhook-signature'], 1])
    t.equal(
      headers['x-crawler-signature'],
      alone['x-crawler-signature'],
      'this header has only one signature',
    )
    const stranger = new Webhook(`whsec_${Buffer.alloc(32, 7).toString('base64')}`)
    t.throws(() => stranger.verify(body, headers), { message: 'No matching signature found' })
  })

  t.test('covers a body with the fields of the specification in their order', async t => {
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
    const text = bodyOf({ runId: 42, projectId: 7, event: 'crawl.done', facts, deliveredAt })
    t.equal(text, body.replace(/\}$/, ',"event":"crawl.done"}'))
    t.equal(webhookIdOf({ runId: 42, event: 'crawl.done', reopenings: 0 }), 'msg_run42_crawl_done')
    const difference = { previousRunId: 41, added: 1, removed: 2, changed: 3, unchanged: 50 }
    const event = 'crawl.diff_detected'
    const compared = bodyOf({
      runId: 42,
      projectId: 7,
      event,
      facts: { ...facts, difference },
      deliveredAt,
    })
    const added = {
      event,
      diff: { added: 1, removed: 2, changed: 3, unchanged: 50 },
      previous_run_id: 41,
    }
    t.strictSame(JSON.parse(compared), { ...JSON.parse(body), ...added })
    t.equal(webhookIdOf({ runId: 42, event, reopenings: 0 }), 'msg_run42_crawl_diff_detected')
    const { test: isTest, ...sample } = JSON.parse(sampleBodyOf(7, deliveredAt))
    t.strictSame([isTest, sample.id, Object.keys(sample)], [true, 0, Object.keys(JSON.parse(text))])
  })
})

test('A notice', async t => {
  const page = (id: number, url = `https://example.com/${id}`): FetchedPage => ({
    ...{ id, url, status: 200, bytes: 512, title: 'Page' },
    ...{ contentHash: 'c'.repeat(64), fetchedAt: '2026-01-02T03:04:06Z' },
  })
  const about = { runId: 42, url: 'https://example.com/' }
  const started = { event: 'crawl.started', facts: { ...about, startedAt: '2026-01-02T03:04:05Z' } } as const
  const pages = { event: 'page.fetched', facts: { ...about, batch: 3, pages: [page(9), page(7)] } } as const
  const sent = { runId: 42, projectId: 7, deliveredAt: '2026-01-02T03:04:10Z' }

  t.test('has an id that depends only on its facts', async t => {
    const end = { status: 'failed', pageCount: 0, errorCount: 1, startedAt: null } as const
    const facts = { ...about, ...end, finishedAt: '2026-01-02T03:04:09Z', errorMessage: 'No answer.' }
    const failed = (reopenings: number) => noticeIdOf({ event: 'crawl.failed', facts, reopenings })
    t.strictSame(
      [noticeIdOf(started), noticeIdOf(pages), failed(0), failed(1)],
      [
        ...['msg_run42_crawl_started', 'msg_run42_page_fetched_3'],
        ...['msg_run42_crawl_failed', 'msg_run42_crawl_failed_2'],
      ],
    )
    t.ok(isNotice(firstNoticeId) && Number.isSafeInteger(firstNoticeId + 1_000_000_000))
    t.notOk(isNotice(1) || isNotice(-1))
    const done = JSON.parse(bodyOf({ ...sent, event: 'crawl.done', facts }))
    const body = JSON.parse(bodyOf({ ...sent, event: 'crawl.failed', facts }))
    t.strictSame(body, { ...done, event: 'crawl.failed' }, 'a failure has the body of the end')
  })

  t.test('of a start or of pages has a body of its own', async t => {
    const head = { id: 42, project_id: 7, url: 'https://example.com/' }
    t.strictSame(JSON.parse(bodyOf({ ...sent, ...started })), {
      ...{ ...head, status: 'running', started_at: '2026-01-02T03:04:05Z' },
      ...{ delivered_at: sent.deliveredAt, event: 'crawl.started' },
    })
    const delivered = (id: number) => ({
      ...{
        id,
        url: `https://example.com/${id}`,
        status: 200,
        bytes: 512,
        fetched_at: '2026-01-02T03:04:06Z',
      },
      ...{ title: 'Page', content_hash: 'c'.repeat(64) },
    })
    t.strictSame(JSON.parse(bodyOf({ ...sent, ...pages })), {
      ...{ ...head, batch: 3, pages: [delivered(9), delivered(7)] },
      ...{ delivered_at: sent.deliveredAt, event: 'page.fetched' },
    })
  })

  t.test('has each page once, in order, in batches of at most 100 pages and 128 KiB', async t => {
    const lengths = fc.array(fc.constantFrom(10, 1_000, 8_192), { maxLength: 400 })
    fc.assert(
      fc.property(lengths, fc.boolean(), (lengths, isAll) => {
        const all = lengths.map((length, id) => page(id, 'x'.repeat(length)))
        const { batches, rest } = cutBatches(all, isAll)
        t.strictSame([...batches.flat(), ...rest], all)
        for (const batch of [...batches, rest]) {
          const size = batch.reduce((sum, one) => sum + JSON.stringify(one).length, 0)
          if (batch.length > 100 || size > 131_072) throw new Error(`${batch.length} pages of ${size}`)
        }
        for (const [n, batch] of (isAll ? batches.slice(0, -1) : batches).entries()) {
          const [next] = batches[n + 1] ?? rest
          const sizes = [...batch, ...(next ? [next] : [])].map(one => JSON.stringify(one).length)
          const size = sizes.reduce((sum, one) => sum + one, 0)
          if (batch.length < 100 && size <= 131_072) throw new Error('a page more would fit')
        }
        if (batches.some(batch => batch.length === 0) || (isAll && rest.length > 0)) throw new Error('empty')
        const again = cutBatches(rest, false)
        t.strictSame(again, { batches: [], rest }, 'a rest stays a rest')
      }),
      { numRuns: 60 },
    )
    const pages = (count: number, length: number) =>
      Array.from({ length: count }, (_, id) => page(id, 'x'.repeat(length)))
    const sizes = (all: FetchedPage[]) => cutBatches(all, true).batches.map(({ length }) => length)
    t.strictSame(
      [sizes(pages(250, 10)), sizes(pages(40, 8_192))],
      [
        [100, 100, 50],
        [15, 15, 10],
      ],
    )
  })
})

test('The end of a batch of scans has a body and headers with the id of the batch', async t => {
  const about = { runId: -1, event: 'batch.done' as const }
  const counts = { total: 3, pending: 0, ok: 2, failed: 1, refused: 0, cancelled: 0 }
  const [createdAt, finishedAt] = ['2026-01-02T03:04:05Z', '2026-01-02T03:04:09Z']
  const [deliveredAt, facts] = ['2026-01-02T03:04:10Z', { counts, createdAt, finishedAt }]
  const body = bodyOf({ ...about, projectId: 7, facts, deliveredAt })
  t.strictSame(JSON.parse(body), {
    ...{ id: 1, project_id: 7, status: 'done', counts, created_at: createdAt, finished_at: finishedAt },
    ...{ delivered_at: deliveredAt, event: 'batch.done' },
  })
  const webhookId = webhookIdOf({ ...about, reopenings: 0 })
  t.equal(webhookId, 'msg_batch1_batch_done')
  const message = { ...about, url: 'https://hooks.example/', webhookId, body, sentAt: new Date(deliveredAt) }
  const { headers } = requestOf(message, ['00'.repeat(32)])
  const { 'user-agent': _, 'x-crawler-signature': _hex, 'webhook-signature': _base64, ...others } = headers
  t.strictSame(others, {
    ...{ 'content-type': 'application/json', 'x-crawler-batch-id': '1', 'x-crawler-event': 'batch.done' },
    ...{ 'webhook-id': webhookId, 'webhook-timestamp': '1767323050' },
  })
})

test('The decision on a run is to send', async t => {
  const plain: Wanted = {
    events: ['crawl.done'],
    onlyChanged: false,
    hasIntent: false,
    onlyMatching: false,
    isMonitored: false,
    previousRunId: null,
  }
  const none = { ...plain, events: [] }
  const onlyDiffs: Wanted = { ...plain, events: ['crawl.diff_detected'] }
  const first = { ...plain, onlyChanged: true, isMonitored: true }
  const done = { event: 'crawl.done', state: 'pending' }
  const later = { ...first, previousRunId: 7 }
  const laterDiffs = { ...later, ...onlyDiffs, isMonitored: true, previousRunId: 7 }
  const rows: [string, Wanted, Ending, object | string | null][] = [
    ['its end, if that is subscribed', plain, 'done', done],
    ['nothing for a cancelled run', plain, 'cancelled', null],
    ['nothing without a subscription', onlyDiffs, 'done', null],
    ['its failure, regardless of subscriptions', onlyDiffs, 'failed', done],
    ['its failure, even without subscriptions', none, 'failed', done],
    ['its failure, even if its end would be suppressed', first, 'failed', done],
    ['its end without a page because of a limit, like a failure', first, 'empty', done],
    ['its end without a page, regardless of subscriptions', onlyDiffs, 'empty', done],
    [
      'nothing for the first run of a monitor with only-changed',
      first,
      'done',
      { ...done, state: 'suppressed_no_baseline' },
    ],
    [
      'nothing for the first run of a monitor with only-matching',
      { ...first, onlyChanged: false, hasIntent: true, onlyMatching: true },
      'done',
      { ...done, state: 'suppressed_no_baseline' },
    ],
    [
      'the end of the first run of a monitor without only-changed',
      { ...first, onlyChanged: false },
      'done',
      done,
    ],
    [
      'the end of a run without a monitor, which ignores only-changed',
      { ...first, isMonitored: false },
      'done',
      done,
    ],
  ]
  for (const [what, wanted, ending, expected] of rows) t.strictSame(decide(wanted, ending), expected, what)
  for (const wanted of [later, laterDiffs]) t.equal(decide(wanted, 'done'), toBeCompared)
  t.strictSame(
    decide({ ...later, onlyChanged: false }, 'done'),
    done,
    'webhooks without changes need not wait',
  )
  t.strictSame(decide({ ...laterDiffs, isMonitored: false }, 'done'), null)
  for (const ending of ['failed', 'empty'] as const)
    t.strictSame(decide(laterDiffs, ending), done, 'and neither do failures')

  const both = { ...later, events: ['crawl.diff_detected' as const, 'crawl.done' as const] }
  const diff = { event: 'crawl.diff_detected', state: 'pending' }
  const unchanged = { event: 'crawl.done', state: 'suppressed_no_change' }
  const onlyMatching = { ...both, onlyChanged: false, hasIntent: true, onlyMatching: true }
  t.strictSame(
    decide({ ...plain, hasIntent: true, isMonitored: true, previousRunId: 7 }, 'done'),
    toBeCompared,
  )
  const compared: [string, Wanted, Changes, object | null, (boolean | null)?][] = [
    ['the changes, if they are subscribed', both, 1, diff],
    ['the end, if only that is subscribed', later, 1, done],
    ['nothing for an unchanged run with only-changed', both, 0, unchanged],
    ['nothing for an unchanged run if only changes are subscribed', laterDiffs, 0, null],
    ['the end of an unchanged run without only-changed', { ...both, onlyChanged: false }, 0, done],
    ['the end if the changes are unknown', later, null, done],
    ['the changes of a monitor with an intent', { ...both, hasIntent: true }, 1, diff, false],
    ['nothing that does not match', onlyMatching, 1, { ...done, state: 'suppressed_no_match' }, false],
    ['changes that match', onlyMatching, 1, diff, true],
    ['changes that may match', onlyMatching, 1, diff, null],
    ['the end if the changes are unknown, regardless of subscriptions', laterDiffs, null, done],
  ]
  for (const [what, wanted, changes, expected, matched] of compared)
    t.strictSame(decideByChanges(wanted, changes, matched), expected, what)
})

test('The verdict on an attempt', async t => {
  const rules = { waitsMs: [1_000, 2_000, 4_000, 8_000], retriedStatuses: [], chance: () => 0 }
  const answered = (status: number): Outcome => ({
    status,
    error: `HTTP ${status}`,
    isRefused: false,
    excerpt: null,
    elapsedMs: 1,
  })
  const silent = { ...answered(0), status: null, error: 'timeout' }

  t.test('is final after a success and after a 4xx, and a retry after everything else', async t => {
    t.strictSame(judge({ ...answered(204), error: null }, 3, rules), { state: 'delivered' })
    for (const status of [400, 404, 408, 410, 425, 429, 499])
      t.strictSame(judge(answered(status), 1, rules), { state: 'dead', error: `HTTP ${status}` })
    for (const status of [100, 302, 304, 500, 503, 599])
      t.match(judge(answered(status), 1, rules), { state: 'pending', waitMs: 1_000 })
    t.match(judge(silent, 1, rules), { state: 'pending', error: 'timeout', waitMs: 1_000 })
    t.strictSame(judge({ ...silent, isRefused: true }, 1, rules), { state: 'dead', error: 'timeout' })
  })

  t.test(
    'has waits of 1, 2, 4 and 8 seconds plus up to 8 %, and is dead after the fifth attempt',
    async t => {
      for (const [max, extra] of [
        [0, 1],
        [0.999_999, 1.08],
      ] as const) {
        const waits = [1, 2, 3, 4].map(attempt => judge(silent, attempt, { ...rules, chance: () => max }))
        const expected = rules.waitsMs.map(wait => Math.round(wait * extra))
        t.strictSame(
          waits.map(verdict => 'waitMs' in verdict && Math.round(verdict.waitMs)),
          expected,
        )
      }
      t.strictSame(judge(silent, 5, rules), { state: 'dead', error: 'timeout' })
    },
  )

  t.test('is a retry after the 4xx statuses that the operator configures', async t => {
    const patient = { ...rules, retriedStatuses: [408, 425, 429] }
    t.match(judge(answered(429), 2, patient), { state: 'pending', waitMs: 2_000 })
    t.match(judge(answered(404), 2, patient), { state: 'dead' })
  })

  t.test('distinguishes faults of the endpoint from rejections', async t => {
    for (const ill of [500, 503, 307]) t.ok(isFaultOfEndpoint(answered(ill)))
    t.ok(isFaultOfEndpoint(silent))
    for (const well of [400, 410, 429]) t.notOk(isFaultOfEndpoint(answered(well)))
    t.notOk(isFaultOfEndpoint({ ...silent, isRefused: true }))
    t.notOk(isFaultOfEndpoint({ ...answered(200), error: null }))
  })

  t.test('keeps only one harmless line of a response', async t => {
    const of = (text: string) => excerptOf(Buffer.from(text))
    t.equal(of('  Not\r\n\u0000here,\u202e\tsorry '), 'Not here, sorry')
    t.equal(of('字'.repeat(5_000)), '字'.repeat(100))
    t.equal(of(' \n'), null)
    t.equal(excerptOf(Buffer.from([0xff, 0xfe, 0x41])), null)
  })
})
