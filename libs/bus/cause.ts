/** Which of the named causes stands behind an error of NATS, of Postgres or of the store of bodies. */
import { JetStreamApiError } from '@nats-io/jetstream'
import type { Cause } from '@tidemark/contracts/health'
import { isUnheard, saysNoLeader } from './leader.ts'

/** By the server's own numbers (err_code of JetStream). */
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

/** By SQLSTATE, or the code of a socket. */
const ofPostgres: [RegExp, Cause][] = [
  [/^(53100|ENOSPC)$/, 'disk_full'],
  [/^25006$/, 'database_read_only'],
  [
    /^(08...|57P0.|53300|ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT|ENOENT|ENOTFOUND|EHOSTUNREACH)$/,
    'database_away',
  ],
]

/** What `pg` says of a connection that broke, where it gives no code. */
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

/** The cause behind it, or behind what it names as its cause; `otherwise` where none is known. */
export const causeOf = (error: unknown, otherwise: Cause): Cause => knownCause(error) ?? otherwise

/** The same; null where none is known. */
export function knownCause(error: unknown): Cause | null {
  let isQuestion = false
  for (let at = error, depth = 0; at instanceof Error && depth < maxDepth; at = innerOf(at), depth++) {
    if (ofStrangers.has(at.name)) return null
    // A question that nobody has answered says nothing of streams.
    isQuestion ||= at.name === 'Refusal'
    if (!isQuestion && (isUnheard(at) || saysNoLeader(at))) return 'jetstream_away'
    const found = ownCause(at)
    if (found !== undefined) return found
  }
  return null
}

/** Of other people's sites, whose sockets break as well. */
const ofStrangers: ReadonlySet<string> = new Set(['FetchError'])
const maxDepth = 5
/** A disk that is full is told under the number of a stream that is. */
const noSpace = /no space left|insufficient (storage|resources)/i

const innerOf = (error: Error): unknown => (error instanceof AggregateError ? error.errors[0] : error.cause)

function ownCause(error: Error): Cause | undefined {
  if (error instanceof JetStreamApiError)
    return noSpace.test(error.message) ? 'storage_full' : ofJetStream[error.code]
  const code = String(Reflect.get(error, 'code') ?? '')
  const ofCode = ofPostgres.find(([codes]) => codes.test(code))?.[1]
  return ofCode ?? ofNames[error.name] ?? (databaseBroke.test(error.message) ? 'database_away' : undefined)
}
