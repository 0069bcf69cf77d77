/** A healthy Tidemark as Prometheus sees it, minute by minute, and a fault for each alert of rules.yml. */

/** Series → values, in promtool's words: `7x480` stays at 7, `0+5x480` grows by 5 a minute. */
export type Series = Record<string, string>

const minutes = 480
/** A day in seconds. The clock of promtool begins at 0. */
const day = 86_400
const stays = (value: number) => `${value}x${minutes}`
const grows = (by: number) => `0+${by}x${minutes}`

const control = 'instance="control",services="gateway, fetcher"'
const read = 'route="GET /v1/crawls/:id",status="2xx"'
const fromSites = 'route="POST /v1/scan"'
const bytes = (stream: string, held: number, limit: number): Series => ({
  [`tidemark_stream_bytes{stream="${stream}",kind="held"}`]: stays(held),
  [`tidemark_stream_bytes{stream="${stream}",kind="limit"}`]: stays(limit),
})
const histogram = (name: string, labels: string, buckets: Record<string, number>): Series =>
  Object.fromEntries([
    ...Object.entries(buckets).map(([le, by]) => [`${name}_bucket{${labels}le="${le}"}`, grows(by)]),
    [`${name}_count{${labels.replace(/,$/, '')}}`, grows(Object.values(buckets).at(-1) ?? 0)],
  ])

export const healthy: Series = {
  [`up{job="tidemark",${control}}`]: stays(1),
  [`tidemark_process_started_seconds{${control}}`]: stays(1_700_000_000),
  [`tidemark_event_loop_delay_seconds{${control},quantile="p99"}`]: stays(0.02),
  [`tidemark_process_memory_bytes{${control},kind="heap"}`]: stays(300),
  [`tidemark_process_memory_bytes{${control},kind="heap_limit"}`]: stays(1_000),
  [`tidemark_process_memory_bytes{${control},kind="resident"}`]: stays(500),
  [`tidemark_process_memory_bytes{${control},kind="limit"}`]: stays(2_000),
  'tidemark_postgres_connections{service="gateway",state="wanted"}': stays(0),
  'tidemark_redis_away{service="fetcher"}': stays(0),
  'tidemark_ready{part="extractor"}': stays(1),
  'tidemark_ready{part="fetcher"}': stays(1),
  'tidemark_ready{part="database"}': stays(1),
  'tidemark_ready{part="event_stream"}': stays(1),
  [`tidemark_certificate_expires_seconds{${control}}`]: stays(30 * day),
  ...histogram('tidemark_http_seconds', `${read},`, { '0.25': 99, '1': 100, '+Inf': 100 }),
  // Scans fetch pages from sites, so they are as slow and fail as often as the sites.
  ...histogram('tidemark_http_seconds', `${fromSites},status="2xx",`, { '0.25': 0, '1': 5, '+Inf': 40 }),
  ...histogram('tidemark_http_seconds', `${fromSites},status="elsewhere",`, { '0.25': 0, '1': 5, '+Inf': 9 }),
  // Downloads last until their readers have read everything.
  ...Object.assign(
    {},
    ...['exports/:id/file', 'scan/batches/:id/results', 'crawls/:id/evidence/leaves'].map(path =>
      histogram('tidemark_http_seconds', `route="GET /v1/${path}",status="2xx",`, {
        '0.25': 0,
        '1': 0,
        '+Inf': 8,
      }),
    ),
  ),
  'tidemark_queue_oldest_seconds{stream="PAGES",consumer="extractor"}': stays(2),
  'tidemark_queue_oldest_seconds{stream="OUTCOMES",consumer="coordinator"}': stays(0.4),
  // Crawls of one host with a long delay leave old messages in the queue.
  'tidemark_queue_oldest_seconds{stream="FETCH",consumer="fetcher-http"}': stays(1_200),
  'tidemark_host_wait_seconds_count{lane="http"}': grows(1),
  'tidemark_queue_oldest_seconds{stream="DELIVERIES",consumer="webhook"}': stays(20_000),
  ...bytes('RUNS', 500, 1_000),
  ...bytes('AUDIT', 1_000, 1_000),
  ...bytes('MONITORS', 1_000, 1_000),
  // DEAD is full and drops its oldest messages, so the number of its messages stays the same.
  'tidemark_stream_messages{stream="DEAD"}': stays(300),
  'tidemark_stream_appended_total{stream="DEAD"}': stays(9_000),
  'tidemark_stream_appended_total{stream="RUNS"}': grows(600),
  'tidemark_projection_lag{projection="runs",stream="RUNS"}': stays(12_000),
  'tidemark_projection_behind_seconds{projection="runs",stream="RUNS"}': stays(4),
  'tidemark_projection_behind_seconds{projection="bill-runs",stream="RUNS"}': stays(4),
  ...histogram('tidemark_decision_seconds', 'command="SettlePages",result="decided",', {
    '0.1': 500,
    '2.5': 600,
    '+Inf': 600,
  }),
  'tidemark_decision_seconds_count{command="SettlePages",result="failed"}': grows(6),
  'tidemark_fetch_seconds_count{result="http_2xx"}': grows(600),
  'tidemark_fetch_seconds_count{result="timeout"}': grows(60),
  'tidemark_egress_refusals_total{reason="private_address"}': grows(6),
  'tidemark_egress_refusals_total{reason="bad_url"}': grows(600),
  'tidemark_browser_starts_total{event="started"}': grows(1),
  'tidemark_browser_starts_total{event="died"}': stays(2),
  'tidemark_browser_renders_total{outcome="rendered"}': grows(20),
  'tidemark_browser_renders_total{outcome="failed"}': grows(2),
  'tidemark_browser_pages{state="waiting"}': stays(0),
  tidemark_webhook_overdue_seconds: stays(0.3),
  'tidemark_webhook_deliveries_total{state="delivered"}': grows(10),
  'tidemark_webhook_deliveries_total{state="dead"}': grows(1),
  'tidemark_monitor_lateness_seconds_bucket{le="60"}': grows(10),
  'tidemark_monitor_lateness_seconds_bucket{le="600"}': grows(10),
  'tidemark_monitor_lateness_seconds_bucket{le="+Inf"}': grows(10),
  'tidemark_monitor_ticks_total{outcome="fired"}': grows(10),
  'tidemark_monitor_ticks_total{outcome="failed"}': stays(2),
  'tidemark_mails_unsent{state="late"}': stays(0),
  'tidemark_mails_unsent{state="given_up"}': stays(0),
  'tidemark_pages_total{outcome="fetched"}': grows(600),
  'tidemark_units_total{kind="page",operation="crawl"}': grows(590),
}

