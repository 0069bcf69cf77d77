/**
 * Every stream, subject and durable consumer, spelled once. The subjects of requests between services stand in
 * `contracts/rpc`. A run's shard is its id modulo 64, in two digits.
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
  deliveries: 'DELIVERIES',
  dead: 'DEAD',
} as const

export const bulky = 'BULKY'

const shardCount = 64

/** All shards, `00` to `63`. */
export const shards: readonly string[] = Array.from({ length: shardCount }, (_, n) => twoDigits(n))

export const shardOf = (runId: number): string => twoDigits(runId % shardCount)

/** Which of a run's streams: what the crawl decided, its diff, its webhook, what its site says. Each has one writer. */
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
  deliveries: 'deliveries',
  dead: (stream: string, consumer: string) => `dead.${stream}.${consumer}`,
} as const

/** Who reads RUNS into something that must outlive its events. */
export const runsReaders = ['projector', 'ledger', 'content', 'webhook'] as const
export type RunsReader = (typeof runsReaders)[number]

/** How a page is fetched; each lane scales apart. */
export type Lane = 'http' | 'browser'

export const consumers = {
  fetcher: (lane: Lane) => `fetcher-${lane}`,
  extractor: 'extractor',
  coordinator: (shard: string) => `coordinator-${shard}`,
  webhook: 'webhook',
} as const

/** Told without an answer, and lost without harm: each has a sweep behind it. */
export const tells = {
  runAwaits: (shard: string) => `tell.run-awaits.${shard}`,
  runsAwait: 'tell.run-awaits.*',
  runEnded: 'tell.run-ended',
  workDropped: 'tell.work-dropped',
  /** Some key ended or was revoked: whoever remembers keys looks them up anew. It carries nothing. */
  keysChanged: 'tell.keys-changed',
  projected: (projection: string) => `tell.projected.${projection}`,
  heartbeat: (service: string) => `tell.heartbeat.${service}`,
  heartbeats: 'tell.heartbeat.*',
  whoIsThere: 'tell.who-is-there',
} as const

/** The run that a subject of RUNS belongs to, and its facet. */
export function runOfSubject(subject: string): { runId: number; facet: string } {
  const [, , runId, facet = ''] = subject.split('.')
  return { runId: Number(runId), facet }
}

function twoDigits(n: number): string {
  return String(n).padStart(2, '0')
}
