/**
 * Fetches a page for a waiting client, by any backend. The request waits for its host slot and permits like every
 * order. It is aborted when its time passes or the client leaves. The result is only returned to the client, and not
 * stored as an outcome. A body in the object store that the client does not fetch is removed.
 */

import { randomUUID } from 'node:crypto'
import {
  defaultDelayMs,
  deliveryHeaders,
  type FetchedNow,
  type FetchNow,
  type fetchNow,
} from '@tidemark/contracts/rpc/fetch'
import type { ResponseOf } from '@tidemark/contracts/rpc/rpc'
import { reportedHeaders } from '@tidemark/contracts/work/page'
import { FetchError, type Hop } from '@tidemark/http/fetch-error'
import type { Headers } from '@tidemark/http/headers'
import { locationOf } from '@tidemark/http/redirect'
import { parseTarget } from '@tidemark/http/target'
import type { EndedRuns } from '../adapters/ended-runs.ts'
import type { LentBodies } from '../adapters/lent-bodies.ts'
import type { PackBody } from '../adapters/pack-body.ts'
import type { BackendResult } from '../backends/backend.ts'
import type { ChooseBackend } from '../backends/choose.ts'
import { type BodyMemory, openBodyMemory } from '../concurrency/body-memory.ts'
import type { ByteBudget } from '../concurrency/byte-budget.ts'
import { openDeadline } from '../concurrency/deadline.ts'
import type { AcquireSendPermit } from '../concurrency/request-scheduler.ts'
import { headersOf, typeAndRobotsOf } from '../domain/headers-of.ts'
import { isInOurName } from '../domain/own-name.ts'
import { strainOf } from '../domain/strain.ts'
import { tenantOf } from '../domain/tenant.ts'
import { packAnswer } from './pack-answer.ts'

/** The response: `FetchedNow`, the body as the origin sent it, and a picture if there is one. */
type Answered = ResponseOf<typeof fetchNow>

type Ports = {
  chooseBackend: ChooseBackend
  acquireSendPermit: AcquireSendPermit
  packBody: PackBody
  lentBodies: LentBodies
  dropped: Pick<EndedRuns, 'watch'>
  /** The memory budget of large bodies, from the start of reading until the response is returned. */
  reading: ByteBudget
  /** Maximum size of a body in bytes on the wire. */
  maxBytes: number
  /** Aborts requests in flight, a while after the fetcher begins to stop. */
  hardStop: AbortSignal
}

/** Concurrency of requests that set none. */
const defaultConcurrency = 4
/** Maximum characters of a delivery header, such as a policy, which must be readable to its end. */
const maxDelivery = 8192
const nothing = Buffer.alloc(0)

export function answerFetch(ports: Ports): (request: FetchNow) => Promise<Answered> {
  return async request => {
    using dropped = ports.dropped.watch(request.workId)
    using deadline = openDeadline(request.timeoutMs, [dropped.signal, ports.hardStop])
    const { signal } = deadline
    using bodyMemory = openBodyMemory(ports.reading)
    const state = { hasSlot: false }
    try {
      const result = await fetchInSlot(ports, request, bodyMemory, signal, state)
      return 'error' in result ? failed(result.error) : await fetched(ports, request, result, signal)
    } catch (thrown) {
      const error = deadline.isOver ? new FetchError('timeout', { cause: thrown }) : FetchError.from(thrown)
      return failed(error, state.hasSlot)
    }
  }
}

async function fetchInSlot(
  { chooseBackend, acquireSendPermit, maxBytes }: Ports,
  request: FetchNow,
  bodyMemory: BodyMemory,
  signal: AbortSignal,
  state: { hasSlot: boolean },
): Promise<BackendResult> {
  const { workId, runId: backOffRunId, url, by } = request
  const { delayMs = defaultDelayMs, concurrency = defaultConcurrency } = request
  const fetchByBackend = chooseBackend(by)
  const { host, protocol } = parseTarget(url)
  const account = { tenant: tenantOf(request), isAwaited: true, isInOurName: isOurs(request) }
  const limits = { runId: workId, backOffRunId, delayMs, concurrency }
  using permit = await acquireSendPermit({ host, protocol, ...limits, ...account, signal })
  state.hasSlot = true
  const result = await fetchByBackend(request, {
    maxBytes: Math.min(request.maxBytes, maxBytes),
    signal,
    onSent: permit.sent,
    onResponse: permit.responseBegan,
    bodyMemory,
  })
  permit.ended(bodyMemory.isWaiting ? null : strainOf(result))
  return result
}

const isOurs = ({ userAgent, asRun, by }: FetchNow): boolean =>
  isInOurName({
    ...asRun,
    ...(userAgent !== undefined && { userAgent }),
    ...(by?.backend === 'proxy' && { proxyPool: by }),
  })

async function fetched(
  ports: Ports,
  { workId, method, tellsDelivery, cuts, maxBytes }: FetchNow,
  { fetched: answer, backOffMs }: Exclude<BackendResult, { error: unknown }>,
  signal: AbortSignal,
): Promise<Answered> {
  const { url, status, hops, headers, elapsedMs, moved, costUsd, warnings, pictureWarning } = answer
  const packed = await packAnswer(ports, answer, `now:${workId}:${randomUUID()}`, signal)
  if (packed === null) return storeFull(hops)
  const { body, picture, encodings, bulkyKey } = packed
  const header: FetchedNow = {
    is: 'fetched',
    url,
    status,
    hops,
    ...optionalFields(answer, method),
    ...(backOffMs !== null && { backOffMs }),
    ...typeAndRobotsOf(headers),
    headers: {
      ...headersOf(headers, reportedHeaders),
      ...(tellsDelivery && headersOf(headers, deliveryHeaders, maxDelivery)),
    },
    elapsedMs,
    encodings,
    bulkyKey,
    ...(cuts && answer.body.byteLength >= Math.min(maxBytes, ports.maxBytes) && { isCut: true }),
    ...(picture && { picture: { bulkyKey: picture.bulkyKey } }),
    ...(warnings && { warnings: [...warnings] }),
    ...(pictureWarning !== undefined && { pictureWarning }),
    ...(moved !== undefined && { moved }),
    ...(costUsd !== undefined && { costUsd }),
  }
  return { header, blobs: picture ? [body, picture.body] : [body] }
}

const storeFull = (hops: Hop[]): Answered => {
  const message = 'The fetcher has no memory for a body of this size at the moment. Try again shortly.'
  return { header: { is: 'failed', reason: 'no_room', message, hops }, blobs: [nothing] }
}

/** Returns the fields that only some responses have: redirects that were not followed, and responses to HEAD. */
function optionalFields(
  { status, headers }: { status: number; headers: Headers },
  method: FetchNow['method'],
) {
  const location = locationOf(status, headers)
  const length = method === 'HEAD' ? headers['content-length'] : undefined
  return {
    ...(location !== null && { location }),
    ...(length !== undefined && /^\d{1,15}$/.test(length) && { announced: Number(length) }),
  }
}

const failed = ({ code, message, hops }: FetchError, hasSlot = true): Answered => ({
  header: { is: 'failed', reason: code, message, hops, ...(!hasSlot && { isUnasked: true }) },
  blobs: [nothing],
})
