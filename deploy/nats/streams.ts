/**
 * Describes every stream and durable consumer. A full stream rejects new messages instead of deleting old ones: a
 * rejected message waits at its producer, and nothing is lost. The streams of dead letters, of the audit log and of
 * monitors delete their oldest messages instead. Sizes are settings.
 */
import { bulky, consumers, shards, streams, subjects } from '@tidemark/contracts/subjects'

const MB = 1024 ** 2
const GB = 1024 ** 3
const seconds = (n: number) => n * 1e9
const days = (n: number) => seconds(n * 86_400)

export type StreamSpec = {
  name: string
  subjects: string[]
  retention: 'limits' | 'workqueue'
  discard: 'new' | 'old'
  max_bytes: number
  max_age: number
  duplicate_window: number
  /** Number of messages of one subject; its oldest is dropped for a further one. Default: no limit. */
  max_msgs_per_subject?: number
  /** Whether a message may replace all earlier ones of its subject. */
  allow_rollup_hdrs?: boolean
}

export type ConsumerSpec = {
  stream: string
  durable_name: string
  filter_subject: string
  max_ack_pending: number
}

const truth = { retention: 'limits', discard: 'new', max_age: 0, duplicate_window: seconds(120) } as const
const work = { retention: 'workqueue', discard: 'new', max_age: 0, duplicate_window: seconds(120) } as const

/** Returns the streams. `STREAM_<NAME>_BYTES` of the environment overrides the default sizes. */
export function streamSpecs(env: NodeJS.ProcessEnv): StreamSpec[] {
  const specs: StreamSpec[] = [
    { name: streams.runs, subjects: [subjects.runs], ...truth, max_bytes: 8 * GB },
    { name: streams.served, subjects: ['served.*'], ...truth, max_bytes: 768 * MB },
    { name: streams.usage, subjects: ['usage.*'], ...truth, max_bytes: 4 * GB },
    { name: streams.accounts, subjects: ['accounts.*'], ...truth, max_bytes: 256 * MB },
    // No service reads the history of monitors, so it is bounded, and nothing waits for its capacity.
    {
      name: streams.monitors,
      subjects: ['monitors.*'],
      ...truth,
      discard: 'old',
      max_age: days(30),
      max_msgs_per_subject: 64,
      allow_rollup_hdrs: true,
      max_bytes: 512 * MB,
    },
    { name: streams.exports, subjects: ['exports.*'], ...truth, max_bytes: 128 * MB },
    { name: streams.batches, subjects: ['batches.>'], ...truth, max_bytes: 256 * MB },
    // The read model stores the entries longer, as its setting requires.
    {
      name: streams.audit,
      subjects: ['audit.*'],
      ...truth,
      discard: 'old',
      max_age: days(30),
      max_bytes: 512 * MB,
    },
    // Orders are published again under the same id after a restart of the coordinator, which may take a while.
    {
      name: streams.fetch,
      subjects: ['fetch.*'],
      ...work,
      duplicate_window: seconds(600),
      max_bytes: 512 * MB,
    },
    { name: streams.pages, subjects: ['pages.*'], ...work, max_bytes: 2 * GB },
    { name: streams.outcomes, subjects: ['outcomes.*'], ...work, max_bytes: GB },
    { name: streams.deliveries, subjects: [subjects.deliveries], ...work, max_bytes: 64 * MB },
    {
      name: streams.dead,
      subjects: ['dead.>'],
      ...truth,
      discard: 'old',
      max_age: days(30),
      max_bytes: 256 * MB,
    },
  ]
  return specs.map(spec => ({ ...spec, max_bytes: sizeFrom(env, spec.name) ?? spec.max_bytes }))
}

const maxReplicas = 5

/**
 * Returns `STREAM_REPLICAS`, the number of servers of a cluster that store each stream and consumer. Null: it is not
 * set; existing streams keep their number, and new ones have one.
 */
export function replicasFrom(env: NodeJS.ProcessEnv): number | null {
  const given = env.STREAM_REPLICAS
  if (given === undefined || given === '') return null
  const replicas = Number(given)
  if (!Number.isInteger(replicas) || replicas < 1 || replicas > maxReplicas)
    throw new Error(`STREAM_REPLICAS must be a whole number from 1 to ${maxReplicas}; it is "${given}".`)
  return replicas
}

/**
 * Returns the minimum size in bytes of a stream with this content. A full stream would reject or delete messages at
 * once, and the alert for nearly full streams starts at nine tenths.
 */
export const minBytes = (held: number): number => held + Math.max(32 * MB, Math.ceil(held / 8))

/** Returns the size limit of the object store for oversized bodies in bytes, and their lifetime in ns. */
export const bulkySpec = (env: NodeJS.ProcessEnv) => ({
  name: bulky,
  max_bytes: sizeFrom(env, bulky) ?? 2 * GB,
  ttl: days(2),
})

export const consumerSpecs: ConsumerSpec[] = [
  {
    stream: streams.fetch,
    durable_name: consumers.fetcher('http'),
    filter_subject: subjects.fetch('http'),
    max_ack_pending: 5000,
  },
  {
    stream: streams.fetch,
    durable_name: consumers.fetcher('browser'),
    filter_subject: subjects.fetch('browser'),
    max_ack_pending: 5000,
  },
  {
    stream: streams.pages,
    durable_name: consumers.extractor,
    filter_subject: 'pages.*',
    // Redelivered messages count: too many would make the server withhold the others.
    max_ack_pending: 20_000,
  },
  {
    stream: streams.deliveries,
    durable_name: consumers.webhook,
    filter_subject: subjects.deliveries,
    max_ack_pending: 20_000,
  },
  ...shards.map(shard => ({
    stream: streams.outcomes,
    durable_name: consumers.coordinator(shard),
    filter_subject: subjects.outcomesOfShard(shard),
    max_ack_pending: 1000,
  })),
]

function sizeFrom(env: NodeJS.ProcessEnv, name: string): number | null {
  const given = env[`STREAM_${name}_BYTES`]
  if (given === undefined || given === '') return null
  const bytes = Number(given)
  if (!Number.isSafeInteger(bytes) || bytes < MB) {
    throw new Error(`STREAM_${name}_BYTES must be a whole number of bytes, at least ${MB}; it is "${given}".`)
  }
  return bytes
}
