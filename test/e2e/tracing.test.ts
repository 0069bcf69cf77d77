/** A crawl as its trace tells it: from the request through every service to the webhook, and to the page in the API. */
import type { ReceivedSpan } from '@tidemark/testing/otlp'
import { until } from '@tidemark/testing/until'
import { test } from 'tap'
import { crawlTraced, orphansIn, startTraced, untilQuiet } from '../trace/one-crawl.ts'
import { type Row, rowsOf } from '../trace/rows.ts'

const traceId = '0af7651916cd43dd8448eb211c80319c'
const clientsSpan = 'b7ad6b7169203331'
const traceparent = `00-${traceId}-${clientsSpan}-01`

/** What one request must be seen doing: by whom, and the name that its span begins with. */
const wanted: [service: string, found: RegExp][] = [
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

const said = ({ span, service }: Row) => `${service} ${span.name}`
const named = ({ service, name }: ReceivedSpan) => `${service} ${name}`

test('One trace leads from the HTTP request to the webhook', async t => {
  await using traced = await startTraced()
  const { system, receiver } = traced
  const key = await system.createProject('traced')
  const crawled = await crawlTraced(traced, key, { traceparent })
  const { spans } = receiver

  t.equal(crawled.traceId, traceId, 'the answer names the trace that the client has named')
  const [request] = spans.filter(({ parentSpanId }) => parentSpanId === clientsSpan)
  if (request === undefined) return t.fail('nothing is part of what the client did')
  t.equal(crawled.spanId, request.spanId, "and the request's own span in it")
  const rows = rowsOf(spans, [request])
  const missing = wanted.filter(
    ([service, found]) => !rows.some(row => row.service === service && found.test(row.span.name)),
  )
  t.strictSame(missing, [], rows.map(said).join('\n'))
  t.strictSame(orphansIn(spans, [clientsSpan]).map(named), [], 'every span has its parent or a link')

  const tells = rows.find(({ span }) => span.name === 'tell webhook')
  t.match(tells?.span, { traceId, attributes: { 'tidemark.run.id': crawled.run.id } })
  const decisions = rows.filter(({ span }) => span.name === 'decide SettlePages').map(({ span }) => span)
  t.ok(decisions.length > 1)
  for (const { traceId: of, links } of decisions) {
    t.equal(of, traceId, "a decision is part of the run's trace")
    t.ok(links.length > 0, 'and linked to what brought its outcomes')
  }

  await t.test('of which each page knows', async t => {
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

  await t.test('but of one that its client does not sample nothing is told', async t => {
    const other = traceId.replace('0af7', '0af8')
    const { run } = await crawlTraced(traced, key, { traceparent: `00-${other}-${clientsSpan}-00` })
    t.equal(run.page_count, 6)
    t.strictSame(spans.filter(span => span.traceId === other).map(named), [])
  })
})

test('Where no trace is sampled only errors are exported, whatever a client says', async t => {
  await using traced = await startTraced({
    OTEL_TRACES_SAMPLER: 'traceidratio',
    OTEL_TRACES_SAMPLER_ARG: '0',
    WEBHOOK_WAITS_MS: '50,50,50,50',
  })
  const { system, receiver, site } = traced
  const key = await system.createProject('unsampled')
  const told = await crawlTraced(traced, key, { traceparent })
  t.equal(told.traceId, traceId)
  const ofTrace = () => receiver.spans.filter(span => span.traceId === traceId)
  t.strictSame(ofTrace().map(named), [], 'of what went well nothing is')

  const nobody = 'http://127.1.0.9:54321/'
  const asked = { url: `${site}/`, delay_ms: 0, webhook_url: nobody }
  const { status, body } = await system.call(key, 'POST', '/v1/crawls', asked, { traceparent })
  t.equal(status, 202, JSON.stringify(body))
  await system.untilEnded(key, body.id)
  await until(() => ofTrace().some(({ name }) => name === 'tell webhook'))
  await untilQuiet(receiver)
  const kept = ofTrace()
  t.ok(receiver.spans.every(({ attributes }) => attributes['tidemark.kept_for_error'] === true))
  t.match(
    kept.find(({ name }) => name === 'tell webhook'),
    { isError: true, attributes: { 'tidemark.run.id': body.id, 'tidemark.webhook.attempt': /1/ } },
    kept.map(named).join('\n'),
  )
  t.ok(
    kept.every(({ name }) => name === 'tell webhook'),
    'and nothing of the same trace that went well',
  )
})
