/** Purges the events of a deleted project from streams, after all services have read them. */
import { setTimeout as sleep } from 'node:timers/promises'
import { decodeJson } from '@tidemark/bus/codec'
import type { Bus } from '@tidemark/bus/connection'
import { call } from '@tidemark/bus/rpc'
import { storedMessage } from '@tidemark/bus/stored'
import type { MonitorCommit } from '@tidemark/contracts/monitor'
import * as runsRpc from '@tidemark/contracts/rpc/runs'
import { type RunsReader, streams, subjects } from '@tidemark/contracts/subjects'
import { AdminError } from '../admin-error.ts'
import { lastSequence, replay } from '../rebuild/replay.ts'

const everyMonitor = 'monitors.*'
const everyCrawl = 'runs.*.*.crawl'
const answerMs = 5_000
const limitMs = 30_000
const lookMs = 100

/**
 * Purges the project's monitors from MONITORS, except the last event of each, `MonitorDeleted`, which rejects late
 * writes.
 */
export async function purgeMonitors(bus: Bus, projectId: number): Promise<void> {
  for (const monitorId of await monitorsOf(bus, projectId)) {
    const filter = subjects.monitor(monitorId)
    await until(`the end of monitor ${monitorId} is published`, () => isDeleted(bus, filter))
    await bus.jsm.streams.purge(streams.monitors, { filter, keep: 1 })
  }
}

/** Purges the project's calls from AUDIT. */
export async function purgeCalls(bus: Bus, projectId: number): Promise<void> {
  await bus.jsm.streams.purge(streams.audit, { filter: subjects.audit(projectId) })
}

/** Waits until a reader of RUNS has read all current messages. Throws AdminError after the limit. */
export async function untilRead(bus: Bus, reader: RunsReader): Promise<void> {
  const sequence = await lastSequence(bus, streams.runs, everyCrawl)
  await until(`${reader} has read that the runs are deleted`, async () => {
    const reached = await call(bus, runsRpc.reached[reader], null, { timeoutMs: answerMs })
    return reached.sequence >= sequence
  })
}

/** Returns the project's monitors whose first event still exists. */
async function monitorsOf(bus: Bus, projectId: number): Promise<Set<number>> {
  const to = await lastSequence(bus, streams.monitors, everyMonitor)
  const found = new Set<number>()
  await replay(bus, { stream: streams.monitors, filter: everyMonitor, to }, async messages => {
    for (const { type, data } of messages.flatMap(message => eventsOf(message.data)))
      if (type === 'MonitorCreated' && data.projectId === projectId) found.add(data.monitorId)
  })
  return found
}

async function isDeleted(bus: Bus, subject: string): Promise<boolean> {
  const last = await storedMessage(bus, streams.monitors, { last_by_subj: subject })
  return last !== null && eventsOf(last.data).some(({ type }) => type === 'MonitorDeleted')
}

const eventsOf = (data: Uint8Array) => (decodeJson(data) as MonitorCommit).events

async function until(what: string, holds: () => Promise<boolean>): Promise<void> {
  for (const limit = performance.now() + limitMs; !(await holds()); await sleep(lookMs)) {
    if (performance.now() > limit)
      throw new AdminError(
        `Timed out while waiting until ${what}. See the logs, then run this command again.`,
      )
  }
}
