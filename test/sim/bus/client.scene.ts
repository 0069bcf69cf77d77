/** Returns the `Bus` of a process: the interface of the real client over a simulated connection. */
import { headers as emptyHeaders, type MsgHdrs } from '@nats-io/transport-node'
import type { Bus } from '@tidemark/bus/connection'
import type { Connection } from './connection.scene.ts'
import type { ConsumerSpec } from './consumer.ts'
import type { Message, Query } from './jetstream.scene.ts'

type PublishOptions = {
  timeout?: number
  headers?: MsgHdrs
  msgID?: string
  expect?: { lastSubjectSequence?: number }
}
type Wanted = {
  name?: string
  durable_name?: string
  filter_subject?: string
  filter_subjects?: string[]
  opt_start_seq?: number
  ack_policy?: string
}

const usualMs = 5_000

export function busOf(connection: Connection, name: string): Bus {
  const { network } = connection
  const { jetstream } = network
  const js = {
    publish(subject: string, payload: Uint8Array | string, options: PublishOptions = {}) {
      const { timeout = usualMs, msgID: id, expect } = options
      const data = Buffer.from(payload as string)
      const headers = copied(options.headers)
      return connection.call(`publish ${subject} ${id ?? ''}`, timeout, () =>
        jetstream
          .streamOf(subject)
          .publish(subject, data, { id, expectLast: expect?.lastSubjectSequence, headers }),
      )
    },
  }
  const streams = {
    getMessage: (stream: string, query: Query) =>
      connection.call(`read ${stream}`, usualMs, () => stored(jetstream.stream(stream).get(query))),
    info: (stream: string) =>
      connection.call(`info ${stream}`, usualMs, () => {
        const { spec, messages, first, last } = jetstream.stream(stream)
        const { name, retention } = spec
        return {
          config: { name, retention },
          state: { messages: messages.size, first_seq: first, last_seq: last },
        }
      }),
    find: (subject: string) => connection.call('find', usualMs, () => jetstream.streamOf(subject).spec.name),
    purge: (stream: string, options: { filter?: string; seq?: number; keep?: number }) =>
      connection.call(`purge ${stream}`, usualMs, () => ({
        purged: jetstream.stream(stream).purge(options),
      })),
  }
  const consumers = {
    add: (stream: string, wanted: Wanted) =>
      connection.call(`add a consumer of ${stream}`, usualMs, () => {
        const spec = specOf(wanted, () => network.newName())
        jetstream.stream(stream).addConsumer(spec, network.deliver)
        return { name: spec.name }
      }),
    delete: (stream: string, consumer: string) =>
      connection.call('delete a consumer', usualMs, () =>
        jetstream.stream(stream).consumers.delete(consumer),
      ),
    info: (stream: string, consumer: string) =>
      connection.call(`info ${consumer}`, usualMs, () => {
        const { reached, floor, spec } = consumerOf(stream, consumer)
        return {
          delivered: { stream_seq: reached },
          ack_floor: { stream_seq: floor },
          config: { durable_name: spec.name, filter_subject: spec.filters[0] },
        }
      }),
  }
  const consumerOf = (stream: string, consumer: string) => {
    const found = jetstream.stream(stream).consumers.get(consumer)
    if (found === undefined) throw new Error(`${stream} has no consumer ${consumer}`)
    return found
  }
  const nc = {
    info: undefined,
    isClosed: () => false,
    closed: () => new Promise(() => {}),
    status: () => connection.status(),
    subscribe: connection.subscribe.bind(connection),
    publish: connection.publish.bind(connection),
    request: connection.request.bind(connection),
    flush: () => connection.call('ping', usualMs, () => undefined),
  }
  return { name, nc, js, jsm: { streams, consumers }, close: async () => {} } as unknown as Bus
}

function specOf(wanted: Wanted, newName: () => string): ConsumerSpec {
  const { filter_subject: filter, filter_subjects: filters, opt_start_seq: from = 1 } = wanted
  return {
    name: wanted.durable_name ?? wanted.name ?? newName(),
    filters: filters ?? [filter ?? '>'],
    acks: wanted.ack_policy === 'explicit',
    ...{ ackWaitMs: 10_000, maxAckPending: 1_000, from },
  }
}

/** Returns the message as the client returns it. The header is a copy, as after a transfer over the network. */
const stored = (message: Message | null) =>
  message && {
    seq: message.seq,
    subject: message.subject,
    data: message.data,
    header: message.headers,
    time: new Date(message.time),
  }

function copied(headers: MsgHdrs | undefined): MsgHdrs {
  const copy = emptyHeaders()
  for (const name of headers?.keys() ?? []) copy.set(name, headers?.get(name) ?? '')
  return copy
}
