/**
 * Reserves and bills the units of synchronous requests. Units are reserved before any work, so no cap is exceeded. The
 * used units are stored in SERVED before the response, so every response is billed exactly once.
 */
import { knownCause } from '@tidemark/bus/cause'
import { encodeJson } from '@tidemark/bus/codec'
import type { Bus } from '@tidemark/bus/connection'
import { persistently } from '@tidemark/bus/link'
import { publish } from '@tidemark/bus/publish'
import { awayBecause, Refusal } from '@tidemark/bus/refusal'
import { whileAnswering } from '@tidemark/bus/requests/pulse'
import { call, sendWithoutResponse } from '@tidemark/bus/rpc'
import { currentTraceparent } from '@tidemark/bus/trace'
import { hasNoLimit } from '@tidemark/contracts/limits'
import type { Operation } from '@tidemark/contracts/prices'
import type { ReserveUnits, ReserveUnitsResponse } from '@tidemark/contracts/rpc/usage'
import * as usageRpc from '@tidemark/contracts/rpc/usage'
import { nameOfPart } from '@tidemark/contracts/served'
import { streams, subjects } from '@tidemark/contracts/subjects'
import type { UnitKind } from '@tidemark/contracts/usage'
import { ApiProblem } from '../../http/domain/problem.ts'
import { commitOf, limitsFor, type Payer, refusalOf, type Served } from '../domain/metering.ts'

export type { Payer } from '../domain/metering.ts'

/** A request for units. With `orNone` the caller can work without units, and zero granted units cause no error. */
export type Wanted = { requestId: string; part?: number; kind: UnitKind; units: number; orNone?: true }
/**
 * A request that failed with `error`. `also`: further operations that failed with it, for attempts of another kind of
 * unit.
 */
export type Failed = {
  requestId: string
  operation: Operation
  what: string
  error: unknown
  also?: readonly Operation[]
}
/**
 * The granted units. `held` is the number of further units that would be granted without the reservations of others;
 * absent: 0.
 */
export type Granted = Pick<ReserveUnitsResponse, 'granted' | 'reason' | 'held'>

export type Metering = {
  /**
   * Reserves units; call it before any work. Fewer units than wanted may be granted, with the cap that is the reason. A
   * caller that got all of them may request more under the same name, and receives the new total. Throws ApiProblem:
   * `too_many_requests` if nothing is granted, `unavailable` if the request cannot be billed now.
   */
  reserve(payer: Payer, wanted: Wanted): Promise<Granted>
  /**
   * Bills a request; call it after the work and before the response. Resolves when the units are stored. A request that
   * costs nothing may pass no units. Throws ApiProblem `unavailable`: then no response may be sent.
   */
  served(payer: Pick<Payer, 'projectId'>, done: Served): Promise<void>
  /**
   * Call it instead of `served` for a failed request that costs nothing. It releases the reservation at once, and
   * records the failure in the ledger without waiting; only this record can be lost. A request that a service rejected as
   * unprocessable has attempted nothing, so it is no failure and has no record. Never throws.
   */
  failed(payer: Payer, done: Failed): void
  /** Call it instead of `served` for a request without anything to report. Never throws. */
  release(payer: Pick<Payer, 'projectId'>, requestId: string): void
}

/** Codes of errors of services that have not begun the work or are unavailable. They are not faults of the project. */
const beforeAttempts: ReadonlySet<string> = new Set([
  ...['too_many_requests', 'not_configured', 'not_ready', 'unavailable'],
])

/** Returns whether a service refused the work before it began, or is unavailable. */
export const hasNotBegun = (error: unknown): boolean =>
  (error instanceof ApiProblem || error instanceof Refusal) && beforeAttempts.has(error.code)

/** Returns whether a service rejected the fields of the request (422), which it does before any attempt. */
const isUnprocessable = (error: unknown): boolean =>
  error instanceof Refusal && error.code === 'invalid_input' && error.status === 422

const reserveMs = 3_000
/** Timeout of one attempt in ms. With six attempts the response waits for at most half a minute. */
const publishMs = 1_500
const readLimitMs = 1_000
const cachedMs = 1_000
/** Share of the stream's size that is reserved for requests in progress. */
const spare = 0.01

/**
 * Opens the metering.
 * @param now milliseconds since 1970: the time of the commit determines the day of the bill
 */
export function openMetering(bus: Bus, now: () => number = Date.now): Metering {
  const assertCapacity = oncePerSecond(() => checkCapacity(bus))

  const metering: Metering = {
    async reserve(payer, { kind, units, orNone, ...named }) {
      const { projectId } = payer
      const limits = limitsFor(payer, kind)
      if (hasNoLimit(limits)) {
        await assertCapacity()
        return { granted: units, reason: null }
      }
      const requestId = nameOfPart(named)
      const request = { projectId, requestId, kind, units, limits }
      const [answer] = await Promise.all([reserveUnits(bus, request), assertCapacity()]).catch(error => {
        // Units may have been granted nevertheless, and are not needed.
        metering.release(payer, requestId)
        throw error
      })
      if (answer.granted === 0 && !orNone) throw refusalOf(payer, answer)
      const { granted, reason, held } = answer
      return { granted, reason, ...(held !== undefined && { held }) }
    },

    async served(payer, done) {
      await store(payer, done).catch(unavailable)
    },

    failed(payer, { requestId, operation, what, error, also = [] }) {
      metering.release(payer, requestId)
      if (isUnprocessable(error)) return
      const tried = [operation, ...also].map(as => ({ what, ending: 'failed' as const, as }))
      store(payer, { requestId, operation, tried, isUncounted: hasNotBegun(error) }).catch(() => {})
    },

    release({ projectId }, requestId) {
      try {
        sendWithoutResponse(bus, usageRpc.unitsReleased, { projectId, requestId })
      } catch {
        // The reservation expires by itself.
      }
    },
  }
  return metering

  async function store(payer: Pick<Payer, 'projectId'>, done: Served): Promise<void> {
    const commit = commitOf(payer, done, new Date(now()).toISOString(), currentTraceparent())
    const options = { id: nameOfPart(done), timeoutMs: publishMs }
    await publish(bus, subjects.served(payer.projectId), encodeJson(commit), options)
  }
}

const reserveUnits = (bus: Bus, request: ReserveUnits): Promise<ReserveUnitsResponse> =>
  call(bus, usageRpc.reserveUnits, request, { timeoutMs: reserveMs })

/** Throws ApiProblem if SERVED would not accept the units of this work. */
async function checkCapacity(bus: Bus): Promise<void> {
  const look = () => whileAnswering(bus.nc, () => bus.jsm.streams.info(streams.served))
  const { state, config } = await persistently(bus.nc, readLimitMs, look).catch(unavailable)
  const { max_bytes } = config
  // -1 means that there is no limit.
  if (max_bytes > 0 && state.bytes > max_bytes * (1 - spare)) throw new ApiProblem('unavailable')
}

function unavailable(error: unknown): never {
  const cause = knownCause(error)
  throw new ApiProblem('unavailable', { cause: error, ...(cause && { message: awayBecause(cause) }) })
}

/** Returns a function that calls `check` at most once a second, for any number of callers. */
function oncePerSecond(check: () => Promise<void>): () => Promise<void> {
  let last: { found: Promise<void>; until: number } | null = null
  return () => {
    const at = performance.now()
    if (last === null || last.until <= at) last = { found: check(), until: at + cachedMs }
    return last.found
  }
}
