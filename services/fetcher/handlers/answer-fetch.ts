/**
 * A page fetched at once, for somebody who waits: it takes its turn at the host and its permits like every order,
 * and is given up when its time is over or nobody waits any more. What comes of it is the answer; nothing of it is kept, and what nobody
 * has taken is removed.
 */
import { randomUUID } from 'node:crypto'
import { encodeFrame } from '@tidemark/bus/frame'
import type { FetchedNow, FetchNow } from '@tidemark/contracts/ask/fetch'
import { toldHeaders } from '@tidemark/contracts/work/page'
import type { Fetched } from '@tidemark/http/fetch'
import { FetchError } from '@tidemark/http/fetch-error'
import { parseTarget } from '@tidemark/http/target'
import { urlKey } from '@tidemark/url/key'
import type { EndedRuns } from '../adapters/ended-runs.ts'
import type { Fit } from '../adapters/fit.ts'
import type { LentBodies } from '../adapters/lent-bodies.ts'
import { headersOf } from '../domain/headers-of.ts'
import { isInOurName } from '../domain/own-name.ts'
import { strainOf } from '../domain/strain.ts'
import { type BodyRoom, openBodyRoom } from '../turns/body-room.ts'
import type { ByteBudget } from '../turns/byte-budget.ts'
import type { TakeTurn } from '../turns/turns.ts'
import type { Ask, Asked } from './ask.ts'

/** What goes back: `FetchedNow` and the body as the origin sent it. */
export type Answered = { header: FetchedNow; body: Uint8Array }

type Ports = {
  ask: Ask
  takeTurn: TakeTurn
  fit: Fit
  lentBodies: LentBodies
  dropped: Pick<EndedRuns, 'watch'>
  /** For large bodies from when they are read until they are answered. */
  reading: ByteBudget
  /** Largest body that is fetched for anybody, in bytes as they come over the wire. */
  maxBytes: number
  /** Ends what is under way; it comes a while after the fetcher was told to stop. */
  hardStop: AbortSignal
}

/** Between two requests of one piece of work to a host, where it does not say (ms). */
const usualDelayMs = 100
/** Of one piece of work, where it does not say. */
const usualConcurrency = 4
const longestField = 1024
const nothing = Buffer.alloc(0)

export function answerFetch(ports: Ports): (question: FetchNow) => Promise<Answered> {
  return async question => {
    const inTime = AbortSignal.timeout(question.timeoutMs)
    using dropped = ports.dropped.watch(question.workId)
    const signal = AbortSignal.any([inTime, dropped.signal, ports.hardStop])
    using room = openBodyRoom(ports.reading)
    try {
      const asked = await askInTurn(ports, question, room, signal)
      return 'error' in asked ? failed(asked.error) : await fetched(ports, question, asked.fetched, signal)
    } catch (thrown) {
      return failed(inTime.aborted ? new FetchError('timeout', { cause: thrown }) : FetchError.from(thrown))
    }
  }
}

async function askInTurn(
  { ask, takeTurn, maxBytes }: Ports,
  question: FetchNow,
  room: BodyRoom,
  signal: AbortSignal,
): Promise<Asked> {
  const { workId, url, timeoutMs, maxHops, cuts, userAgent } = question
  const { delayMs = usualDelayMs, concurrency = usualConcurrency } = question
  const { host, protocol } = parseTarget(url)
  const work = { runId: workId, ...(userAgent !== undefined && { userAgent }) }
  const account = { tenant: workId, isAwaited: true, isInOurName: isInOurName(work) }
  using turn = await takeTurn({ runId: workId, host, protocol, delayMs, concurrency, ...account, signal })
  const asked = await ask(url, {
    work,
    order: { key: urlKey(url), attempt: 1 },
    maxHops,
    maxBytes: Math.min(question.maxBytes, maxBytes),
    cuts,
    timeoutMs,
    headers: {},
    signal,
    onSent: turn.sent,
    onAnswered: turn.answered,
    room,
  })
  turn.ended(room.isWaiting ? null : strainOf(asked))
  return asked
}

async function fetched(
  { fit, lentBodies }: Ports,
  { workId }: FetchNow,
  answer: Fetched,
  signal: AbortSignal,
): Promise<Answered> {
  const { url, status, hops, headers, elapsedMs } = answer
  const travelling = await fit(answer.body, answer.encodings, `now:${workId}:${randomUUID()}`, signal)
  if (travelling === null) return noRoom(hops)
  const { body, ...travel } = travelling
  if (travel.bulkyKey !== null) {
    if (signal.aborted) lentBodies.untaken(travel.bulkyKey)
    else lentBodies.lent(travel.bulkyKey)
    signal.throwIfAborted()
  }
  const header: FetchedNow = {
    is: 'fetched',
    url,
    status,
    hops,
    contentType: headers['content-type']?.slice(0, longestField) ?? null,
    robotsHeader: headers['x-robots-tag']?.slice(0, longestField) ?? null,
    headers: headersOf(headers, toldHeaders),
    elapsedMs,
    ...travel,
  }
  return { header, body }
}

const noRoom = (hops: Fetched['hops']): Answered => {
  const message = 'There is no room now for a body that is so large.'
  return { header: { is: 'failed', reason: 'no_room', message, hops }, body: nothing }
}

const failed = ({ code, message, hops }: FetchError): Answered => ({
  header: { is: 'failed', reason: code, message, hops },
  body: nothing,
})

export const encodeAnswer = ({ header, body }: Answered): Uint8Array => encodeFrame(header, [body])
