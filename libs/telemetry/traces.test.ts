import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import {
  defaultTextMapGetter,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api'
import { InMemorySpanExporter, SimpleSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace'
import { spanAttributes } from '@tidemark/contracts/traces'
import { test } from 'tap'
import { keepingErrors } from './kept-errors.ts'
import { inwardPropagator } from './propagator.ts'
import { type Sampling, samplerOf, samplingFrom } from './sampler.ts'

const own = { keys: () => [], get: defaultTextMapGetter.get }
const marked = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01'
const unmarked = marked.replace(/01$/, '00')

/** Returns a tracer with these settings, and its exported spans. */
function tracing(sampling: Sampling, chance = 0.5) {
  const exported = new InMemorySpanExporter()
  const provider = new TracerProvider({
    sampler: samplerOf(sampling, () => chance),
    spanProcessors: [keepingErrors(new SimpleSpanProcessor({ exporter: exported }))],
  })
  const tracer = provider.getTracer('test')
  return {
    /** The names of the exported spans, after all spans of `work` have ended. */
    names: () => exported.getFinishedSpans().map(({ name }) => name),
    spans: () => exported.getFinishedSpans(),
    begin(name: string, parent?: Span, options: Parameters<typeof tracer.startSpan>[1] = {}) {
      return tracer.startSpan(name, options, parent ? trace.setSpan(ROOT_CONTEXT, parent) : ROOT_CONTEXT)
    },
    /** Returns a span whose parent comes from a client, or from a message of ours. */
    within(traceparent: string, from: 'client' | 'message') {
      const getter = from === 'client' ? defaultTextMapGetter : own
      const context = inwardPropagator.extract(ROOT_CONTEXT, { traceparent }, getter)
      return tracer.startSpan('within', {}, context)
    },
  }
}
const isSampled = (span: Span) => (span.spanContext().traceFlags & 1) === 1

test('The standard variables set the share of sampled traces', async t => {
  const table: [env: NodeJS.ProcessEnv, ratio: number][] = [
    [{}, 1],
    [{ OTEL_TRACES_SAMPLER: '' }, 1],
    [{ OTEL_TRACES_SAMPLER: 'always_off' }, 0],
    [{ OTEL_TRACES_SAMPLER: 'parentbased_always_off' }, 0],
    [{ OTEL_TRACES_SAMPLER: 'traceidratio' }, 1],
    [{ OTEL_TRACES_SAMPLER: 'traceidratio', OTEL_TRACES_SAMPLER_ARG: '0.1' }, 0.1],
    [{ OTEL_TRACES_SAMPLER: 'parentbased_traceidratio', OTEL_TRACES_SAMPLER_ARG: '0' }, 0],
    [{ OTEL_TRACES_SAMPLER_ARG: '0.1' }, 1],
  ]
  for (const [env, ratio] of table)
    t.strictSame(samplingFrom(env), { ratio, trustsClients: false }, JSON.stringify(env))
  t.equal(samplingFrom({ TRACE_TRUSTS_CLIENTS: 'true' }).trustsClients, true)
})

test('A trace is sampled as a whole, and clients cannot increase the share', async t => {
  const tenth = { ratio: 0.1, trustsClients: false }
  const [drawn, passed] = [tracing(tenth, 0.05), tracing(tenth, 0.5)]
  const trusting = tracing({ ...tenth, trustsClients: true }, 0.5)
  const sampled: [what: string, span: Span, is: boolean][] = [
    ['the first span of a trace that is drawn', drawn.begin('a'), true],
    ['of another trace', passed.begin('a'), false],
    ["a client's sampled trace that is drawn", drawn.within(marked, 'client'), true],
    ['of another one, although it has the sampled flag', passed.within(marked, 'client'), false],
    ['where clients are trusted', trusting.within(marked, 'client'), true],
    ["a client's trace that is not sampled, although drawn", drawn.within(unmarked, 'client'), false],
    ['where clients are trusted', trusting.within(unmarked, 'client'), false],
    ['the work for a message of a sampled trace', passed.within(marked, 'message'), true],
    ['and of another trace', drawn.within(unmarked, 'message'), false],
  ]
  for (const [what, span, is] of sampled) {
    t.equal(isSampled(span), is, what)
    t.ok(span.isRecording(), 'and our own work is recorded in each')
  }
  const statement = { kind: SpanKind.CLIENT, attributes: { [spanAttributes.dbSystem]: 'postgresql' } }
  t.ok(drawn.begin('select', drawn.begin('a'), statement).isRecording())
  t.notOk(passed.begin('select', passed.begin('a'), statement).isRecording(), 'but statements are not')
  const [yes, no] = [drawn.begin('a'), passed.begin('a')].map(span => ({ context: span.spanContext() }))
  if (!yes || !no) return t.fail()
  t.ok(isSampled(passed.begin('b', undefined, { links: [no, yes] })), 'a span with a link to a sampled one')
  t.notOk(isSampled(drawn.begin('b', undefined, { links: [no] })), 'a span without a link to a sampled one')
  t.ok(isSampled(passed.begin('c', drawn.begin('a'))), 'a child of a sampled span')
})

test('Errors of a trace that is not sampled are exported with their ancestors', async t => {
  const { begin, names, spans } = tracing({ ratio: 0, trustsClients: false })
  const failing = begin('request')
  const middle = begin('work', failing)
  const sibling = begin('sibling', failing)
  const call = begin('call', middle)
  sibling.end()
  call.setStatus({ code: SpanStatusCode.ERROR })
  call.end()
  middle.end()
  begin('later', failing).end()
  failing.end()
  begin('another request').end()
  t.strictSame(names(), ['call', 'work', 'request'])
  for (const span of spans()) {
    t.equal(span.attributes[spanAttributes.keptForError], true)
    t.equal(span.spanContext().traceFlags, 1, 'as exporters require')
    t.equal(span.ended, true)
    t.ok(span.duration)
  }

  const answered = (status: number) => {
    const span = begin(`answered ${status}`, undefined, { kind: SpanKind.CLIENT })
    span.setAttribute(spanAttributes.httpStatus, status)
    span.setStatus({ code: SpanStatusCode.ERROR })
    span.end()
  }
  for (const status of [404, 429, 500, 503]) answered(status)
  t.strictSame(names().slice(3), ['answered 500', 'answered 503'], 'a 404 of a site is not an error')
})

test('A sampled trace is exported once, with its errors', async t => {
  const { begin, names, spans } = tracing({ ratio: 1, trustsClients: false })
  const request = begin('request')
  const call = begin('call', request)
  call.setStatus({ code: SpanStatusCode.ERROR })
  call.end()
  request.end()
  t.strictSame(names(), ['call', 'request'])
  t.notOk(spans().some(({ attributes }) => spanAttributes.keptForError in attributes))
})

test('A thread of a traced process loads nothing to trace with', async t => {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['--import', import.meta.resolve('./register.ts'), join(import.meta.dirname, 'thread.scene.ts')],
    { env: { ...process.env, OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9' } },
  )
  const [ofProcess, ofThread] = stdout.trim().split('\n')
  t.match(ofProcess, /^TracerProvider/)
  t.equal(ofThread, 'NoopTracerProvider')
})
