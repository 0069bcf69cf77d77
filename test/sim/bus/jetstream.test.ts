/**
 * Compares JetStream in memory with a real server: both carry out the same random operations and must respond alike.
 * The simulator proves something about the services only as far as its bus behaves like the real one.
 */
import { AckPolicy, DeliverPolicy, JetStreamApiError, RetentionPolicy, StorageType } from '@nats-io/jetstream'
import type { Msg } from '@nats-io/transport-node'
import { type Bus, openBus } from '@tidemark/bus/connection'
import { positionOf } from '@tidemark/bus/pulling/position'
import { throwawayNats } from '@tidemark/testing/servers'
import { sized } from '@tidemark/testing/tier'
import { until } from '@tidemark/testing/until'
import fc from 'fast-check'
import { test } from 'tap'
import type { Consumer, Delivered } from './consumer.ts'
import { JetStream, type Query, type Stream } from './jetstream.scene.ts'

const cases = sized(20, 500)
/** Longer than a sequence of operations takes. */
const ackWaitMs = 120_000
const maxAckPending = 6
const batch = 100
/** Time for the server to send messages beyond those of JetStream in memory. Its status message ends the request. */
const pullMs = 60
/** Time for the server to send the messages that JetStream in memory sent. A slow machine needs more than `pullMs`. */
const expectedMs = 10_000

type Operation =
  | { type: 'publish'; subject: string; id: string | undefined; expectLast: number | undefined }
  | { type: 'get'; query: 'seq' | 'last' | 'next'; subject: string; seq: number }
  | { type: 'purge'; subject: string; keep?: number; seq?: number }
  | { type: 'pull' }
  | { type: 'settle'; nth: number; words: '+ACK' | '-NAK' | '+TERM' | '+WPI' }
  | { type: 'info' }

/** The operations of both servers. Each response is a plain value that can be compared. */
type Server = {
  publish(subject: string, id: string | undefined, expectLast: number | undefined): Promise<unknown>
  get(query: Query): Promise<unknown>
  purge(options: { filter: string; keep?: number; seq?: number }): Promise<unknown>
  /** @param expected how many messages to wait for, with more patience than for further ones */
  pull(expected: number): Promise<[seq: number, attempt: number][]>
  settle(nth: number, words: string): Promise<void>
  info(): Promise<{ reached: number }>
}

