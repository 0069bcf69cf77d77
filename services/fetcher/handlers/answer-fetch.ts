/**
 * A page got at once, by whatever means were asked for, for somebody who waits: it takes its turn at the host and its
 * permits like every order, and is given up when its time is over or nobody waits any more. What comes of it is the
 * answer; nothing of it is kept, and what nobody has taken is removed.
 */
import { randomUUID } from 'node:crypto'
import { encodeFrame } from '@tidemark/bus/frame'
import { deliveryHeaders, type FetchedNow, type FetchNow } from '@tidemark/contracts/ask/fetch'
import { toldHeaders } from '@tidemark/contracts/work/page'
import { FetchError, type Hop } from '@tidemark/http/fetch-error'
import type { Headers } from '@tidemark/http/headers'
import { locationOf } from '@tidemark/http/redirect'
import { parseTarget } from '@tidemark/http/target'
import type { EndedRuns } from '../adapters/ended-runs.ts'
import type { Fit } from '../adapters/fit.ts'
import type { LentBodies } from '../adapters/lent-bodies.ts'
import type { Came } from '../backends/backend.ts'
import type { ChooseBackend } from '../backends/choose.ts'
import { headersOf } from '../domain/headers-of.ts'
import { isInOurName } from '../domain/own-name.ts'
import { strainOf } from '../domain/strain.ts'
import { type BodyRoom, openBodyRoom } from '../turns/body-room.ts'
import type { ByteBudget } from '../turns/byte-budget.ts'
import { openPatience } from '../turns/patience.ts'
import type { TakeTurn } from '../turns/turns.ts'
import { packAnswer } from './pack-answer.ts'

/** What goes back: `FetchedNow`, the body as the origin sent it, and a picture where there is one. */
export type Answered = { header: FetchedNow; body: Uint8Array; picture?: Uint8Array }

type Ports = {
  chooseBackend: ChooseBackend
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
/** What a policy allows stands at its end as well as at its beginning. */
const longestDelivery = 8192
const nothing = Buffer.alloc(0)

export function answerFetch(ports: Ports): (question: FetchNow) => Promise<Answered> {
  return async question => {
    using dropped = ports.dropped.watch(question.workId)
    using patience = openPatience(question.timeoutMs, [dropped.signal, ports.hardStop])
    const { signal } = patience
    using room = openBodyRoom(ports.reading)
    const state = { hasTurn: false }
    try {
      const came = await askInTurn(ports, question, room, signal, state)
      return 'error' in came ? failed(came.error) : await fetched(ports, question, came, signal)
    } catch (thrown) {
      const error = patience.isOver ? new FetchError('timeout', { cause: thrown }) : FetchError.from(thrown)
      return failed(error, state.hasTurn)
    }
  }
}

async function askInTurn(
  { chooseBackend, takeTurn, maxBytes }: Ports,
  question: FetchNow,
  room: BodyRoom,
  signal: AbortSignal,
  state: { hasTurn: boolean },
): Promise<Came> {
  const { workId, url, userAgent, by } = question
  const { delayMs = usualDelayMs, concurrency = usualConcurrency } = question
  const go = chooseBackend(by)
  const { host, protocol } = parseTarget(url)
  const account = { tenant: workId, isAwaited: true, isInOurName: isOurs(userAgent, by) }
  using turn = await takeTurn({ runId: workId, host, protocol, delayMs, concurrency, ...account, signal })
  state.hasTurn = true
  const came = await go(question, {
    maxBytes: Math.min(question.maxBytes, maxBytes),
    signal,
    onSent: turn.sent,
    onAnswered: turn.answered,
    room,
  })
  turn.ended(room.isWaiting ? null : strainOf(came))
  return came
}

const isOurs = (userAgent: FetchNow['userAgent'], by: FetchNow['by']): boolean =>
  isInOurName({
    ...(userAgent !== undefined && { userAgent }),
    ...(by?.backend === 'proxy' && { proxyPool: by }),
  })

async function fetched(
  ports: Ports,
  { workId, method, tellsDelivery }: FetchNow,
  { fetched: answer, backOffMs }: Exclude<Came, { error: unknown }>,
  signal: AbortSignal,
): Promise<Answered> {
  const { url, status, hops, headers, elapsedMs, moved, costUsd } = answer
  const packed = await packAnswer(ports, answer, `now:${workId}:${randomUUID()}`, signal)
  if (packed === null) return noRoom(hops)
  const { body, picture, encodings, bulkyKey } = packed
  const header: FetchedNow = {
    is: 'fetched',
    url,
    status,
    hops,
    ...toldOf(answer, method),
    ...(backOffMs !== null && { backOffMs }),
    contentType: headers['content-type']?.slice(0, longestField) ?? null,
    robotsHeader: headers['x-robots-tag']?.slice(0, longestField) ?? null,
    headers: {
      ...headersOf(headers, toldHeaders),
      ...(tellsDelivery && headersOf(headers, deliveryHeaders, longestDelivery)),
    },
    elapsedMs,
    encodings,
    bulkyKey,
    ...(picture && { picture: { bulkyKey: picture.bulkyKey } }),
    ...(moved !== undefined && { moved }),
    ...(costUsd !== undefined && { costUsd }),
  }
  return { header, body, ...(picture && { picture: picture.body }) }
}

const noRoom = (hops: Hop[]): Answered => {
  const message = 'There is no room now for a body that is so large.'
  return { header: { is: 'failed', reason: 'no_room', message, hops }, body: nothing }
}

/** What only some answers have: a redirect that was not followed, and HEAD. */
function toldOf({ status, headers }: { status: number; headers: Headers }, method: FetchNow['method']) {
  const location = locationOf(status, headers)
  const length = method === 'HEAD' ? headers['content-length'] : undefined
  return {
    ...(location !== null && { location }),
    ...(length !== undefined && /^\d{1,15}$/.test(length) && { announced: Number(length) }),
  }
}

const failed = ({ code, message, hops }: FetchError, hasTurn = true): Answered => ({
  header: { is: 'failed', reason: code, message, hops, ...(!hasTurn && { isUnasked: true }) },
  body: nothing,
})

export const encodeAnswer = ({ header, body, picture }: Answered): Uint8Array =>
  encodeFrame(header, picture ? [body, picture] : [body])
