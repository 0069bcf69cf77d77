/**
 * Pulls messages from a consumer, never more than there is room for, so nothing waits unseen in a buffer
 * while its time to be acknowledged runs out.
 *
 * A pull lives until something is wrong with it: the connection breaks, the server says so or falls
 * silent. It is then over, and whoever wants more starts another one.
 */
import { type Msg, type NatsConnection, nanos } from '@nats-io/transport-node'
import { onLost } from './link.ts'
import { newInbox } from './server.ts'

/** The server owes an answer for too long; whether it has gone is found out by asking again. */
export class FellSilent extends Error {
  override readonly name = 'FellSilent'
}

export type Pull = {
  /** Asks for as much as there is room for, once that is worth a request. */
  more(): void
  /** Ends the pull if the server owes an answer for too long. Call it every few seconds. */
  check(): void
  /** Asks for nothing more and takes what is already on its way. */
  drain(): Promise<void>
  end(wrong: Error | null): void
  /** Resolves when the pull is over, with what was wrong unless it was drained, lost its connection or has another leader. */
  over: Promise<Error | null>
}

type Options = {
  stream: string
  consumer: string
  /** How many messages may be under way at most. */
  capacity: number
  /** How many of them may still come. */
  room(): number
  take(message: Msg): void
  /** Bytes of one request; must be more than the largest message. */
  maxBytes?: number
}

const expiresMs = 30_000
const heartbeatMs = 2_500
const silenceMs = 6_000
const heartbeat = 100

/** Listens at once, and asks for nothing until it is told `more`. */
export function startPull(
  nc: NatsConnection,
  { stream, consumer, capacity, room, take, maxBytes }: Options,
): Pull {
  const inbox = newInbox(nc)
  const nextSubject = `$JS.API.CONSUMER.MSG.NEXT.${stream}.${consumer}`
  const step = Math.max(1, capacity >> 2)
  const ending = Promise.withResolvers<Error | null>()
  let isOver = false
  let asked = 0
  let heardAt = performance.now()

  const subscription = nc.subscribe(inbox, {
    callback: (error, message) => (error ? end(error) : hear(message)),
  })
  const forget = onLost(nc, () => end(null))
  return { more, check, drain, end, over: ending.promise }

  function more(): void {
    const wanted = room() - asked
    if (isOver || wanted <= 0 || (asked > 0 && wanted < step)) return
    if (asked === 0) heardAt = performance.now()
    asked += wanted
    const request = {
      batch: wanted,
      expires: nanos(expiresMs),
      idle_heartbeat: nanos(heartbeatMs),
      ...(maxBytes && { max_bytes: maxBytes }),
    }
    nc.publish(nextSubject, JSON.stringify(request), { reply: inbox })
  }

  function hear(message: Msg): void {
    heardAt = performance.now()
    if (message.subject === inbox) {
      hearStatus(message)
    } else {
      if (asked > 0) asked--
      take(message)
      more()
    }
  }

  function hearStatus({ headers }: Msg): void {
    if (headers?.code === heartbeat) return
    const unused = headers?.get('Nats-Pending-Messages')
    if (unused) {
      asked = Math.max(0, asked - Number(unused))
      more()
    } else {
      const isMoved = headers?.description === 'Leadership Change'
      end(isMoved ? null : new Error(`${consumer}: ${headers?.code} ${headers?.description}`))
    }
  }

  function check(): void {
    if (asked > 0 && performance.now() - heardAt > silenceMs)
      end(new FellSilent(`${consumer}: the server fell silent`))
  }

  async function drain(): Promise<void> {
    isOver = true
    forget()
    await subscription.drain().catch(() => {})
    ending.resolve(null)
  }

  function end(wrong: Error | null): void {
    if (isOver) return
    isOver = true
    forget()
    if (!nc.isClosed()) subscription.unsubscribe()
    ending.resolve(wrong)
  }
}
