/**
 * Pulls messages from a consumer, never more than there is capacity for, so that no message waits in a buffer while
 * its acknowledgement time runs out.
 *
 * A pull ends when the connection breaks, or the server reports an error or falls silent. The caller then starts
 * another one.
 */
import { type Msg, type NatsConnection, nanos, type Subscription } from '@nats-io/transport-node'
import { onLost } from '../link.ts'
import { newInbox } from '../server.ts'

/** Reports that the server has owed a response for too long. Another request finds out whether it is away. */
export class FellSilent extends Error {
  override readonly name = 'FellSilent'
}

type Options = {
  stream: string
  consumer: string
  /** Maximum number of messages in progress. */
  capacity: number
  /** Returns the number of further messages that may arrive now. */
  free(): number
  take(message: Msg): void
  /** Bytes of one request; must be more than the largest message. */
  maxBytes?: number
}

const expiresMs = 30_000
const heartbeatMs = 2_500
const silenceMs = 6_000
const heartbeat = 100

export class Pull {
  readonly #nc: NatsConnection
  readonly #options: Options
  readonly #inbox: string
  readonly #nextSubject: string
  /** Minimum messages of a request while others are on their way. */
  readonly #step: number
  readonly #ending = Promise.withResolvers<Error | null>()
  readonly #subscription: Subscription
  readonly #forget: () => void
  #isOver = false
  /** Messages that were requested and have not arrived. */
  #requested = 0
  #receivedAt = performance.now()

  /** Subscribes at once, and requests nothing until `more` is called. */
  constructor(nc: NatsConnection, options: Options) {
    const { stream, consumer, capacity } = options
    this.#nc = nc
    this.#options = options
    this.#inbox = newInbox(nc)
    this.#nextSubject = `$JS.API.CONSUMER.MSG.NEXT.${stream}.${consumer}`
    this.#step = Math.max(1, capacity >> 2)
    this.#subscription = nc.subscribe(this.#inbox, {
      callback: (error, message) => (error ? this.end(error) : this.#receive(message)),
    })
    this.#forget = onLost(nc, () => this.end(null))
  }

  /** Resolves when the pull is over, with the error unless it was drained, lost its connection or has another leader. */
  get over(): Promise<Error | null> {
    return this.#ending.promise
  }

  /** Requests messages up to the free capacity, unless they are few and others are on their way. */
  more(): void {
    const wanted = this.#options.free() - this.#requested
    if (this.#isOver || wanted <= 0 || (this.#requested > 0 && wanted < this.#step)) return
    if (this.#requested === 0) this.#receivedAt = performance.now()
    this.#requested += wanted
    const { maxBytes } = this.#options
    const request = {
      batch: wanted,
      expires: nanos(expiresMs),
      idle_heartbeat: nanos(heartbeatMs),
      ...(maxBytes && { max_bytes: maxBytes }),
    }
    this.#nc.publish(this.#nextSubject, JSON.stringify(request), { reply: this.#inbox })
  }

  /** Ends the pull if the server owes an answer for too long. Call it every few seconds. */
  check(): void {
    if (this.#requested > 0 && performance.now() - this.#receivedAt > silenceMs)
      this.end(new FellSilent(`${this.#options.consumer}: the server fell silent`))
  }

  /** Requests nothing more and takes what is already on its way. */
  async drain(): Promise<void> {
    this.#isOver = true
    this.#forget()
    await this.#subscription.drain().catch(() => {})
    this.#ending.resolve(null)
  }

  end(wrong: Error | null): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#forget()
    if (!this.#nc.isClosed()) this.#subscription.unsubscribe()
    this.#ending.resolve(wrong)
  }

  #receive(message: Msg): void {
    this.#receivedAt = performance.now()
    if (message.subject === this.#inbox) {
      this.#receiveStatus(message)
      return
    }
    if (this.#requested > 0) this.#requested--
    this.#options.take(message)
    this.more()
  }

  #receiveStatus({ headers }: Msg): void {
    if (headers?.code === heartbeat) return
    const unused = headers?.get('Nats-Pending-Messages')
    if (unused) {
      this.#requested = Math.max(0, this.#requested - Number(unused))
      this.more()
      return
    }
    const isMoved = headers?.description === 'Leadership Change'
    const wrong = new Error(`${this.#options.consumer}: ${headers?.code} ${headers?.description}`)
    this.end(isMoved ? null : wrong)
  }
}
