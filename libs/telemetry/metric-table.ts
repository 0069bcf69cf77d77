/**
 * Every metric that Tidemark has, spelled once: what dashboards and alert rules name is checked against this. A name ends
 * in its unit, so that it is the same by OTLP and for Prometheus, where dots are underscores and counters end in `_total`.
 */
import { type Metric, seconds } from './metric-row.ts'

export const metricTable = {
  'tidemark.event_loop.delay.seconds': {
    kind: 'gauge',
    unit: 's',
    says: 'How late the event loop came since it was last asked, by quantile.',
    by: ['quantile'],
  },
  'tidemark.process.memory.bytes': {
    kind: 'gauge',
    unit: 'By',
    says: 'Memory of the process: all of it that is resident and what it may be where that is bounded; the heap and what that may be; what lies outside of the heap.',
    by: ['kind'],
  },
  'tidemark.process.started.seconds': {
    kind: 'gauge',
    unit: 's',
    says: 'When the process began, in seconds since 1970: one that changes was started again.',
    by: [],
  },
  'tidemark.process.cpu.seconds': {
    kind: 'counter',
    unit: 's',
    says: 'Processor time of the process.',
    by: ['mode'],
  },
  'tidemark.postgres.connections': {
    kind: 'gauge',
    unit: '{connection}',
    says: "A service's connections to Postgres: used, idle, and wanted by callers who wait for one.",
    by: ['service', 'state'],
  },
  'tidemark.redis.away': {
    kind: 'gauge',
    unit: '1',
    says: 'Whether Redis does not answer a service, as 1 or 0.',
    by: ['service'],
  },
  'tidemark.ready': {
    kind: 'gauge',
    unit: '1',
    says: 'What `/v1/ready` finds, as 1 or 0: each service, the database, the streams.',
    by: ['part'],
  },
  'tidemark.certificate.expires.seconds': {
    kind: 'gauge',
    unit: 's',
    says: 'Until when the certificate that the gateway shows is good, in seconds since 1970; where it speaks TLS.',
    by: [],
  },
  'tidemark.units': {
    kind: 'counter',
    unit: '{unit}',
    says: 'Pages and cloud pages that were billed, by what for.',
    by: ['kind', 'operation'],
  },
  'tidemark.webhook.attempt.seconds': {
    kind: 'histogram',
    unit: 's',
    says: 'How long receivers of webhooks took to answer, by what came of it.',
    by: ['result'],
    buckets: seconds,
  },
  'tidemark.webhook.deliveries': {
    kind: 'counter',
    unit: '{delivery}',
    says: 'Webhooks that were delivered, or given up as dead.',
    by: ['state'],
  },
  'tidemark.webhook.overdue.seconds': {
    kind: 'gauge',
    unit: 's',
    says: 'How long the webhook that has waited longest is past its time, those to broken hosts apart.',
    by: [],
  },
  'tidemark.webhook.broken_hosts': {
    kind: 'gauge',
    unit: '{host}',
    says: 'Hosts of receivers that failed so often in a row that they are asked one at a time.',
    by: [],
  },
  'tidemark.monitor.ticks': {
    kind: 'counter',
    unit: '{tick}',
    says: 'Due minutes of monitors by what became of them: fired, skipped, or failed and tried again.',
    by: ['outcome'],
  },
  'tidemark.monitor.lateness.seconds': {
    kind: 'histogram',
    unit: 's',
    says: 'How long after its due minute a monitor fired; up to 60 s are the spreading of monitors over the minute.',
    by: [],
    buckets: [1, 10, 30, 60, 90, 120, 300, 600, 3_600],
  },
  'tidemark.mails.unsent': {
    kind: 'gauge',
    unit: '{mail}',
    says: 'Mails that should have left: late ones, and those that were given up.',
    by: ['state'],
  },
  'tidemark.projection.lag': {
    kind: 'gauge',
    unit: '{message}',
    says: 'Messages of its stream behind the last one that a projection has read, or 0 where none of them is its own; below 0 the stream has lost some that were read.',
    by: ['projection', 'stream'],
  },
  'tidemark.projection.behind.seconds': {
    kind: 'gauge',
    unit: 's',
    says: 'How long the oldest message that a projection has still to read lies in its stream already.',
    by: ['projection', 'stream'],
  },
  'tidemark.stream.bytes': {
    kind: 'gauge',
    unit: 'By',
    says: 'What a stream holds, and what it may hold.',
    by: ['stream', 'kind'],
  },
  'tidemark.stream.messages': {
    kind: 'gauge',
    unit: '{message}',
    says: 'Messages in a stream.',
    by: ['stream'],
  },
  'tidemark.queue.oldest.seconds': {
    kind: 'gauge',
    unit: 's',
    says: 'How long the oldest message of a work queue waits already, or is being worked on, by who takes it.',
    by: ['stream', 'consumer'],
  },
  'tidemark.http.seconds': {
    kind: 'histogram',
    unit: 's',
    says: 'How long requests to the API took, by route and class of status; `elsewhere` is a 5xx whose cause is a site, or a backend that this installation does not have, `aborted` a client that left before its answer began.',
    by: ['route', 'status'],
    buckets: seconds,
  },
  'tidemark.fetch.seconds': {
    kind: 'histogram',
    unit: 's',
    says: 'How long hosts took to answer, redirects included, by class of status or why there was no answer.',
    by: ['result'],
    buckets: seconds,
  },
  'tidemark.host.wait.seconds': {
    kind: 'histogram',
    unit: 's',
    says: 'How long a request waited for its turn: the pace of its host, and the places of this process.',
    by: ['lane'],
    buckets: seconds,
  },
  'tidemark.egress.refusals': {
    kind: 'counter',
    unit: '{request}',
    says: 'Requests that were not let out, by reason.',
    by: ['reason'],
  },
  'tidemark.browser.renders': {
    kind: 'counter',
    unit: '{render}',
    says: 'Pages that browsers rendered, failed to, or had to begin again.',
    by: ['outcome'],
  },
  'tidemark.browser.starts': {
    kind: 'counter',
    unit: '{browser}',
    says: 'Browsers that were started, and that died.',
    by: ['event'],
  },
  'tidemark.browser.pages': {
    kind: 'gauge',
    unit: '{page}',
    says: 'Pages that are being rendered, and that wait for a browser.',
    by: ['state'],
  },
  'tidemark.browser.memory.bytes': {
    kind: 'gauge',
    unit: 'By',
    says: 'Memory of all browsers of the process.',
    by: [],
  },
  'tidemark.pages': {
    kind: 'counter',
    unit: '{page}',
    says: 'URLs of crawls by what became of them; one that is retried comes again.',
    by: ['outcome'],
  },
  'tidemark.extractor.pages': {
    kind: 'counter',
    unit: '{page}',
    says: 'Answers of sites, sitemaps among them, that this extractor has read, stored and told their crawls of.',
    by: [],
  },
  'tidemark.runs': {
    kind: 'counter',
    unit: '{run}',
    says: 'Crawls by what they became: running, done, failed, cancelled, deleted.',
    by: ['became'],
  },
  'tidemark.runs.active': {
    kind: 'gauge',
    unit: '{run}',
    says: 'Crawls that go on and are kept here.',
    by: [],
  },
  'tidemark.frontier.urls': {
    kind: 'gauge',
    unit: '{url}',
    says: 'URLs of the crawls that go on: all that are known, those that wait, those that are with a fetcher.',
    by: ['state'],
  },
  'tidemark.decision.seconds': {
    kind: 'histogram',
    unit: 's',
    says: 'How long a command took to be decided and its decision to be appended, by command and result.',
    by: ['command', 'result'],
    buckets: seconds,
  },
  'tidemark.append.seconds': {
    kind: 'histogram',
    unit: 's',
    says: 'How long the stream took to take one commit of a crawl.',
    by: ['result'],
    buckets: seconds,
  },
} as const satisfies Record<string, Metric>

export type MetricName = keyof typeof metricTable
type OfKind<Kind extends Metric['kind']> = {
  [Name in MetricName]: (typeof metricTable)[Name]['kind'] extends Kind ? Name : never
}[MetricName]
export type CounterName = OfKind<'counter'>
export type HistogramName = OfKind<'histogram'>
export type GaugeName = OfKind<'gauge'>

/** The attributes of a metric: each that it is told apart by. */
export type By<Name extends MetricName> = Record<(typeof metricTable)[Name]['by'][number], string>

/** As Prometheus calls it. */
export const prometheusName = (name: MetricName): string =>
  name.replaceAll('.', '_') + (metricTable[name].kind === 'counter' ? '_total' : '')
