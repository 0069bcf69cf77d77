/** The trace of a crawl: from the request through every service to the webhook, and to the page in the API. */
import type { ReceivedSpan } from '@tidemark/testing/otlp'
import { until } from '@tidemark/testing/until'
import { test } from 'tap'
import { crawlTraced, orphansIn, startTraced, untilQuiet } from '../trace/one-crawl.ts'
import { type Row, rowsOf } from '../trace/rows.ts'

const traceId = '0af7651916cd43dd8448eb211c80319c'
const clientsSpan = 'b7ad6b7169203331'
const traceparent = `00-${traceId}-${clientsSpan}-01`

/** The spans that a request must lead to: the service, and the start of the span's name. */
const expected: [service: string, found: RegExp][] = [
  ['gateway', /^POST \/v1\/crawls$/],
  ['gateway', /^ask\.runs\.start ask/],
  ['auth-billing', /^ask\.accounts\.find-key answer/],
  ['crawl-coordinator', /^ask\.runs\.start answer/],
  ['crawl-coordinator', /^decide LookAfterRun/],
  ['fetcher', /^fetch\.http process/],
  ['fetcher', /^GET/],
  ['fetcher', /^evalsha/],
  ['extractor', /^pages\.\d\d process/],
  ['extractor', /^settle pages/],
  ['extractor', /^pg\.query/],
  ['extractor', /^read site/],
  ['crawl-coordinator', /^outcomes\.\d\d process/],
  ['crawl-coordinator', /^decide SettlePages/],
  ['projector', /^runs project/],
  ['projector', /^audit project/],
  ['usage-ledger', /^bill-runs project/],
  ['usage-ledger', /^ledger project/],
  ['webhook', /^decide-deliveries project/],
  ['webhook', /^deliveries process/],
  ['webhook', /^tell webhook/],
  ['webhook', /^POST$/],
]

const titleOf = ({ span, service }: Row) => `${service} ${span.name}`
const named = ({ service, name }: ReceivedSpan) => `${service} ${name}`

test('One trace leads from the HTTP request to the webhook', async t => {
  await using traced = await startTraced()
  const { system, receiver } = traced
  const key = await system.createProject('traced')
  const crawled = await crawlTraced(traced, key, { traceparent })
  const { spans } = receiver

  t.equal(crawled.traceId, traceId, 'the answer names the trace of the client')
  const [request] = spans.filter(({ parentSpanId }) => parentSpanId === clientsSpan)
  if (request === undefined) return t.fail('no span belongs to the trace of the client')
  t.equal(crawled.spanId, request.spanId, "the answer names the request's own span")
  const rows = rowsOf(spans, [request])
  const missing = expected.filter(
    ([service, found]) => !rows.some(row => row.service === service && found.test(row.span.name)),
  )
  t.strictSame(missing, [], rows.map(titleOf).join('\n'))
  t.strictSame(orphansIn(spans, [clientsSpan]).map(named), [], 'every span has its parent or a link')

  const delivery = rows.find(({ span }) => span.name === 'tell webhook')
  t.match(delivery?.span, { traceId, attributes: { 'tidemark.run.id': crawled.run.id } })
  const decisions = rows.filter(({ span }) => span.name === 'decide SettlePages').map(({ span }) => span)
  t.ok(decisions.length > 1)
  for (const { traceId: of, links } of decisions) {
    t.equal(of, traceId, "a decision is part of the run's trace")
    t.ok(links.length > 0, 'a decision is linked to the sources of its outcomes')
  }

  await t.test('which every page names', async t => {
    const { body } = await system.call(key, 'GET', `/v1/crawls/${crawled.run.id}/pages?fields=trace_id`)
    t.equal(body.items.length, 6)
    for (const { id, trace_id } of body.items) {
      t.equal(trace_id, traceId)
      t.equal((await system.call(key, 'GET', `/v1/pages/${id}`)).body.trace_id, traceId)
    }
    const explain = `/v1/crawls/${crawled.run.id}/explain?url=${encodeURIComponent(crawled.run.url)}`
    t.match((await system.call(key, 'GET', explain)).body, { verdict: 'fetched', trace_id: traceId })
    const fetched = rows.filter(({ span, service }) => service === 'fetcher' && span.name === 'GET')
    t.ok(fetched.length >= body.items.length)
    t.ok(fetched.every(({ span }) => span.traceId === traceId))
  })

  await t.test('but a trace that its client does not sample is not exported', async t => {
    const other = traceId.replace('0af7', '0af8')
    const { run } = await crawlTraced(traced, key, { traceparent: `00-${other}-${clientsSpan}-00` })
    t.equal(run.page_count, 6)
    t.strictSame(spans.filter(span => span.traceId === other).map(named), [])
  })
})

test('Without sampling only errors are exported, even if a client samples', async t => {
  await using traced = await startTraced({
    OTEL_TRACES_SAMPLER: 'traceidratio',
    OTEL_TRACES_SAMPLER_ARG: '0',
    WEBHOOK_WAITS_MS: '50,50,50,50',
  })
  const { system, receiver, site } = traced
  const key = await system.createProject('unsampled')
  const crawled = await crawlTraced(traced, key, { traceparent })
  t.equal(crawled.traceId, traceId)
  const ofTrace = () => receiver.spans.filter(span => span.traceId === traceId)
  t.strictSame(ofTrace().map(named), [], 'successful spans are not exported')

  const closedPort = 'http://127.1.0.9:54321/'
  const crawl = { url: `${site}/`, delay_ms: 0, webhook_url: closedPort }
  const { status, body } = await system.call(key, 'POST', '/v1/crawls', crawl, { traceparent })
  t.equal(status, 202, JSON.stringify(body))
  await system.untilEnded(key, body.id)
  await until(() => ofTrace().some(({ name }) => name === 'tell webhook'))
  await untilQuiet(receiver)
  const exported = ofTrace()
  t.ok(receiver.spans.every(({ attributes }) => attributes['tidemark.kept_for_error'] === true))
  t.match(
    exported.find(({ name }) => name === 'tell webhook'),
    { isError: true, attributes: { 'tidemark.run.id': body.id, 'tidemark.webhook.attempt': /1/ } },
    exported.map(named).join('\n'),
  )
  t.ok(
    exported.every(({ name }) => name === 'tell webhook'),
    'successful spans of the same trace are not exported',
  )
})
