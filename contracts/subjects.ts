/**
 * All streams, subjects and durable consumers. The subjects of requests between services are in `contracts/rpc`. The
 * shard of a run is its id modulo 64, in two digits.
 */

export const streams = {
  runs: 'RUNS',
  fetch: 'FETCH',
  pages: 'PAGES',
  outcomes: 'OUTCOMES',
  served: 'SERVED',
  usage: 'USAGE',
  accounts: 'ACCOUNTS',
  audit: 'AUDIT',
  monitors: 'MONITORS',
  exports: 'EXPORTS',
  batches: 'BATCHES',
  deliveries: 'DELIVERIES',
  dead: 'DEAD',
} as const

export const bulky = 'BULKY'

const shardCount = 64

/** All shards, `00` to `63`. */
export const shards: readonly string[] = Array.from({ length: shardCount }, (_, n) => twoDigits(n))

export const shardOf = (runId: number): string => twoDigits(runId % shardCount)

/**
 * The subjects of a run: decisions of the crawl, its diff, its webhook, and the rules of its site. Each has one writer.
 */
export type Facet = 'crawl' | 'diff' | 'webhook' | 'site'

export const subjects = {
  run: (runId: number, facet: Facet = 'crawl') => `runs.${shardOf(runId)}.${runId}.${facet}`,
  runs: 'runs.>',
  fetch: (lane: Lane) => `fetch.${lane}`,
  pages: (runId: number) => `pages.${shardOf(runId)}`,
  outcomes: (runId: number) => `outcomes.${shardOf(runId)}`,
  outcomesOfShard: (shard: string) => `outcomes.${shard}`,
  served: (projectId: number) => `served.${projectId}`,
  usage: (projectId: number) => `usage.${projectId}`,
  account: (projectId: number) => `accounts.${projectId}`,
  intent: (intentId: number) => `accounts.intent-${intentId}`,
  audit: (projectId: number) => `audit.${projectId}`,
  monitor: (monitorId: number) => `monitors.${monitorId}`,
  export: (exportId: number) => `exports.${exportId}`,
  batch: (batchId: number) => `batches.${batchId}`,
  /** The webhook of a batch, written by the webhook service. */
  batchWebhook: (batchId: number) => `batches.${batchId}.webhook`,
  deliveries: 'deliveries',
  dead: (stream: string, consumer: string) => `dead.${stream}.${consumer}`,
} as const

/** The readers of RUNS whose results must outlive its events. */
export const runsReaders = ['projector', 'ledger', 'content', 'webhook'] as const
export type RunsReader = (typeof runsReaders)[number]

/** How a page is fetched. Each lane scales separately. */
export type Lane = 'http' | 'browser'

export const consumers = {
  fetcher: (lane: Lane) => `fetcher-${lane}`,
  extractor: 'extractor',
  coordinator: (shard: string) => `coordinator-${shard}`,
  webhook: 'webhook',
} as const

/** Messages without a response. A loss is harmless, because a periodic sweep repeats the work of each. */
export const notifications = {
  runAwaits: (shard: string) => `tell.run-awaits.${shard}`,
  runsAwait: 'tell.run-awaits.*',
  runEnded: 'tell.run-ended',
  workDropped: 'tell.work-dropped',
  hostPaused: 'tell.host-paused',
  /** A key expired or was revoked: processes that cache keys read them again. It has no content. */
  keysChanged: 'tell.keys-changed',
  projected: (projection: string) => `tell.projected.${projection}`,
  heartbeat: (service: string) => `tell.heartbeat.${service}`,
  heartbeats: 'tell.heartbeat.*',
  heartbeatsRequested: 'tell.who-is-there',
} as const

/** Returns the run and the facet of a subject of RUNS. */
export function runOfSubject(subject: string): { runId: number; facet: string } {
  const [, , runId, facet = ''] = subject.split('.')
  return { runId: Number(runId), facet }
}

function twoDigits(n: number): string {
  return String(n).padStart(2, '0')
}
