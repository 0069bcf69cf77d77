import { setTimeout as sleep } from 'node:timers/promises'
import { startOrigin } from '@tidemark/testing/origin'
import { startOtlpReceiver } from '@tidemark/testing/otlp'
import { test } from 'tap'
import { startSystem } from './system.ts'

const traceId = '0af7651916cd43dd8448eb211c80319c'
const traceparent = `00-${traceId}-b7ad6b7169203331-01`

/** What one request must be seen doing, each by the name that its span begins with. */
const wanted = [
  { what: 'the HTTP request', found: /^POST/ },
  { what: 'the question to the coordinator', found: /^ask\.runs\.start ask/ },
  { what: 'its answer', found: /^ask\.runs\.start answer/ },
  { what: 'the order taken by the fetcher', found: /^fetch\.http process/ },
  { what: 'the fetch itself', found: /^GET/ },
  { what: 'the page taken by the extractor', found: /^pages\.\d\d process|^store pages/ },
  { what: 'a statement on Postgres', found: /^pg\.query/ },
]

test('One trace leads from the HTTP request to the stored page', async t => {
  const receiver = await startOtlpReceiver()
  t.teardown(() => receiver.close())
  const origin = await startOrigin({ pages: { '/': '<title>Traced</title><a href="/b">b</a>', '/b': 'b' } })
  t.teardown(() => origin.close())
  const system = await startSystem({
    OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
    OTEL_BSP_SCHEDULE_DELAY: '200',
  })
  t.teardown(() => system.stop())

  const key = await system.createProject('traced')
  const { body } = await system.call(
    key,
    'POST',
    '/v1/crawls',
    { url: `${origin.url}/`, delay_ms: 0 },
    { traceparent },
  )
  const run = await system.untilEnded(key, body.id)
  t.equal(run.page_count, 2)

  const ofTrace = () => receiver.spans.filter(span => span.traceId === traceId)
  const missing = () => wanted.filter(({ found }) => !ofTrace().some(({ name }) => found.test(name)))
  const strays = () => {
    const ids = new Set(ofTrace().map(({ spanId }) => spanId))
    return ofTrace().filter(
      ({ parentSpanId }) => !ids.has(parentSpanId) && !traceparent.includes(parentSpanId),
    )
  }
  for (let look = 0; look < 100 && missing().length + strays().length > 0; look++) await sleep(100)

  t.strictSame(
    missing().map(({ what }) => what),
    [],
  )
  t.strictSame(
    strays().map(({ name }) => name),
    [],
    'every span has its parent in the trace',
  )
  t.ok(new Set(ofTrace().map(({ service }) => service)).size >= 2, 'over more than one process')
})
