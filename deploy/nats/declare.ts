/**
 * Declares the streams and consumers of `streams.ts` on the server, and compares the result. A server that drops an
 * unknown field is detected here, not in a crash.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import {
  JetStreamApiError,
  type JetStreamManager,
  jetstreamManager,
  type StreamInfo,
} from '@nats-io/jetstream'
import { Objm } from '@nats-io/obj'
import { connect, type NatsConnection } from '@nats-io/transport-node'
import { gotNoResponse, isClustered, isNoLeaderError } from '@tidemark/bus/leader'
import { serverOf } from '@tidemark/bus/server'
import {
  bulkySpec,
  type ConsumerSpec,
  consumerSpecs,
  minBytes,
  replicasFrom,
  type StreamSpec,
  streamSpecs,
} from './streams.ts'
import { bulkyStream } from './users.ts'

/** Minimum version of the server. Earlier ones refuse `sync_interval: always` and drop filters of a consumer. */
const minServerVersion = [2, 10] as const

/**
 * Minimum message size of the server in bytes. Bodies of up to 6 MB are sent in messages, and a lower limit would make
 * them wait forever.
 */
const minPayload = 8 * 1024 ** 2

const streamNotFound = 10059
const insufficientStorage = 10047
const electionMs = 60_000
const betweenTriesMs = 500
/** Error codes of a cluster with too few peers, no suitable peer, or not enough space. */
const shortOfServers = new Set([10005, 10023, 10074])

/** Names of the settings for the size of each stream. */
export const sizeSettings: ReadonlySet<string> = new Set(
  [...streamSpecs({}), bulkySpec({})].map(({ name }) => `STREAM_${name}_BYTES`),
)

/** Declares everything at this server. Repeating it changes nothing. Throws if the server disagrees. */
export async function declareStreams(natsUrl: string, env: NodeJS.ProcessEnv = process.env): Promise<void> {
  const connection = await connect({
    ...serverOf(natsUrl),
    name: 'declare',
    waitOnFirstConnect: true,
    timeout: 10_000,
  })
  try {
    refuseOldServer(connection)
    refuseSmallMessages(connection)
    refuseUnknownSizes(env)
    const replicas = replicasFrom(env)
    refuseLoneServer(connection, replicas)
    // A cluster that has just started, or has lost a server, is electing a leader.
    await onceLed(connection, async () => {
      const manager = await jetstreamManager(connection)
      await Promise.all(streamSpecs(env).map(spec => declareStream(manager, spec, replicas)))
      await declareBulky(connection, manager, env, replicas)
      await declareConsumers(manager)
    })
  } finally {
    await connection.close()
  }
}

/** Retries for a minute while the cluster has too few servers or no leader; then throws its error. */
async function onceLed(connection: NatsConnection, declare: () => Promise<void>): Promise<void> {
  for (const limit = performance.now() + electionMs; ; await sleep(betweenTriesMs)) {
    try {
      return await declare()
    } catch (error) {
      const isPassing = isNoLeaderError(error) || gotNoResponse(error) || isShortOfServers(error)
      if (!isClustered(connection) || !isPassing || performance.now() > limit) throw error
    }
  }
}

const isShortOfServers = (error: unknown): boolean =>
  error instanceof JetStreamApiError && shortOfServers.has(error.code)

/** Returns the number of servers that store a stream: the wanted number, else the current one, else one. */
const replicasOf = (wanted: number | null, present: StreamInfo | null): number =>
  wanted ?? present?.config.num_replicas ?? 1

async function declareStream(
  manager: JetStreamManager,
  spec: StreamSpec,
  replicas: number | null,
): Promise<void> {
  const present = await presentStream(manager, spec.name)
  const num_replicas = replicasOf(replicas, present)
  const wanted = { ...spec, storage: 'file', allow_direct: true, num_replicas } as const
  const fitting = present === null ? wanted : { ...wanted, max_bytes: fittingBytes(spec.max_bytes, present) }
  const taken = present ? manager.streams.update(spec.name, fitting) : manager.streams.add(fitting)
  const { config } = await taken.catch((error: Error) => {
    throw isOutOfStorage(error) ? new Error(outOfStorageText(fitting), { cause: error }) : error
  })
  compare(`stream ${spec.name}`, fitting, config)
}

/**
 * Returns the stream; null: it does not exist. Other errors are thrown, because a stream that is created again would
 * lose its content.
 */
async function presentStream(manager: JetStreamManager, name: string): Promise<StreamInfo | null> {
  return manager.streams.info(name).catch(error => {
    if (error instanceof JetStreamApiError && error.code === streamNotFound) return null
    throw error
  })
}

const isOutOfStorage = (error: Error): boolean =>
  error instanceof JetStreamApiError && error.code === insufficientStorage

/** Returns an error text that names the stream and the setting, unlike the server's own. */
const outOfStorageText = ({ name, max_bytes }: Pick<StreamSpec, 'name' | 'max_bytes'>): string =>
  `The NATS server has no capacity for the stream ${name} of ${max_bytes} bytes: all streams together must fit its max_file_store (NATS_MAX_FILE_STORE of the launcher). Raise that, or choose a smaller STREAM_${name}_BYTES.`

