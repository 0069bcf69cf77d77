/** Purges the events of a deleted project from streams, after all services have read them. */
import { setTimeout as sleep } from 'node:timers/promises'
import { decodeJson } from '@tidemark/bus/codec'
import type { Bus } from '@tidemark/bus/connection'
import { call } from '@tidemark/bus/rpc'
import { storedMessage } from '@tidemark/bus/stored'
import type { AnyCommit } from '@tidemark/contracts/commit'
import * as runsRpc from '@tidemark/contracts/rpc/runs'
import { type RunsReader, streams, subjects } from '@tidemark/contracts/subjects'
import { presentRows } from '@tidemark/db/outbox-rows'
import { AdminError } from '../admin-error.ts'
import type { OpenInstance } from '../open-instance.ts'
import { lastSequence, replay } from '../rebuild/replay.ts'

const everyCrawl = 'runs.*.*.crawl'
const answerMs = 5_000
const limitMs = 30_000
const pollIntervalMs = 100

/**
 * Waits until the deletions of the project's monitors are published. Each replaces all earlier events of its monitor,
 * except one that a version without this rule published: those are purged.
 */
export async function purgeMonitors({ bus, pool }: OpenInstance, projectId: number): Promise<void> {
  const waiting = await presentRows(pool, 'scheduler')
  const arePublished = async () => (await presentRows(pool, 'scheduler', waiting)).length === 0
  await until('scheduler has published the deletions of the monitors', arePublished)
  await purgeOwned(bus, projectId, {
    stream: streams.monitors,
    created: 'MonitorCreated',
    deleted: 'MonitorDeleted',
    idOf: ({ monitorId }) => monitorId,
    subjectOf: subjects.monitor,
  })
}

/** Purges the project's exports from EXPORTS. The extractor removes those whose rows it has removed. */
export const purgeExports = (bus: Bus, projectId: number): Promise<void> =>
  purgeOwned(bus, projectId, {
    stream: streams.exports,
    created: 'ExportRequested',
    deleted: 'ExportDeleted',
    idOf: ({ exportId }) => exportId,
    subjectOf: subjects.export,
  })

/** Purges the project's batches of scans from BATCHES, except the last event of each. */
export const purgeBatches = (bus: Bus, projectId: number): Promise<void> =>
  purgeOwned(bus, projectId, {
    stream: streams.batches,
    created: 'BatchRequested',
    deleted: 'BatchDeleted',
    idOf: ({ batchId }) => batchId,
    subjectOf: subjects.batch,
  })

/** A stream that has one subject per object of a project. */
type Owned = {
  stream: string
  /** Names of an object's first event, which has the project, and of its last event. */
  created: string
  deleted: string
  idOf: (data: Created) => unknown
  subjectOf: (id: number) => string
}
type Created = { projectId?: unknown; monitorId?: unknown; exportId?: unknown; batchId?: unknown }

async function purgeOwned(bus: Bus, projectId: number, owned: Owned): Promise<void> {
  const { stream, subjectOf } = owned
  for (const id of await idsOf(bus, projectId, owned)) {
    const filter = subjectOf(id)
    await until(`the end of ${filter} is published`, () => isDeleted(bus, filter, owned))
    await bus.jsm.streams.purge(stream, { filter, keep: 1 })
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

/** Returns the ids whose first event still exists. */
async function idsOf(bus: Bus, projectId: number, { stream, created, idOf }: Owned): Promise<Set<number>> {
  const filter = `${stream.toLowerCase()}.*`
  const to = await lastSequence(bus, stream, filter)
  const found = new Set<number>()
  await replay(bus, { stream, filter, to }, async messages => {
    for (const { type, data } of messages.flatMap(message => eventsOf(message.data))) {
      const first = data as Created
      if (type === created && first.projectId === projectId) found.add(Number(idOf(first)))
    }
  })
  return found
}

async function isDeleted(bus: Bus, subject: string, { stream, deleted }: Owned): Promise<boolean> {
  const last = await storedMessage(bus, stream, { last_by_subj: subject })
  // If the subject has no events, it was purged in the meantime.
  return last === null || eventsOf(last.data).some(({ type }) => type === deleted)
}

const eventsOf = (data: Uint8Array) => (decodeJson(data) as AnyCommit).events

async function until(what: string, holds: () => Promise<boolean>): Promise<void> {
  for (const limit = performance.now() + limitMs; !(await holds()); await sleep(pollIntervalMs)) {
    if (performance.now() > limit)
      throw new AdminError(
        `Timed out while waiting until ${what}. See the logs, then run this command again.`,
      )
  }
}
