/**
 * Makes the server's streams and consumers what `streams.ts` says, and reads each back: a server that
 * drops a field which it does not know is found out here, not in a crash.
 */
import { type JetStreamManager, jetstreamManager, type StreamInfo } from '@nats-io/jetstream'
import { Objm } from '@nats-io/obj'
import { connect, type NatsConnection } from '@nats-io/transport-node'
import { serverOf } from '@tidemark/bus/server'
import {
  bulkySpec,
  type ConsumerSpec,
  consumerSpecs,
  leastBytes,
  type StreamSpec,
  streamSpecs,
} from './streams.ts'

/** Before this version `sync_interval: always` is refused and filters of a consumer are dropped. */
const leastServer = [2, 10] as const

/** Bodies of up to 6 MB travel in messages; a server that takes less would leave each of them waiting for ever. */
const leastPayload = 8 * 1024 ** 2

/** Declares everything at this server. Repeating it changes nothing. Throws where the server disagrees. */
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
    const manager = await jetstreamManager(connection)
    await Promise.all(streamSpecs(env).map(spec => declareStream(manager, spec)))
    await declareBulky(connection, env)
    await declareConsumers(manager)
  } finally {
    await connection.close()
  }
}

async function declareStream(manager: JetStreamManager, spec: StreamSpec): Promise<void> {
  const wanted = { ...spec, storage: 'file', allow_direct: true, num_replicas: 1 } as const
  const present = await manager.streams.info(spec.name).catch(() => null)
  const fitting = present === null ? wanted : { ...wanted, max_bytes: fittingBytes(spec.max_bytes, present) }
  const { config } = present
    ? await manager.streams.update(spec.name, fitting)
    : await manager.streams.add(fitting)
  compare(`stream ${spec.name}`, fitting, config)
}

/** A stream is made smaller only as far as what it holds allows, and none grows by that. */
function fittingBytes(wanted: number, { config, state }: StreamInfo): number {
  const isOverfull = config.max_bytes > 0 && state.bytes > config.max_bytes
  const most = isOverfull || config.max_bytes <= 0 ? Infinity : config.max_bytes
  return Math.max(wanted, Math.min(leastBytes(state.bytes), most))
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

/** One that is there and as it should be costs no question: there are many. */
async function declareConsumer(
  manager: JetStreamManager,
  { stream, ...spec }: ConsumerSpec,
  present: object | undefined,
): Promise<void> {
  const wanted = { ...spec, ack_policy: 'explicit', ack_wait: 20e9, max_deliver: -1 } as const
  if (present !== undefined && differences(wanted, present).length === 0) return
  const { config } = present
    ? await manager.consumers.update(stream, spec.durable_name, wanted)
    : await manager.consumers.add(stream, wanted)
  compare(`consumer ${spec.durable_name}`, wanted, config)
}

async function declareBulky(connection: NatsConnection, env: NodeJS.ProcessEnv): Promise<void> {
  const { name, max_bytes, ttl } = bulkySpec(env)
  await new Objm(connection).create(name, { max_bytes, ttl, storage: 'file' })
}

function compare(what: string, wanted: Record<string, unknown>, got: object): void {
  const differing = differences(wanted, got)
  if (differing.length === 0) return
  const fields = differing.map(
    ([field, value]) =>
      `${field} should be ${JSON.stringify(value)}, is ${JSON.stringify(Reflect.get(got, field))}`,
  )
  throw new Error(`The NATS server did not take the ${what} as declared: ${fields.join('; ')}.`)
}

const differences = (wanted: Record<string, unknown>, got: object) =>
  Object.entries(wanted).filter(
    ([field, value]) => JSON.stringify(value) !== JSON.stringify(Reflect.get(got, field)),
  )

function refuseSmallMessages({ info }: NatsConnection): void {
  const most = info?.max_payload ?? 0
  if (most >= leastPayload) return
  throw new Error(
    `The NATS server takes messages of up to ${most} bytes; ${leastPayload} are needed. Set max_payload: 8MB in its configuration.`,
  )
}

function refuseOldServer({ info }: NatsConnection): void {
  const version = info?.version ?? '0.0'
  const [major = 0, minor = 0] = version.split('.').map(Number)
  if (major > leastServer[0] || (major === leastServer[0] && minor >= leastServer[1])) return
  throw new Error(`NATS ${version} is too old; ${leastServer.join('.')} or newer is needed.`)
}