/** Returns the size limit. A limit below the content is raised to it, but never above the current limit. */
function fittingBytes(wanted: number, { config, state }: StreamInfo): number {
  const isOverfull = config.max_bytes > 0 && state.bytes > config.max_bytes
  const maxBytes = isOverfull || config.max_bytes <= 0 ? Infinity : config.max_bytes
  return Math.max(wanted, Math.min(minBytes(state.bytes), maxBytes))
}

async function declareConsumers(manager: JetStreamManager): Promise<void> {
  const present = new Map<string, object>()
  for (const stream of new Set(consumerSpecs.map(spec => spec.stream))) {
    for await (const { name, config } of manager.consumers.list(stream))
      present.set(`${stream}/${name}`, config)
  }
  await Promise.all(
    consumerSpecs.map(spec =>
      declareConsumer(manager, spec, present.get(`${spec.stream}/${spec.durable_name}`)),
    ),
  )
}

/**
 * Time in ns after which the messages of a killed process are redelivered. Consumers report progress four times within
 * it.
 */
const ackWaitNs = 10e9

/** Declares a consumer, if it differs: there are many consumers, and each update is a request. */
async function declareConsumer(
  manager: JetStreamManager,
  { stream, ...spec }: ConsumerSpec,
  present: object | undefined,
): Promise<void> {
  const wanted = { ...spec, ack_policy: 'explicit', ack_wait: ackWaitNs, max_deliver: -1 } as const
  if (present !== undefined && differences(wanted, present).length === 0) return
  if (present) await manager.consumers.update(stream, spec.durable_name, wanted)
  else await manager.consumers.add(stream, wanted)
  // After a restart, the server answers the first update with the old configuration. So the configuration is read
  // again.
  const { config } = await manager.consumers.info(stream, spec.durable_name)
  compare(`consumer ${spec.durable_name}`, wanted, config)
}

async function declareBulky(
  connection: NatsConnection,
  manager: JetStreamManager,
  env: NodeJS.ProcessEnv,
  wanted: number | null,
): Promise<void> {
  const { name, max_bytes, ttl } = bulkySpec(env)
  const present = await presentStream(manager, bulkyStream)
  const num_replicas = replicasOf(wanted, present)
  // `create` would return an existing store unchanged, so an existing one is updated.
  const taken =
    present === null
      ? new Objm(connection).create(name, { max_bytes, ttl, storage: 'file', replicas: num_replicas })
      : updateBulky(manager, present, {
          max_bytes: fittingBytes(max_bytes, present),
          max_age: ttl,
          num_replicas,
        })
  await taken.catch((error: Error) => {
    throw isOutOfStorage(error) ? new Error(outOfStorageText({ name, max_bytes }), { cause: error }) : error
  })
}

async function updateBulky(
  manager: JetStreamManager,
  { config }: StreamInfo,
  wanted: Pick<StreamInfo['config'], 'max_bytes' | 'max_age' | 'num_replicas'>,
): Promise<void> {
  const { config: got } = await manager.streams.update(bulkyStream, { ...config, ...wanted })
  compare(`stream ${bulkyStream}`, wanted, got)
}

function compare(what: string, wanted: Record<string, unknown>, got: object): void {
  const differing = differences(wanted, got)
  if (differing.length === 0) return
  const fields = differing.map(
    ([field, value]) =>
      `${field} should be ${JSON.stringify(value)}, is ${JSON.stringify(Reflect.get(got, field))}`,
  )
  throw new Error(`The NATS server did not accept the ${what} as declared: ${fields.join('; ')}.`)
}

const differences = (wanted: Record<string, unknown>, got: object) =>
  Object.entries(wanted).filter(
    ([field, value]) => JSON.stringify(value) !== JSON.stringify(Reflect.get(got, field)),
  )

/**
 * Throws for a setting that names no stream. Otherwise a typing error in the name would leave a full stream as it is.
 */
function refuseUnknownSizes(env: NodeJS.ProcessEnv): void {
  const unknown = Object.keys(env).find(name => /^STREAM_.*_BYTES$/.test(name) && !sizeSettings.has(name))
  if (unknown === undefined) return
  throw new Error(
    `${unknown} is not the setting of a stream. The settings are ${[...sizeSettings].join(', ')}.`,
  )
}

function refuseSmallMessages({ info }: NatsConnection): void {
  const maxPayload = info?.max_payload ?? 0
  if (maxPayload >= minPayload) return
  throw new Error(
    `The NATS server accepts messages of up to ${maxPayload} bytes; ${minPayload} are needed. Set max_payload: 8MB in its configuration.`,
  )
}

function refuseLoneServer(connection: NatsConnection, replicas: number | null): void {
  if (replicas === null || replicas === 1 || isClustered(connection)) return
  throw new Error(
    `STREAM_REPLICAS is ${replicas}, and the NATS server that NATS_URL names is in no cluster. Name those of a cluster with JetStream, or leave STREAM_REPLICAS unset.`,
  )
}

function refuseOldServer({ info }: NatsConnection): void {
  const version = info?.version ?? '0.0'
  const [major = 0, minor = 0] = version.split('.').map(Number)
  if (major > minServerVersion[0] || (major === minServerVersion[0] && minor >= minServerVersion[1])) return
  throw new Error(`NATS ${version} is too old; ${minServerVersion.join('.')} or newer is needed.`)
}
