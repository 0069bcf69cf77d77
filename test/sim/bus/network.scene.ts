/** The simulated NATS server: it routes core messages between connections, and has JetStream. */
import type { MsgHdrs } from '@nats-io/transport-node'
import type { Faults } from '../faults.ts'
import type { World } from '../world.ts'
import type { Connection, Subscription } from './connection.scene.ts'
import type { Consumer, Delivered } from './consumer.ts'
import type { JetStream } from './jetstream.scene.ts'
import { matches } from './subject.ts'

export class Network {
  readonly world: World
  readonly faults: Faults
  readonly jetstream: JetStream
  readonly connections = new Set<Connection>()
  #names = 0

  constructor(world: World, faults: Faults, jetstream: JetStream) {
    this.world = world
    this.faults = faults
    this.jetstream = jetstream
  }

  newName(): string {
    return `name-${++this.#names}`
  }

  /** Sends to all subscribers of a subject, and to one of each queue group. Returns their number. */
  route(subject: string, data: Uint8Array, more: Pick<RawMessage, 'headers' | 'reply'> = {}): number {
    const found = this.#listeners(subject)
    for (const one of found) one.connection.receive(one, { subject, data, ...more })
    return found.length
  }

  /** Delivers a message of a consumer to an inbox. Returns false if nothing listens there. */
  readonly deliver = (
    consumer: Consumer,
    inbox: string,
    { message, attempt, delivery, pending }: Delivered,
  ) => {
    const [listener] = this.#listeners(inbox)
    if (listener === undefined) return false
    const { seq, subject, data, headers, time } = message
    const stream = this.jetstream.streamOf(subject).spec.name
    const reply = `$JS.ACK.${stream}.${consumer.spec.name}.${attempt}.${seq}.${delivery}.${time * 1e6}.${pending}`
    listener.connection.receive(listener, { subject, data, headers, reply })
    return true
  }

  /** Kills the server and starts it again: all connections break, and fresh acknowledgements are forgotten. */
  restart(downMs: number): void {
    for (const connection of [...this.connections]) connection.breakFor(downMs)
    for (const stream of this.jetstream.streams.values()) stream.forgetAcknowledgements()
  }

  #listeners(subject: string): Subscription[] {
    const plain: Subscription[] = []
    const groups = new Map<string, Subscription[]>()
    for (const { isUp, subscriptions } of this.connections) {
      if (!isUp) continue
      for (const one of subscriptions) {
        if (!matches(one.subject, subject)) continue
        if (one.queue === undefined) plain.push(one)
        else groups.set(one.queue, [...(groups.get(one.queue) ?? []), one])
      }
    }
    return [...plain, ...Array.from(groups.values(), members => this.world.random.pick(members))]
  }
}

export type RawMessage = {
  subject: string
  data: Uint8Array
  headers?: MsgHdrs | undefined
  reply?: string | undefined
}
