/** Maps errors of NATS, Postgres and the store of bodies to named causes. */
import { JetStreamApiError } from '@nats-io/jetstream'
import type { Cause } from '@tidemark/contracts/health'
import { gotNoResponse, isNoLeaderError } from './leader.ts'
import { isHeldUp } from './stall.ts'

/** Causes by the server's error number (err_code of JetStream). */
const ofJetStream: Record<number, Cause> = {
  10014: 'consumer_gone',
  10077: 'stream_full',
  10002: 'storage_full',
  10023: 'storage_full',
  10047: 'storage_full',
  10008: 'jetstream_away',
  10039: 'jetstream_away',
  10076: 'jetstream_away',
  10059: 'jetstream_away',
}

/** Causes by SQLSTATE, or by the error code of a socket. */
const ofPostgres: [RegExp, Cause][] = [
  [/^(53100|ENOSPC)$/, 'disk_full'],
  [/^25006$/, 'database_read_only'],
  [
    /^(08...|57P0.|53300|ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT|ENOENT|ENOTFOUND|EHOSTUNREACH)$/,
    'database_away',
  ],
]

/** Messages of `pg` about a broken connection that has no code. */
const databaseBroke =
  /Connection terminated|timeout exceeded when trying to connect|Query read timeout|Client has encountered a connection error/

const ofNames: Record<string, Cause> = {
  JetStreamNotEnabled: 'jetstream_away',
  ConnectionLost: 'nats_away',
  ClosedConnectionError: 'nats_away',
  Undecided: 'jetstream_away',
  ReadStalled: 'jetstream_away',
  FellSilent: 'jetstream_away',
  BodiesAway: 'bodies_away',
}

/** Returns the message of an error, or the text of another thrown value. */
export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

/** Returns the cause of the error or of its `cause` chain; `otherwise` if it is unknown. */
export const causeOf = (error: unknown, otherwise: Cause): Cause => knownCause(error) ?? otherwise

/**
 * Returns the cause like `causeOf`, or null if it is unknown. A timeout while this process was stalled gives
 * `event_loop_stalled`, because it says nothing about a server.
 */
export function knownCause(error: unknown): Cause | null {
  const cause = namedCause(error)
  const isLate = cause !== null && awayCauses.has(cause) && isTimeout(error)
  return isLate && isHeldUp() ? 'event_loop_stalled' : cause
}

const awayCauses: ReadonlySet<Cause> = new Set<Cause>([
  'database_away',
  'nats_away',
  'jetstream_away',
  'bodies_away',
])

/** Messages and names of timeouts on our side, not of the server. */
const late = /timeout|timed out|no response/i
const lateNames: ReadonlySet<string> = new Set([
  'TimeoutError',
  'ConnectionLost',
  'Undecided',
  'ReadStalled',
  'FellSilent',
])

function isTimeout(error: unknown): boolean {
  for (let at = error, depth = 0; at instanceof Error && depth < maxDepth; at = innerOf(at), depth++) {
    if (Reflect.get(at, 'code') === 'ETIMEDOUT' || lateNames.has(at.name) || late.test(at.message))
      return true
  }
  return false
}

function namedCause(error: unknown): Cause | null {
  let isRequest = false
  for (let at = error, depth = 0; at instanceof Error && depth < maxDepth; at = innerOf(at), depth++) {
    if (externalErrors.has(at.name)) return null
    // A request without a response says nothing about streams.
    isRequest ||= at.name === 'Refusal'
    if (!isRequest && (gotNoResponse(at) || isNoLeaderError(at))) return 'jetstream_away'
    const found = ownCause(at)
    if (found !== undefined) return found
  }
  return null
}

/** Errors of external sites, whose sockets break as well. */
const externalErrors: ReadonlySet<string> = new Set(['FetchError'])
const maxDepth = 5
/** The server reports a full disk under the number of a full stream. */
const noSpace = /no space left|insufficient (storage|resources)/i

const innerOf = (error: Error): unknown => (error instanceof AggregateError ? error.errors[0] : error.cause)

function ownCause(error: Error): Cause | undefined {
  if (error instanceof JetStreamApiError)
    return noSpace.test(error.message) ? 'storage_full' : ofJetStream[error.code]
  const code = String(Reflect.get(error, 'code') ?? '')
  const ofCode = ofPostgres.find(([codes]) => codes.test(code))?.[1]
  return ofCode ?? ofNames[error.name] ?? (databaseBroke.test(error.message) ? 'database_away' : undefined)
}
