/**
 * Who may say and hear what on the bus, as data: one user a service, named as the service is. What is not here is
 * refused by the server. Beside it each has its heartbeat, hears what is told to all, and has an inbox that nobody
 * else can listen to.
 */

import type { ServiceName } from '@tidemark/contracts/services'
import { asks, bulky, streams, subjects, tells } from '@tidemark/contracts/subjects'

export type User = {
  /** Subjects of streams that it appends to, and tells. */
  says?: readonly string[]
  asks?: readonly string[]
  /** Of what it asks by a wildcard: what only an administrator does. */
  neverAsks?: readonly string[]
  answers?: readonly string[]
  /** Streams that it reads in order. */
  reads?: readonly string[]
  /** Streams of which it gets single messages, and which end they have. */
  looksInto?: readonly string[]
  /** Streams that it turns into rows: what no database takes of them is kept among the dead. */
  setsAside?: readonly string[]
  /** Work queues whose messages it settles. */
  takes?: readonly string[]
  purges?: readonly string[]
  /** Work queues that it fills, and numbers on where a server has forgotten their numbers. */
  fills?: readonly string[]
  /** Whether it uses the object store. */
  hasBulky?: boolean
  /** Whether it looks at the ends of all streams. */
  lists?: boolean
}

const { runs, accounts, audit, served, usage, monitors, fetch, pages, outcomes, deliveries } = streams
const everyRun = (facet: string) => `runs.*.*.${facet}`
const projected = tells.projected('*')

export const users: Record<ServiceName, User> = {
  gateway: {
    says: ['served.*', 'audit.*', tells.unitsReleased, tells.workDropped, tells.keysUsed, tells.whoIsThere],
    asks: [
      'ask.runs.*',
      'ask.accounts.*',
      'ask.usage.*',
      'ask.monitors.*',
      'ask.content.*',
      'ask.webhook.*',
      'ask.cloud.*',
      'ask.actors.*',
      asks.searchWeb,
      asks.cloudState,
      asks.mapSite,
      asks.robotsPolicy,
    ],
    neverAsks: [
      asks.createProject,
      asks.setProject,
      asks.createKey,
      asks.setKey,
      asks.resendMails,
      asks.holdUnits,
      asks.closeAccount,
      asks.forgetMonitors,
      asks.forgetSecrets,
      asks.keptRuns,
    ],
    reads: [runs],
    looksInto: [served, fetch],
    hasBulky: true,
    lists: true,
  },
  projector: {
    says: [projected, everyRun('diff')],
    answers: [asks.reached('projector'), asks.forgetCalls],
    reads: [runs, accounts, audit],
    setsAside: [runs, accounts, audit],
    looksInto: [runs, accounts, audit],
  },
  'auth-billing': {
    says: ['accounts.*', tells.keysChanged],
    answers: ['ask.accounts.*'],
    looksInto: [accounts],
  },
  'crawl-coordinator': {
    says: [everyRun('crawl'), 'fetch.*', tells.runsAwait, tells.runEnded],
    asks: [asks.holdUnits, asks.readTerms, asks.keptRuns, 'ask.reached.*'],
    answers: ['ask.runs.*'],
    reads: [runs],
    looksInto: [runs],
    takes: [outcomes],
    fills: [fetch],
    purges: [runs],
  },
  fetcher: {
    says: ['pages.*', 'outcomes.*'],
    answers: ['ask.fetch.*'],
    takes: [fetch],
    fills: [pages, outcomes],
    hasBulky: true,
  },
  extractor: {
    says: ['outcomes.*', everyRun('site')],
    asks: [asks.fetchNow, asks.renderNow, asks.cloudState],
    answers: [
      'ask.content.*',
      'ask.cloud.*',
      'ask.actors.*',
      asks.mapSite,
      asks.robotsPolicy,
      asks.reached('content'),
    ],
    reads: [runs],
    setsAside: [runs],
    looksInto: [runs],
    takes: [pages],
    fills: [outcomes],
    hasBulky: true,
  },
  scheduler: {
    says: ['monitors.*'],
    asks: [asks.startRun, asks.isRunActive],
    answers: ['ask.monitors.*'],
    looksInto: [monitors],
  },
  webhook: {
    says: [everyRun('webhook'), subjects.deliveries],
    answers: ['ask.webhook.*', asks.reached('webhook')],
    reads: [runs],
    setsAside: [runs],
    looksInto: [runs],
    takes: [deliveries],
    fills: [deliveries],
  },
  'usage-ledger': {
    says: ['usage.*'],
    answers: ['ask.usage.*', asks.reached('ledger')],
    reads: [runs, served, usage],
    setsAside: [runs, served, usage],
    looksInto: [runs, served, usage],
    purges: [served],
  },
}

/** Has no limits: declares the streams, and is who `run.json` names. */
export const administrator = 'admin'

/** The stream behind the object store. */
export const bulkyStream = `OBJ_${bulky}`
