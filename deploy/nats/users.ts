/**
 * Lists the rights of each service on streams and notifications of the bus. Each service has one user with its name.
 * The procedures that a service may call and serve come from `contracts/rpc`. The server rejects everything else. Each
 * service also publishes its heartbeat, receives all notifications, and has an inbox of its own.
 */

import type { ServiceName } from '@tidemark/contracts/services'
import { bulky, streams, subjects, tells } from '@tidemark/contracts/subjects'

export type User = {
  /** Subjects of streams that it appends to, and of notifications that it publishes. */
  says?: readonly string[]
  /**
   * Areas that it may call by one pattern, except procedures that exclude it as a caller. A new procedure in such an
   * area needs no new permissions on a running bus.
   */
  callsAreas?: readonly string[]
  /** Streams that it reads in order. */
  reads?: readonly string[]
  /** Streams whose single messages and last sequence it reads. */
  looksInto?: readonly string[]
  /** Streams that it projects to rows. It dead-letters messages that the database rejects. */
  setsAside?: readonly string[]
  /** Work queues whose messages it settles. */
  takes?: readonly string[]
  purges?: readonly string[]
  /** Work queues that it publishes to, and whose numbering it continues if a server has lost it. */
  fills?: readonly string[]
  /** Whether it uses the object store. */
  hasBulky?: boolean
  /** Work queues whose consumers it lists, with the number of messages that wait. */
  measures?: readonly string[]
  /** Whether it reads the last sequence of all streams. */
  lists?: boolean
}

const {
  runs,
  accounts,
  audit,
  served,
  usage,
  monitors,
  exports,
  batches,
  fetch,
  pages,
  outcomes,
  deliveries,
  dead,
} = streams
const everyRun = (facet: string) => `runs.*.*.${facet}`
const projected = tells.projected('*')

export const users: Record<ServiceName, User> = {
  gateway: {
    says: ['served.*', 'audit.*', tells.workDropped, tells.whoIsThere],
    callsAreas: ['ask.accounts', 'ask.usage', 'ask.monitors', 'ask.webhook', 'ask.operator'],
    reads: [runs],
    looksInto: [served, fetch, dead],
    measures: [fetch, pages, outcomes, deliveries],
    hasBulky: true,
    lists: true,
  },
  projector: {
    says: [projected, everyRun('diff'), 'served.*'],
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
    says: ['outcomes.*', everyRun('site'), 'exports.*', 'batches.*', 'served.*'],
    reads: [runs],
    setsAside: [runs],
    looksInto: [runs, exports, batches, served],
    takes: [pages],
    fills: [outcomes],
    purges: [exports, batches],
    hasBulky: true,
  },
  scheduler: {
    says: ['monitors.*'],
    looksInto: [monitors],
  },
  webhook: {
    says: [everyRun('webhook'), 'batches.*.webhook', subjects.deliveries],
    reads: [runs, batches],
    setsAside: [runs, batches],
    looksInto: [runs, batches],
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

/** The user without limits. It declares the streams, and `run.json` contains its URL. */
export const administrator = 'admin'

/** The stream behind the object store. */
export const bulkyStream = `OBJ_${bulky}`
