/** Creates the dependencies of run keepers, and releases the slot of a run that has ended. */

import type { Bus } from '@tidemark/bus/connection'
import { call } from '@tidemark/bus/rpc'
import { openArchives } from '@tidemark/content/archive'
import type { RunEnded } from '@tidemark/contracts/notifications'
import type { HoldUnits } from '@tidemark/contracts/rpc/usage'
import * as usageRpc from '@tidemark/contracts/rpc/usage'
import { notifications, streams } from '@tidemark/contracts/subjects'
import type { Database } from '@tidemark/db/database'
import { jetStreamEventStore } from '@tidemark/eventstore/jetstream'
import type { EventStore } from '@tidemark/eventstore/store'
import { openPatternThread } from '@tidemark/url/pattern-thread'
import { type Admissions, admissions } from '../adapters/admissions.ts'
import { archivedStore } from '../adapters/archived-store.ts'
import { basePages } from '../adapters/base-pages.ts'
import { measuredStore } from '../adapters/measured-store.ts'
import { pageIds } from '../adapters/page-ids.ts'
import { validatorsFrom } from '../adapters/revisits.ts'
import { sendOrders } from '../adapters/send-orders.ts'
import { type Sessions, sessions } from '../adapters/sessions.ts'
import { termsBy } from '../adapters/terms.ts'
import { secondsIn } from '../domain/duration.ts'
import { foldRun } from '../handlers/fold-run.ts'
import type { Ports as KeeperPorts } from '../handlers/run-keeper.ts'
import type { Shards } from '../handlers/shards.ts'
import type { StreamMonitor } from '../policies/monitor-stream.ts'
import type { Settings } from '../settings.ts'

export type BaseParts = {
  bus: Bus
  db: Database
  settings: Settings
  stream: StreamMonitor
  signal: AbortSignal
  report: KeeperPorts['report']
}

/** The ports of every keeper. `store` also reads archived runs. */
export type KeeperParts = Omit<KeeperPorts, 'window' | 'ended' | 'unknown' | 'store'> & {
  store: Omit<EventStore, 'load'>
  admissions: Admissions
  released: KeeperPorts['ended']
  keepSessions: Sessions['keep']
}

/** The shared base of the other parts of the service. */
export type CoordinatorParts = BaseParts & KeeperParts & { shards: Shards }

/** Maximum runs that are folded at the same time: after a start, all runs in progress are. */
const foldedAtOnce = 4
const holdMs = 3_000

/** Returns the dependencies of keepers. Adds those that must be closed to `started`. */
export function openKeeperParts(base: BaseParts, started: AsyncDisposableStack): KeeperParts {
  const { bus, db, settings, stream, signal, report } = base
  const events = measuredStore(jetStreamEventStore(bus, streams.runs, stream.appended))
  const store = archivedStore(events, openArchives(db.pool))
  const admitted = admissions(db)
  const folding = fewAtATime(foldedAtOnce)
  const logins = sessions(db.pool)
  return {
    store,
    admissions: admitted,
    fold: (runId: number) => folding(() => foldRun(store, runId)),
    ids: pageIds(db.pool),
    basePages: basePages(store),
    hold: (request: HoldUnits) => call(bus, usageRpc.holdUnits, request, { timeoutMs: holdMs }),
    findTerms: started.use(termsBy(bus)).find,
    send: sendOrders({
      bus,
      addValidators: validatorsFrom({ pool: db.pool, report }),
      findSession: logins.find,
      signal,
      report,
    }),
    keepSessions: logins.keep,
    robotsToken: settings.ROBOTS_TOKEN,
    runLimitMs: secondsIn(settings.RUN_TIME_LIMIT) * 1000,
    trapsOff: new Set(settings.TRAP_RULES_OFF),
    released: release(bus, admitted),
    patterns: started.use(openPatternThread()),
    patternTimeMs: secondsIn(settings.PATTERN_TIME_LIMIT) * 1000,
    report,
  }
}

/** Returns a function that releases a run's slot, and notifies the fetchers if its orders are obsolete. */
const release =
  (bus: Bus, { release }: Admissions): KeeperPorts['ended'] =>
  async (runId, calledOff, doneAt, reopenings) => {
    const mayBeRetried = calledOff === 'until_retry' && ({ mayBeRetried: true } as const)
    const notification: RunEnded = { runId, ...mayBeRetried }
    if (calledOff !== null) bus.nc.publish(notifications.runEnded, JSON.stringify(notification))
    await release(runId, doneAt, reopenings)
  }

/** Limits the concurrency of work that needs much memory, in the order of the calls. */
function fewAtATime(max: number): <T>(work: () => Promise<T>) => Promise<T> {
  const waiting: (() => void)[] = []
  let underWay = 0
  return async work => {
    if (underWay >= max) await new Promise<void>(resolve => waiting.push(resolve))
    else underWay++
    try {
      return await work()
    } finally {
      const next = waiting.shift()
      if (next) next()
      else underWay--
    }
  }
}