const subject = fc.constantFrom('a', 'b', 'b.c')
const operation: fc.Arbitrary<Operation> = fc.oneof(
  {
    weight: 10,
    arbitrary: fc.record({
      type: fc.constant('publish' as const),
      subject,
      id: fc.option(fc.constantFrom('1', '2', '3', '4'), { nil: undefined }),
      expectLast: fc.option(fc.nat(6), { nil: undefined, freq: 2 }),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      type: fc.constant('get' as const),
      query: fc.constantFrom('seq' as const, 'last' as const, 'next' as const),
      subject,
      seq: fc.integer({ min: 1, max: 8 }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.oneof(
      fc.record({ type: fc.constant('purge' as const), subject, keep: fc.integer({ min: 1, max: 2 }) }),
      fc.record({ type: fc.constant('purge' as const), subject, seq: fc.integer({ min: 2, max: 6 }) }),
    ),
  },
  { weight: 6, arbitrary: fc.constant({ type: 'pull' as const }) },
  {
    weight: 7,
    arbitrary: fc.record({
      type: fc.constant('settle' as const),
      nth: fc.nat(5),
      words: fc.constantFrom(
        '+ACK' as const,
        '+ACK' as const,
        '-NAK' as const,
        '+TERM' as const,
        '+WPI' as const,
      ),
    }),
  },
  { weight: 2, arbitrary: fc.constant({ type: 'info' as const }) },
)

let streams = 0
const encoder = new TextEncoder()

async function realServer(bus: Bus, retention: 'limits' | 'workqueue', ackMs = ackWaitMs): Promise<Server> {
  const name = `S${++streams}`
  const at = (subject: string) => `${name}.${subject}`
  await bus.jsm.streams.add({
    ...{ name, subjects: [`${name}.>`], storage: StorageType.Memory, duplicate_window: 120e9 },
    retention: retention === 'limits' ? RetentionPolicy.Limits : RetentionPolicy.Workqueue,
  })
  await bus.jsm.consumers.add(name, {
    ...{ durable_name: 'reader', ack_policy: AckPolicy.Explicit, deliver_policy: DeliverPolicy.All },
    ...{ ack_wait: ackMs * 1e6, max_ack_pending: maxAckPending },
  })
  let delivered: Msg[] = []
  return {
    publish: (subject, id, expectLast) =>
      outcome(async () => {
        const { seq, duplicate } = await bus.js.publish(at(subject), encoder.encode(subject), {
          ...(id !== undefined && { msgID: id }),
          ...(expectLast !== undefined && { expect: { lastSubjectSequence: expectLast } }),
        })
        return { seq, duplicate }
      }),
    get: query =>
      outcome(async () => {
        const found = await bus.jsm.streams.getMessage(name, prefixed(query, at) as never)
        return found && { seq: found.seq, subject: found.subject.slice(name.length + 1) }
      }),
    purge: ({ filter, ...rest }) =>
      outcome(async () => {
        const { purged } = await bus.jsm.streams.purge(name, { filter: at(filter), ...rest } as never)
        return purged
      }),
    async pull(expected) {
      delivered = expected > 0 ? await pulled(bus, name, expected, expectedMs) : []
      delivered.push(...(await pulled(bus, name, batch, pullMs)))
      return positions(delivered.map(({ reply = '' }) => positionOf(reply)))
    },
    async settle(nth, words) {
      const message = delivered[nth]
      // The server responds when it has processed the acknowledgement.
      if (message?.reply) await bus.nc.request(message.reply, words, { timeout: 2_000 })
    },
    async info() {
      const { state } = await bus.jsm.streams.info(name)
      const { delivered, num_ack_pending: pending } = await bus.jsm.consumers.info(name, 'reader')
      return { ...stateOf(state), reached: delivered.stream_seq, deliveries: delivered.consumer_seq, pending }
    },
  }
}

/** Requests `count` messages, and returns those that arrive within `ms`. */
async function pulled(bus: Bus, stream: string, count: number, ms: number): Promise<Msg[]> {
  const inbox = `inbox.${stream}.${Math.random()}`
  const messages: Msg[] = []
  const subscription = bus.nc.subscribe(inbox)
  const request = JSON.stringify({ batch: count, expires: ms * 1e6 })
  bus.nc.publish(`$JS.API.CONSUMER.MSG.NEXT.${stream}.reader`, request, { reply: inbox })
  for await (const message of subscription) {
    if (message.headers?.code) break
    messages.push(message)
    if (messages.length === count) break
  }
  subscription.unsubscribe()
  return messages
}

function memoryServer(retention: 'limits' | 'workqueue', ackMs = ackWaitMs): Server {
  const timing = { now: Date.now, after: (ms: number, act: () => void) => void setTimeout(act, ms).unref() }
  const spec = { name: 'S', subjects: ['>'], retention, duplicateMs: 120_000 }
  const stream: Stream = new JetStream([spec], timing).stream('S')
  let delivered: Delivered[] = []
  const consumer: Consumer = stream.addConsumer(
    { name: 'reader', filters: ['>'], acks: true, ackWaitMs: ackMs, maxAckPending, from: 1 },
    (_, __, sent) => delivered.push(sent) > 0,
  )
  return {
    publish: (subject, id, expectLast) =>
      outcome(async () => {
        const { seq, duplicate } = stream.publish(subject, encoder.encode(subject), { id, expectLast })
        return { seq, duplicate }
      }),
    async get(query) {
      const found = stream.get(query)
      return found && { seq: found.seq, subject: found.subject }
    },
    purge: async options => stream.purge(options),
    async pull() {
      delivered = []
      consumer.pull('inbox', batch)()
      return positions(delivered.map(({ message, attempt }) => ({ sequence: message.seq, attempt })))
    },
    async settle(nth, words) {
      const seq = delivered[nth]?.message.seq
      if (seq === undefined) return
      if (words === '-NAK') consumer.nak(seq, 0)
      else if (words === '+WPI') consumer.inProgress(seq)
      else consumer.ack(seq)
    },
    async info() {
      const { messages, first, last } = stream
      const state = { messages: messages.size, first_seq: first, last_seq: last }
      const { reached, deliveries, pending } = consumer
      return { ...stateOf(state), reached, deliveries, pending: pending.size }
    },
  }
}

const stateOf = ({
  messages,
  first_seq,
  last_seq,
}: Record<'messages' | 'first_seq' | 'last_seq', number>) => ({
  ...{ messages, last_seq },
  // The first sequence of an empty stream may differ.
  ...(messages > 0 && { first_seq }),
})

function prefixed(query: Query, at: (subject: string) => string): Query {
  if ('last_by_subj' in query) return { last_by_subj: at(query.last_by_subj) }
  const { seq, next_by_subj: next } = query
  return { seq, ...(next !== undefined && { next_by_subj: at(next) }) }
}

/** Returns the result, or the code of the error. */
async function outcome<T>(act: () => Promise<T>): Promise<T | { code: number }> {
  try {
    return await act()
  } catch (error) {
    if (error instanceof JetStreamApiError) return { code: error.code }
    throw error
  }
}

/** Redeliveries after an expired ack wait have no certain order. */
const positions = (all: { sequence: number; attempt: number }[]): [number, number][] =>
  all.map(({ sequence, attempt }): [number, number] => [sequence, attempt]).sort(([a], [b]) => a - b)

/**
 * @param hasPurged a purge moves the position of a consumer, on which no service depends
 * @param expected how many messages a pull must return
 */
async function carryOut(
  server: Server,
  operation: Operation,
  hasPurged: boolean,
  expected = 0,
): Promise<unknown> {
  switch (operation.type) {
    case 'publish':
      return server.publish(operation.subject, operation.id, operation.expectLast)
    case 'get':
      return server.get(queryOf(operation))
    case 'purge': {
      const { type: _, subject: filter, ...rest } = operation
      return server.purge({ filter, ...rest })
    }
    case 'pull':
      return server.pull(expected)
    case 'settle':
      return server.settle(operation.nth, operation.words)
    case 'info': {
      const { reached, ...info } = await server.info()
      return hasPurged ? info : { ...info, reached }
    }
  }
}

function queryOf({ query, subject, seq }: Extract<Operation, { type: 'get' }>): Query {
  if (query === 'last') return { last_by_subj: subject }
  return query === 'seq' ? { seq } : { seq, next_by_subj: subject }
}

test('JetStream in memory', { timeout: 3_600_000 }, async t => {
  const nats = await throwawayNats()
  const bus = await openBus({ url: nats.url, name: 'differential' })
  t.teardown(async () => {
    await bus.close()
    await nats.stop()
  })

  await t.test('responds to random operations like a server', async t => {
    const retention = fc.constantFrom('limits' as const, 'workqueue' as const)
    const some = fc.array(operation, { minLength: 5, maxLength: 40, size: 'max' })
    const property = fc.asyncProperty(retention, some, async (retention, operations) => {
      const [real, memory] = [await realServer(bus, retention), memoryServer(retention)]
      let hasPurged = false
      for (const [n, operation] of operations.entries()) {
        hasPurged ||= operation.type === 'purge'
        const actual = await carryOut(memory, operation, hasPurged)
        const sent = Array.isArray(actual) ? actual.length : 0
        const expected = await carryOut(real, operation, hasPurged, sent)
        const [wanted, given] = [JSON.stringify(expected), JSON.stringify(actual)]
        if (wanted !== given) throw new Error(`${n}: ${JSON.stringify(operation)}: ${given}, not ${wanted}`)
      }
    })
    await fc.assert(property, { numRuns: cases })
    t.pass(`${cases} sequences of operations`)
  })

  await t.test('delivers to several requests by turns', async t => {
    const counts = async (stream: string) => {
      await bus.jsm.streams.add({ name: stream, subjects: [`${stream}.>`], storage: StorageType.Memory })
      await bus.jsm.consumers.add(stream, { durable_name: 'reader', ack_policy: AckPolicy.Explicit })
      const inboxes = [1, 2].map(n => `inbox.${stream}.${n}`)
      const received = inboxes.map(inbox => bus.nc.subscribe(inbox))
      for (const reply of inboxes)
        bus.nc.publish(
          `$JS.API.CONSUMER.MSG.NEXT.${stream}.reader`,
          JSON.stringify({ batch: 10, expires: 5e9 }),
          { reply },
        )
      await bus.nc.flush()
      for (let n = 0; n < 6; n++) await bus.js.publish(`${stream}.a`, '')
      await until(async () => received.reduce((sum, one) => sum + one.getReceived(), 0) === 6)
      return received.map(one => one.getReceived())
    }
    const memory = new JetStream([{ name: 'S', subjects: ['>'], retention: 'limits', duplicateMs: 1_000 }], {
      now: Date.now,
      after: () => {},
    }).stream('S')
    const sent: string[] = []
    const spec = { name: 'reader', filters: ['>'], acks: true, ackWaitMs, maxAckPending: 100, from: 1 }
    const consumer = memory.addConsumer(spec, (_, inbox) => sent.push(inbox) > 0)
    for (const inbox of ['1', '2']) consumer.pull(inbox, 10)
    for (let n = 0; n < 6; n++) memory.publish('a', encoder.encode(''), {})
    const model = ['1', '2'].map(inbox => sent.filter(one => one === inbox).length)
    t.strictSame(await counts('TURNS'), model)
    t.strictSame(model, [3, 3])
  })

  await t.test('delivers again what is not settled within the ack wait', async t => {
    for (const server of [await realServer(bus, 'workqueue', 3_000), memoryServer('workqueue', 3_000)]) {
      for (const subject of ['a', 'b', 'a']) await server.publish(subject, undefined, undefined)
      t.strictSame(await server.pull(3), [
        [1, 1],
        [2, 1],
        [3, 1],
      ])
      await server.settle(1, '+ACK')
      const again = new Map<number, number>()
      await until(async () => {
        for (const [seq, attempt] of await server.pull(0)) again.set(seq, attempt)
        return again.size === 2
      })
      t.strictSame([...again.keys()].sort(), [1, 3])
      t.ok([...again.values()].every(attempt => attempt > 1))
    }
  })
})
