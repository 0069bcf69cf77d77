/**
 * The rights of each service on streams and notices of the bus, as data: one user per service, with its name. The
 * procedures that a service may call and serve come from `contracts/rpc`. The server refuses everything else. Each
 * service also publishes its heartbeat, receives the notices to all, and has an inbox of its own.
 */

import type { ServiceName } from '@tidemark/contracts/services'
import { bulky, streams, subjects, tells } from '@tidemark/contracts/subjects'

export type User = {
  /** Subjects of streams that it appends to, and of notices that it publishes. */
  says?: readonly string[]
  /**
   * Areas that it may call as one pattern, without the procedures whose callers exclude it. A procedure that joins such
   * an area needs no change to a running bus.
   */
  callsAreas?: readonly string[]
  /** Streams that it reads in order. */
  reads?: readonly string[]
  /** Streams of which it reads single messages and the ends. */
  looksInto?: readonly string[]
  /** Streams that it projects to rows: messages that no database accepts are dead-lettered. */
  setsAside?: readonly string[]
  /** Work queues whose messages it settles. */
  takes?: readonly string[]
  purges?: readonly string[]
  /** Work queues that it fills, and whose numbering it continues if a server has lost it. */
  fills?: readonly string[]
  /** Whether it uses the object store. */
  hasBulky?: boolean
  /** Whether it reads the ends of all streams. */
  lists?: boolean
}

const { runs, accounts, audit, served, usage, monitors, exports, fetch, pages, outcomes, deliveries } =
  streams
const everyRun = (facet: string) => `runs.*.*.${facet}`
const projected = tells.projected('*')

export const users: Record<ServiceName, User> = {
  gateway: {
    says: ['served.*', 'audit.*', tells.workDropped, tells.whoIsThere],
    callsAreas: ['ask.accounts', 'ask.usage', 'ask.monitors', 'ask.webhook'],
    reads: [runs],
    looksInto: [served, fetch],
    hasBulky: true,
    lists: true,
  },
  projector: {
    says: [projected, everyRun('diff')],
    reads: [runs, accounts, audit],
    setsAside: [runs, accounts, audit],
    looksInto: [runs, accounts, audit],
  },
  'auth-billing': {
    says: ['accounts.*', tells.keysChanged],
    looksInto: [accounts],
  },
  'crawl-coordinator': {
    says: [everyRun('crawl'), 'fetch.*', tells.runsAwait, tells.runEnded],
    reads: [runs],
    looksInto: [runs],
    takes: [outcomes],
    fills: [fetch],
    purges: [runs],
  },
  fetcher: {
    says: ['pages.*', 'outcomes.*'],
    takes: [fetch],
    fills: [pages, outcomes],
    hasBulky: true,
  },
  extractor: {
    says: ['outcomes.*', everyRun('site'), 'exports.*'],
    reads: [runs],
    setsAside: [runs],
    looksInto: [runs, exports],
    takes: [pages],
    fills: [outcomes],
    hasBulky: true,
  },
  scheduler: {
    says: ['monitors.*'],
    looksInto: [monitors],
  },
  webhook: {
    says: [everyRun('webhook'), subjects.deliveries],
    reads: [runs],
    setsAside: [runs],
    looksInto: [runs],
    takes: [deliveries],
    fills: [deliveries],
  },
  'usage-ledger': {
    says: ['usage.*'],
    reads: [runs, served, usage],
    setsAside: [runs, served, usage],
    looksInto: [runs, served, usage],
    purges: [served],
  },
}

/** Without limits: declares the streams, and is the user in `run.json`. */
export const administrator = 'admin'

/** The stream behind the object store. */
export const bulkyStream = `OBJ_${bulky}`
