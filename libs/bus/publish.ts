/**
 * Publishes to a stream: when it returns, the message is stored and synced. A publish with an id is repeatable, so it
 * is retried. A fenced publish with an unknown result is left to the caller, the only one that can check.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { JetStreamApiError } from '@nats-io/jetstream'
import { headers as emptyHeaders, type MsgHdrs } from '@nats-io/transport-node'
import { causes, named } from '@tidemark/contracts/health'
import { causeOf } from './cause.ts'
import type { Bus } from './connection.ts'
import { gotNoResponse, isClustered, isNoLeaderError, isWithoutStream } from './leader.ts'
import { ConnectionLost, connected, untilLost } from './link.ts'
import { nameOf, reachedBy, rename, wasLost } from './loss/fallen-back.ts'
import { decided, isUndecided, isVoteOver, Undecided } from './loss/undecided.ts'
import { injectTraceContext } from './trace.ts'
import { reportFailing, reportWorking } from './troubles.ts'

/** Reports that the subject's last sequence is not the expected one: another writer was first. */
export class Conflict extends Error {
  override readonly name = 'Conflict'
}

/** Reports that the stream is full. It accepts messages again when it has capacity. */
export class StreamFull extends Error {
  override readonly name = 'StreamFull'
}

/**
 * Reports that a publish with `expectLast` got no response: read the subject's end to find out whether it is stored.
 */
export class Ambiguous extends Error {
  override readonly name = 'Ambiguous'
}

export type PublishOptions = {
  /** Nats-Msg-Id: within the stream's duplicate window the second message of an id is not stored. */
  id?: string
  /** The expected last sequence of this subject, 0 for none. Any other is refused. */
  expectLast?: number
  headers?: Record<string, string>
  /** Milliseconds for each try, and in a cluster for the election of a leader; 5 s by default. */
  timeoutMs?: number
}

export type Published = { sequence: number; duplicate: boolean }

const tries = 6
const firstPauseMs = 100
/** Milliseconds between two tries during an election. */
const betweenTriesMs = 200
const wrongLastSequence = 10071
const limits = new Set([10077, 10002, 10023, 10047])
/**
 * Milliseconds after which a full stream is reported, because short back-pressure is not a fault; and after which the
 * report is dropped, because a refused caller may never try again.
 */
const [reportedAfterMs, keptMs] = [1_000, 4_000]

/**
 * Stores one message and returns its sequence. Throws `Conflict`, `StreamFull`, `Ambiguous` (only with `expectLast`),
 * and the infrastructure's errors after all tries.
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
      reportWorking(bus.nc, storing(subject))
      return { sequence: stored.seq, duplicate: stored.duplicate }
    } catch (error) {
      if (isNoLeaderError(error) && performance.now() < electedBy) {
        await sleep(betweenTriesMs)
        left++
        continue
      }
      if (!isUnanswered(error) && !isWithoutStream(error)) throw reportIfFull(bus, subject, refused(error))
      if (isFenced && isUnanswered(error))
        throw new Ambiguous(`no response to a publish on ${subject}`, { cause: error })
      if (left <= 1) throw error
      await sleep(firstPauseMs * 2 ** (tries - left))
    }
  }
}

function headersOf(custom: Record<string, string>): MsgHdrs {
  const headers = emptyHeaders()
  injectTraceContext(headers) // the custom headers may contain another trace
  for (const [name, value] of Object.entries(custom)) headers.set(name, value)
  return headers
}

const isUnanswered = (error: unknown) =>
  gotNoResponse(error) || error instanceof ConnectionLost || error instanceof Undecided

/**
 * Throws `Undecided`. A new id is used when the vote has failed. Fenced messages may use one at once, because at most
 * one of two with the same fence is stored.
 */
async function doubt(bus: Bus, stream: string, id: string, isFenced: boolean): Promise<never> {
  if (isFenced) await sleep(betweenTriesMs)
  if (isFenced || (await isVoteOver(bus, stream, id))) rename(bus.nc, id, Date.now())
  throw new Undecided(`${stream} has not confirmed a message yet`)
}

/** Returns the name of this work in health reports: one per stream, which is the subject's first token. */
const storing = (subject: string): string => `store ${subject.split('.', 1)[0]}`

/** Reports a full stream as a fault of the whole service. Returns the error, to be thrown. */
function reportIfFull({ nc }: Bus, subject: string, error: unknown): unknown {
  if (!(error instanceof StreamFull)) return error
  const cause = causeOf(error, 'stream_full')
  const fault = named(cause, `no message can be stored on ${subject.split('.', 1)[0]}: ${causes[cause]}`)
  reportFailing(nc, storing(subject), fault, reportedAfterMs, { keptMs })
  return error
}

function refused(error: unknown): unknown {
  if (!(error instanceof JetStreamApiError)) return error
  if (error.code === wrongLastSequence) return new Conflict(error.message, { cause: error })
  if (limits.has(error.code)) return new StreamFull(error.message, { cause: error })
  return error
}
