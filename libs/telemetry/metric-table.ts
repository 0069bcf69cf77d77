/**
 * All metrics of Tidemark. Dashboards and alert rules are checked against this table. A name ends in its unit, so
 * that it is equal in OTLP and in Prometheus, where dots become underscores and counters end in `_total`.
 */
import { jobMetrics } from './job-metrics.ts'
import { type Metric, seconds } from './metric-row.ts'

export const metricTable = {
  'tidemark.event_loop.delay.seconds': {
    kind: 'gauge',
    unit: 's',
    description: 'Delay of the event loop since the last scrape, by quantile.',
    by: ['quantile'],
  },
  'tidemark.process.memory.bytes': {
    kind: 'gauge',
    unit: 'By',
    description:
      'Memory of the process: resident set size and its limit (if any), heap and its limit, and memory outside the heap.',
    by: ['kind'],
  },
  'tidemark.process.started.seconds': {
    kind: 'gauge',
    unit: 's',
    description: 'Start time of the process, in seconds since 1970. It changes with each restart.',
    by: [],
  },
  'tidemark.process.cpu.seconds': {
    kind: 'counter',
    unit: 's',
    description: 'Processor time of the process.',
    by: ['mode'],
  },
  'tidemark.postgres.connections': {
    kind: 'gauge',
    unit: '{connection}',
    description: 'Connections of a service to Postgres: used, idle, and wanted by waiting callers.',
    by: ['service', 'state'],
  },
  'tidemark.redis.away': {
    kind: 'gauge',
    unit: '1',
    description: '1 if Redis does not respond to a service, else 0.',
    by: ['service'],
  },
  'tidemark.ready': {
    kind: 'gauge',
    unit: '1',
    description: 'Result of `/v1/ready` as 1 or 0, for each service, the database and the streams.',
    by: ['part'],
  },
  'tidemark.certificate.expires.seconds': {
    kind: 'gauge',
    unit: 's',
    description:
      'Expiry time of the TLS certificate of the gateway, in seconds since 1970. Absent without TLS.',
    by: [],
  },
  'tidemark.units': {
    kind: 'counter',
    unit: '{unit}',
    description: 'Billed pages and cloud pages, by operation.',
    by: ['kind', 'operation'],
  },
  ...jobMetrics,
  'tidemark.projection.lag': {
    kind: 'gauge',
    unit: '{message}',
    description:
      'Messages in the stream that a projection has not read, or 0 if none of them concerns it. Below 0: the stream lost messages that were read.',
    by: ['projection', 'stream'],
  },
  'tidemark.projection.behind.seconds': {
    kind: 'gauge',
    unit: 's',
    description: 'Age of the oldest message that a projection has not read.',
    by: ['projection', 'stream'],
  },
  'tidemark.stream.bytes': {
    kind: 'gauge',
    unit: 'By',
    description: 'Size of a stream, and its limit.',
    by: ['stream', 'kind'],
  },
  'tidemark.stream.messages': {
    kind: 'gauge',
    unit: '{message}',
    description: 'Messages in a stream.',
    by: ['stream'],
  },
  'tidemark.stream.appended': {
    kind: 'counter',
    unit: '{message}',
    description:
      'Messages that were ever stored in a stream, also those that have left it: its last sequence.',
    by: ['stream'],
  },
  'tidemark.queue.oldest.seconds': {
    kind: 'gauge',
    unit: 's',
    description: 'Age of the oldest message of a work queue, waiting or in progress, by consumer.',
    by: ['stream', 'consumer'],
  },
  'tidemark.http.seconds': {
    kind: 'histogram',
    unit: 's',
    description:
      'Duration of API requests, by route and class of status. `elsewhere`: a 5xx caused by a site or by a missing backend. `aborted`: the client disconnected before the response began.',
    by: ['route', 'status'],
    buckets: seconds,
  },
  'tidemark.fetch.seconds': {
    kind: 'histogram',
    unit: 's',
    description: 'Response time of hosts, including redirects, by class of status or cause of failure.',
    by: ['result'],
    buckets: seconds,
  },
  'tidemark.host.wait.seconds': {
    kind: 'histogram',
    unit: 's',
    description:
      'Time that a request waited for the crawl delay of its host and for a concurrency slot of this process, by lane: orders of crawls (`http`, `browser`), or synchronous requests (`scan`, `render`).',
    by: ['lane'],
    buckets: seconds,
  },
  'tidemark.egress.refusals': {
    kind: 'counter',
    unit: '{request}',
    description: 'Outgoing requests that were rejected, by reason.',
    by: ['reason'],
  },
  'tidemark.browser.renders': {
    kind: 'counter',
    unit: '{render}',
    description: 'Pages that browsers rendered, failed to render, or retried.',
    by: ['outcome'],
  },
  'tidemark.browser.starts': {
    kind: 'counter',
    unit: '{browser}',
    description: 'Browsers that were started, and that crashed.',
    by: ['event'],
  },
  'tidemark.browser.pages': {
    kind: 'gauge',
    unit: '{page}',
    description: 'Pages that are being rendered, and that wait for a browser.',
    by: ['state'],
  },
  'tidemark.browser.memory.bytes': {
    kind: 'gauge',
    unit: 'By',
    description: 'Memory of all browsers of the process.',
    by: [],
  },
  'tidemark.pages': {
    kind: 'counter',
    unit: '{page}',
    description: 'URLs of crawls by outcome. A retried URL counts again.',
    by: ['outcome'],
  },
  'tidemark.extractor.pages': {
    kind: 'counter',
    unit: '{page}',
    description:
      'Responses, including sitemaps, that this extractor has parsed, stored and reported to their crawls.',
    by: [],
  },
  'tidemark.runs': {
    kind: 'counter',
    unit: '{run}',
    description: 'Crawls by their new status: running, done, failed, cancelled, deleted.',
    by: ['became'],
  },
  'tidemark.runs.active': {
    kind: 'gauge',
    unit: '{run}',
    description: 'Active crawls that this process coordinates.',
    by: [],
  },
  'tidemark.frontier.urls': {
    kind: 'gauge',
    unit: '{url}',
    description: 'URLs of active crawls: known, waiting, and ordered from a fetcher.',
    by: ['state'],
  },
  'tidemark.decision.seconds': {
    kind: 'histogram',
    unit: 's',
    description: 'Time to decide a command and to append its events, by command and result.',
    by: ['command', 'result'],
    buckets: seconds,
  },
  'tidemark.append.seconds': {
    kind: 'histogram',
    unit: 's',
    description: 'Time to append one commit of a crawl to the stream.',
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

/** The attributes of a metric. */
export type By<Name extends MetricName> = Record<(typeof metricTable)[Name]['by'][number], string>
