/**
 * Publishes to a stream: what returns is stored and synced. A publish with an id may be repeated, so it is;
 * a fenced one whose fate is unknown is left to its caller, who alone can look.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { JetStreamApiError } from '@nats-io/jetstream'
import { headers as emptyHeaders, type MsgHdrs } from '@nats-io/transport-node'
import { causes, named } from '@tidemark/contracts/health'
import { causeOf } from './cause.ts'
import type { Bus } from './connection.ts'
import { nameOf, reachedBy, rename, wasLost } from './fallen-back.ts'
import { isClustered, isRefusedByNobody, isUnheard, saysNoLeader } from './leader.ts'
import { ConnectionLost, connected, untilLost } from './link.ts'
import { inject } from './trace.ts'
import { fails, works } from './troubles.ts'
import { decided, isUndecided, isVoteOver, Undecided } from './undecided.ts'

/** The subject's last sequence is not the expected one: somebody else was first. */
export class Conflict extends Error {
  override readonly name = 'Conflict'
}

/** The stream refuses because it is full; it takes messages again when there is room. */
export class StreamFull extends Error {
  override readonly name = 'StreamFull'
}

/** A fenced publish was not answered: it is stored or it is not. Read the subject's end to know. */
export class Ambiguous extends Error {
  override readonly name = 'Ambiguous'
}

export type PublishOptions = {
  /** Nats-Msg-Id: within the stream's window the second one of a name is not stored. */
  id?: string
  /** The last sequence of this subject, 0 for none; any other refuses. */
  expectLast?: number
  headers?: Record<string, string>
  /** For each try, and in a cluster for the choice of a leader; 5 s by default. */
  timeoutMs?: number
}

export type Published = { sequence: number; duplicate: boolean }

const tries = 6
const firstPauseMs = 100
/** While a leader is chosen. */
const betweenLooksMs = 200
const wrongLastSequence = 10071
const limits = new Set([10077, 10002, 10023, 10047])
/** Back-pressure of a moment is nobody's fault; and who was refused may never ask again. */
const [toldAfterMs, keptMs] = [1_000, 4_000]

/**
 * Stores one message. Throws `Conflict`, `StreamFull`, `Ambiguous` (only with `expectLast`), and whatever
 * the infrastructure throws after all tries.
 */
export async function publish(
  bus: Bus,
  subject: string,
  payload: Uint8Array | string,
  { id, expectLast, headers = {}, timeoutMs = 5_000 }: PublishOptions = {},
): Promise<Published> {
  const isFenced = expectLast !== undefined
  const request = () => ({
    timeout: timeoutMs,
    headers: headersOf(headers),
    ...(id !== undefined && { msgID: nameOf(bus.nc, id) }),
    ...(isFenced && { expect: { lastSubjectSequence: expectLast } }),
  })
  const electedBy = performance.now() + (isClustered(bus.nc) ? timeoutMs : 0)
  for (let left = id !== undefined && !isFenced ? tries : 1; ; left--) {
    await connected(bus.nc, timeoutMs)
    try {
      const reached = reachedBy(bus.nc)
      const stored = await untilLost(bus.nc, bus.js.publish(subject, payload, request()))
      if (id !== undefined && isUndecided(stored)) await doubt(bus, stored.stream, id, isFenced)
      if (await wasLost(bus, stored, reached, id)) continue
      if (id !== undefined) decided(bus.nc, id)
      works(bus.nc, storing(subject))
      return { sequence: stored.seq, duplicate: stored.duplicate }
    } catch (error) {
      if (saysNoLeader(error) && performance.now() < electedBy) {
        await sleep(betweenLooksMs)
        left++
        continue
      }
      if (!isUnanswered(error) && !isRefusedByNobody(error)) throw told(bus, subject, refused(error))
      if (isFenced && isUnanswered(error))
        throw new Ambiguous(`no answer to a publish on ${subject}`, { cause: error })
      if (left <= 1) throw error
      await sleep(firstPauseMs * 2 ** (tries - left))
    }
  }
}

function headersOf(given: Record<string, string>): MsgHdrs {
  const headers = emptyHeaders()
  inject(headers) // unless another trace is given
  for (const [name, value] of Object.entries(given)) headers.set(name, value)
  return headers
}

const isUnanswered = (error: unknown) =>
  isUnheard(error) || error instanceof ConnectionLost || error instanceof Undecided

/**
 * Throws `Undecided`. Another name is taken where the vote is over; what is fenced may have it at once, for of two of
 * the same fence one is stored at most.
 */
async function doubt(bus: Bus, stream: string, id: string, isFenced: boolean): Promise<never> {
  if (isFenced) await sleep(betweenLooksMs)
  if (isFenced || (await isVoteOver(bus, stream, id))) rename(bus.nc, id, Date.now())
  throw new Undecided(`${stream} has not decided on a message yet`)
}

/** Streams have their subjects' first word. */
const storing = (subject: string): string => `store ${subject.split('.', 1)[0]}`

/** What is full is a matter of the whole service, not only of whoever met it. */
function told({ nc }: Bus, subject: string, error: unknown): unknown {
  if (!(error instanceof StreamFull)) return error
  const cause = causeOf(error, 'stream_full')
  const says = named(cause, `nothing can be stored on ${subject.split('.', 1)[0]}: ${causes[cause]}`)
  fails(nc, storing(subject), says, toldAfterMs, { keptMs })
  return error
}

function refused(error: unknown): unknown {
  if (!(error instanceof JetStreamApiError)) return error
  if (error.code === wrongLastSequence) return new Conflict(error.message, { cause: error })
  if (limits.has(error.code)) return new StreamFull(error.message, { cause: error })
  return error
}
