/**
 * Lists the rights of each service on streams and notifications of the bus. Each service has one user with its name.
 * The procedures that a service may call and serve come from `contracts/rpc`. The server rejects everything else. Each
 * service also publishes its heartbeat, receives all notifications, and has an inbox of its own.
 */

import type { ServiceName } from '@tidemark/contracts/services'
import { bulky, notifications, streams, subjects } from '@tidemark/contracts/subjects'

export type User = {
  /** Subjects of streams that it appends to, and of notifications that it publishes. */
  publishes?: readonly string[]
  /**
   * Areas that it may call by one pattern, except procedures that exclude it as a caller. A new procedure in such an
   * area needs no new permissions on a running bus.
   */
  callsAreas?: readonly string[]
  /** Streams that it reads in order. */
  reads?: readonly string[]
  /** Streams whose single messages and last sequence it reads. */
  readsSingle?: readonly string[]
  /** Streams that it projects to rows. It dead-letters messages that the database rejects. */
  deadLetters?: readonly string[]
  /** Work queues whose messages it settles. */
  consumes?: readonly string[]
  purges?: readonly string[]
  /** Work queues that it publishes to, and whose numbering it continues if a server has lost it. */
  fillsQueues?: readonly string[]
  /** Whether it uses the object store. */
  hasBulky?: boolean
  /** Work queues whose consumers it lists, with the number of messages that wait. */
  measures?: readonly string[]
  /** Whether it reads the last sequence of all streams. */
  listsStreams?: boolean
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
const projected = notifications.projected('*')

export const users: Record<ServiceName, User> = {
  gateway: {
    publishes: ['served.*', 'audit.*', notifications.workDropped, notifications.heartbeatsRequested],
    callsAreas: ['ask.accounts', 'ask.usage', 'ask.monitors', 'ask.webhook', 'ask.operator'],
    reads: [runs],
    readsSingle: [served, fetch, dead],
    measures: [fetch, pages, outcomes, deliveries],
    hasBulky: true,
    listsStreams: true,
  },
  projector: {
    publishes: [projected, everyRun('diff'), 'served.*'],
    reads: [runs, accounts, audit],
    deadLetters: [runs, accounts, audit],
    readsSingle: [runs, accounts, audit],
  },
  'auth-billing': {
    publishes: ['accounts.*', notifications.keysChanged],
    readsSingle: [accounts],
  },
  'crawl-coordinator': {
    publishes: [everyRun('crawl'), 'fetch.*', notifications.runsAwait, notifications.runEnded],
    reads: [runs],
    readsSingle: [runs],
    consumes: [outcomes],
    fillsQueues: [fetch],
    purges: [runs],
  },
  fetcher: {
    publishes: ['pages.*', 'outcomes.*', notifications.hostPaused],
    consumes: [fetch],
    fillsQueues: [pages, outcomes],
    hasBulky: true,
  },
  extractor: {
    publishes: ['outcomes.*', everyRun('site'), 'exports.*', 'batches.*', 'served.*'],
    reads: [runs],
    deadLetters: [runs],
    readsSingle: [runs, exports, batches, served],
    consumes: [pages],
    fillsQueues: [outcomes],
    purges: [exports, batches],
    hasBulky: true,
  },
  scheduler: {
    publishes: ['monitors.*'],
    readsSingle: [monitors],
  },
  webhook: {
    publishes: [everyRun('webhook'), 'batches.*.webhook', subjects.deliveries],
    reads: [runs, batches],
    deadLetters: [runs, batches],
    readsSingle: [runs, batches],
    consumes: [deliveries],
    fillsQueues: [deliveries],
  },
  'usage-ledger': {
    publishes: ['usage.*'],
    reads: [runs, served, usage],
    deadLetters: [runs, served, usage],
    readsSingle: [runs, served, usage],
    purges: [served],
  },
}

/** The user without limits. It declares the streams, and `run.json` contains its URL. */
export const administrator = 'admin'

/** The stream behind the object store. */
export const bulkyStream = `OBJ_${bulky}`