/**
 * `differs` has the series that differ from the healthy state; null removes a series. `minute` is the time by which the
 * alert, and no other alert, must fire.
 */
export type Fault = { differs: Record<string, string | null>; minute: number }

const gone = (metric: string): Record<string, null> =>
  Object.fromEntries(
    Object.keys(healthy)
      .filter(series => series.startsWith(metric))
      .map(series => [series, null]),
  )

export const faults: Record<string, Fault> = {
  ApiErrors: {
    differs: { 'tidemark_http_seconds_count{route="GET /v1/crawls/:id",status="5xx"}': grows(5) },
    minute: 8,
  },
  ApiErrorsLasting: {
    differs: { 'tidemark_http_seconds_count{route="GET /v1/crawls/:id",status="5xx"}': grows(1.5) },
    minute: 25,
  },
  ApiSlow: { differs: { [`tidemark_http_seconds_bucket{${read},le="1"}`]: grows(70) }, minute: 12 },
  ApiSlowLasting: {
    // Prometheus 3 stores the bounds of buckets as decimal fractions.
    differs: {
      [`tidemark_http_seconds_bucket{${read},le="1"}`]: null,
      [`tidemark_http_seconds_bucket{${read},le="1.0"}`]: grows(95),
    },
    minute: 25,
  },
  CertificateExpires: {
    differs: { [`tidemark_certificate_expires_seconds{${control}}`]: stays(13 * day) },
    minute: 16,
  },
  CertificateExpired: {
    differs: { [`tidemark_certificate_expires_seconds{${control}}`]: stays(0) },
    minute: 5,
  },
  TidemarkSilent: { differs: gone('tidemark_ready'), minute: 3 },
  ServiceDown: { differs: { 'tidemark_ready{part="extractor"}': stays(0) }, minute: 3 },
  'ServiceDown at night, when few requests fail': {
    differs: {
      ...gone('tidemark_http_seconds'),
      'tidemark_ready{part="extractor"}': stays(0),
      'tidemark_http_seconds_count{route="GET /v1/ready",status="5xx"}': grows(6),
      'tidemark_http_seconds_count{route="GET /v1/crawls/:id",status="5xx"}': grows(0.2),
    },
    minute: 8,
  },
  DatabaseAway: { differs: { 'tidemark_ready{part="database"}': stays(0) }, minute: 2 },
  StreamsAway: { differs: { 'tidemark_ready{part="event_stream"}': stays(0) }, minute: 2 },
  'StreamsAway while no service answers': {
    differs: {
      'tidemark_ready{part="event_stream"}': stays(0),
      'tidemark_ready{part="extractor"}': null,
      'tidemark_ready{part="fetcher"}': null,
    },
    minute: 3,
  },
  ProcessDown: { differs: { [`up{job="tidemark",${control}}`]: stays(0) }, minute: 6 },
  ProcessRestarts: {
    differs: { [`tidemark_process_started_seconds{${control}}`]: `1700000000+60x${minutes}` },
    minute: 6,
  },
  EventLoopStalled: {
    differs: { [`tidemark_event_loop_delay_seconds{${control},quantile="p99"}`]: stays(0.8) },
    minute: 6,
  },
  MemoryNearLimit: {
    differs: { [`tidemark_process_memory_bytes{${control},kind="heap"}`]: stays(950) },
    minute: 11,
  },
  'MemoryNearLimit of a container': {
    differs: { [`tidemark_process_memory_bytes{${control},kind="resident"}`]: stays(1_900) },
    minute: 11,
  },
  PostgresPoolExhausted: {
    differs: { 'tidemark_postgres_connections{service="gateway",state="wanted"}': stays(3) },
    minute: 4,
  },
  RedisAway: { differs: { 'tidemark_redis_away{service="fetcher"}': stays(1) }, minute: 6 },
  QueueStuck: {
    differs: { 'tidemark_queue_oldest_seconds{stream="PAGES",consumer="extractor"}': grows(60) },
    minute: 8,
  },
  'QueueStuck in one lane': {
    differs: { 'tidemark_queue_oldest_seconds{stream="FETCH",consumer="fetcher-browser"}': grows(60) },
    minute: 20,
  },
  StreamFull: { differs: bytes('RUNS', 970, 1_000), minute: 5 },
  StreamNearlyFull: { differs: bytes('RUNS', 800, 1_000), minute: 17 },
  ProjectionBehind: {
    differs: { 'tidemark_projection_behind_seconds{projection="runs",stream="RUNS"}': grows(60) },
    minute: 10,
  },
  StreamWentBackwards: {
    differs: { 'tidemark_projection_lag{projection="runs",stream="RUNS"}': stays(-5) },
    minute: 2,
  },
  DecisionsFailing: {
    differs: { 'tidemark_decision_seconds_count{command="SettlePages",result="failed"}': grows(100) },
    minute: 8,
  },
  DecisionsSlow: {
    differs: histogram('tidemark_decision_seconds', 'command="SettlePages",result="decided",', {
      '0.1': 500,
      '2.5': 580,
      '5': 600,
      '+Inf': 600,
    }),
    minute: 13,
  },
  MessagesGivenUp: {
    differs: { 'tidemark_stream_appended_total{stream="DEAD"}': `9000+1x${minutes}` },
    minute: 3,
  },
  NothingFetched: {
    differs: {
      'tidemark_fetch_seconds_count{result="http_2xx"}': stays(9_000),
      'tidemark_fetch_seconds_count{result="timeout"}': grows(90),
    },
    minute: 11,
  },
  FetchesFailing: { differs: { 'tidemark_fetch_seconds_count{result="dns"}': grows(700) }, minute: 20 },
  EgressRefusals: {
    differs: { 'tidemark_egress_refusals_total{reason="private_address"}': grows(120) },
    minute: 8,
  },
  BrowserDying: { differs: { 'tidemark_browser_starts_total{event="died"}': grows(0.5) }, minute: 16 },
  RendersFailing: { differs: { 'tidemark_browser_renders_total{outcome="failed"}': grows(40) }, minute: 8 },
  BrowsersBusy: { differs: { 'tidemark_browser_pages{state="waiting"}': stays(4) }, minute: 11 },
  WebhooksLate: { differs: { tidemark_webhook_overdue_seconds: grows(60) }, minute: 12 },
  WebhooksDying: { differs: { 'tidemark_webhook_deliveries_total{state="dead"}': grows(20) }, minute: 8 },
  MonitorsLate: { differs: { 'tidemark_monitor_lateness_seconds_bucket{le="60"}': stays(0) }, minute: 8 },
  'MonitorsLate as they fail': {
    differs: { 'tidemark_monitor_ticks_total{outcome="failed"}': grows(2) },
    minute: 12,
  },
  MailsUnsent: { differs: { 'tidemark_mails_unsent{state="given_up"}': stays(1) }, minute: 16 },
  LedgerBehind: {
    differs: { 'tidemark_projection_behind_seconds{projection="bill-runs",stream="RUNS"}': grows(60) },
    minute: 12,
  },
  BillingStopped: {
    differs: { 'tidemark_units_total{kind="page",operation="crawl"}': stays(4_000) },
    minute: 18,
  },
}
