/**
 * A connection of a process to the simulated server, with the interface that the services use of the real client. Its
 * messages keep their order in each direction, as in TCP. When it breaks, messages on their way are lost.
 */
import { headers as emptyHeaders, errors, type Msg, type MsgHdrs } from '@nats-io/transport-node'
import type { Event, Task } from '../world.ts'
import type { Network, RawMessage } from './network.scene.ts'

export type Subscription = {
  subject: string
  queue: string | undefined
  connection: Connection
  callback: (error: Error | null, message: Msg) => void
}

type Settle<T> = { resolve: (value: T) => void; reject: (error: unknown) => void; timer: Event }
type Payload = Uint8Array | string | undefined

const pulls = '$JS.API.CONSUMER.MSG.NEXT.'
const acks = '$JS.ACK.'
const [heartbeat, timedOut] = [100, 408]
const bytesOf = (data: Payload): Uint8Array =>
  typeof data === 'string' ? Buffer.from(data) : (data ?? new Uint8Array())

export class Connection {
  readonly network: Network
  readonly task: Task
  readonly subscriptions = new Set<Subscription>()
  isUp = true
  #epoch = 0
  #sentAt = 0
  #receivedAt = 0
  readonly #statuses: ((type: string) => void)[] = []

  constructor(network: Network, task: Task) {
    this.network = network
    this.task = task
    network.connections.add(this)
    task.onEnd.push(() => this.#end())
  }

  /** Runs `act` at the server after the latency to the server. */
  toServer(act: () => void): void {
    if (!this.isUp || !this.task.isAlive) return
    const { world, faults } = this.network
    this.#sentAt = Math.max(this.#sentAt, world.now + faults.latency())
    world.after(this.#sentAt - world.now, act, null)
  }

  /** Runs `act` in the process after the latency to the client, unless the connection breaks before. */
  toClient(act: () => void): void {
    if (!this.isUp) return
    const { world, faults } = this.network
    const epoch = this.#epoch
    this.#receivedAt = Math.max(this.#receivedAt, world.now + faults.latency())
    world.after(this.#receivedAt - world.now, () => epoch === this.#epoch && act(), this.task)
  }

  /** Sends a request to the server. Rejects with the error of `effect`, or if no response comes in time. */
  call<T>(what: string, timeoutMs: number, effect: () => T): Promise<T> {
    const { world, faults } = this.network
    const fate = faults.fateOf(this.task, what)
    return new Promise((resolve, reject) => {
      const timer = world.after(timeoutMs, () => reject(new errors.TimeoutError()), this.task)
      if (fate === 'crash before') return world.kill(this.task)
      if (fate === 'lost') return
      this.toServer(() => this.#carryOut(effect, fate, { resolve, reject, timer }))
    })
  }

  #carryOut<T>(effect: () => T, fate: string, { resolve, reject, timer }: Settle<T>): void {
    const respond = (act: () => void) =>
      this.toClient(() => {
        timer.isCancelled = true
        act()
      })
    try {
      const result = effect()
      if (fate === 'crash after') this.network.world.kill(this.task)
      else if (fate !== 'unheard') respond(() => resolve(result))
    } catch (error) {
      respond(() => reject(error))
    }
  }

  subscribe(subject: string, { callback, queue }: { callback: Subscription['callback']; queue?: string }) {
    const subscription: Subscription = { subject, queue, connection: this, callback }
    this.subscriptions.add(subscription)
    const unsubscribe = () => void this.subscriptions.delete(subscription)
    return { unsubscribe, drain: async () => unsubscribe() }
  }

  publish(
    subject: string,
    payload?: Payload,
    { reply, headers }: { reply?: string; headers?: MsgHdrs } = {},
  ): void {
    const data = bytesOf(payload)
    if (subject.startsWith(pulls))
      this.toServer(() => this.#pull(subject.slice(pulls.length), data, reply ?? ''))
    else if (subject.startsWith(acks)) this.#settle(subject, data)
    else this.toServer(() => void this.network.route(subject, data, { reply, headers }))
  }

  async request(
    subject: string,
    payload: Payload,
    { timeout, headers }: { timeout: number; headers?: MsgHdrs },
  ) {
    const inbox = `_INBOX.${this.network.newName()}`
    const { promise, resolve } = Promise.withResolvers<Msg>()
    const subscription = this.subscribe(inbox, { callback: (_, message) => resolve(message) })
    try {
      const listeners = await this.call(`request ${subject}`, timeout, () =>
        this.network.route(subject, bytesOf(payload), { reply: inbox, headers }),
      )
      if (listeners === 0) {
        const cause = new errors.NoRespondersError(subject)
        throw new errors.RequestError(cause.message, { cause })
      }
      return await this.#within(promise, timeout)
    } finally {
      subscription.unsubscribe()
    }
  }

  #within<T>(response: Promise<T>, timeoutMs: number): Promise<T> {
    return new Promise((resolve, reject) => {
      const timer = this.network.world.after(timeoutMs, () => reject(new errors.TimeoutError()), this.task)
      response.then(value => {
        timer.isCancelled = true
        resolve(value)
      }, reject)
    })
  }

  /** Receives a message for one of its subscriptions. */
  receive(subscription: Subscription, raw: RawMessage): void {
    this.toClient(() => {
      if (this.subscriptions.has(subscription)) subscription.callback(null, this.#messageOf(raw))
    })
  }

  breakFor(ms: number): void {
    if (!this.isUp) return
    this.isUp = false
    this.#epoch++
    const { world } = this.network
    world.after(0, () => this.#announce('disconnect'), this.task)
    const restore = () => {
      this.isUp = true
      this.#announce('reconnect')
    }
    world.after(ms, restore, this.task)
  }

  /** Yields changes of the connection, as the client does. */
  async *status(): AsyncGenerator<{ type: string }> {
    for (;;) {
      const type = await new Promise<string>(resolve => this.#statuses.push(resolve))
      yield { type }
    }
  }

  #announce(type: string): void {
    for (const resolve of this.#statuses.splice(0)) resolve(type)
  }

  #end(): void {
    this.isUp = false
    this.#epoch++
    this.subscriptions.clear()
    this.network.connections.delete(this)
  }

  #messageOf({ subject, data, headers, reply }: RawMessage): Msg {
    const respond = (payload?: Payload, more?: { headers?: MsgHdrs }) => {
      if (reply !== undefined) this.publish(reply, payload, more)
      return reply !== undefined
    }
    const json = () => JSON.parse(Buffer.from(data).toString())
    return { subject, data, headers, reply, respond, json } as unknown as Msg
  }

  /** Serves a request for messages until it has all of them, expires, or its connection breaks. */
  #pull(path: string, data: Uint8Array, inbox: string): void {
    const [stream = '', name = ''] = path.split('.')
    const { world, jetstream } = this.network
    const { batch, expires, idle_heartbeat: beat } = JSON.parse(Buffer.from(data).toString())
    const consumer = jetstream.stream(stream).consumers.get(name)
    const listener = [...this.subscriptions].find(({ subject }) => subject === inbox)
    if (consumer === undefined || listener === undefined) return
    const epoch = this.#epoch
    const end = consumer.pull(inbox, batch)
    const until = world.now + expires / 1e6
    const status = (code: number, description: string, left?: number) => {
      const headers = emptyHeaders(code, description)
      if (left !== undefined) headers.set('Nats-Pending-Messages', String(left))
      this.receive(listener, { subject: inbox, data: new Uint8Array(), headers })
    }
    const watch = () => {
      if (epoch !== this.#epoch) return void end()
      if (world.now < until) {
        status(heartbeat, 'Idle Heartbeat')
        world.after(Math.min(beat / 1e6, until - world.now), watch, null)
        return
      }
      const left = end()
      if (left > 0) status(timedOut, 'Request Timeout', left)
    }
    world.after(Math.min(beat / 1e6, expires / 1e6), watch, null)
  }

  #settle(subject: string, data: Uint8Array): void {
    const [, , stream = '', name = '', , seq] = subject.split('.')
    const words = Buffer.from(data).toString()
    if (words !== '+WPI' && this.network.faults.isAckLost()) return
    this.toServer(() => {
      const consumer = this.network.jetstream.stream(stream).consumers.get(name)
      if (words === '+WPI') consumer?.inProgress(Number(seq))
      else if (words.startsWith('-NAK')) {
        const { delay = 0 } = JSON.parse(words.slice(4) || '{}')
        consumer?.nak(Number(seq), delay / 1e6)
      } else consumer?.ack(Number(seq))
    })
  }
}
