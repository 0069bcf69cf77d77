/** Records from the events of runs when the texts of their sites may be read, or that these texts are not needed. */
import { jsonParser } from '@tidemark/bus/codec'
import type { StreamMessage } from '@tidemark/bus/read'
import { AnyCommit } from '@tidemark/contracts/commit'
import { RunEvent } from '@tidemark/contracts/run'
import { runOfSubject } from '@tidemark/contracts/subjects'
import type { Projection } from '@tidemark/db/projector'
import { Compile } from 'typebox/compile'
import { siteUpdates } from '../adapters/site-readings.ts'
import { bufferOf } from '../domain/buffer-of.ts'
import { queuedOf, robotsOf } from '../domain/site-reading.ts'

type Updates = ReturnType<typeof siteUpdates>
type Recorded = { runId: number; at: string; trace: string | undefined; event: RunEvent }

const parseCommit = jsonParser(AnyCommit)
const events = Compile(RunEvent)
const names = new Set<string>(['RunQueued', 'RunStarted', 'RobotsRead', 'RunFinished', 'RunDeleted'])
const marks = [...names].map(name => Buffer.from(`"${name}"`))

/** Events after which a site may be read. */
const starts: readonly string[] = ['RunStarted', 'RobotsRead']

/** Records the events of a batch, in order. Returns whether a site may have become due. Throws `Unreadable`. */
export async function recordSites(...[client, messages]: Parameters<Projection['apply']>): Promise<boolean> {
  const updates = siteUpdates(client)
  const records = messages.flatMap(read)
  for (const record of records) await apply(updates, record)
  return records.some(({ event }) => starts.includes(event.type))
}

async function apply(updates: Updates, { runId, at, trace, event }: Recorded): Promise<void> {
  switch (event.type) {
    case 'RunQueued':
      return void (await updates.queued(runId, queuedOf(event.data), trace))
    case 'RunStarted':
      return void (await updates.started(runId))
    case 'RobotsRead':
      return void (await updates.robots(runId, robotsOf(event.data)))
    case 'RunFinished':
      return void (await updates.finished(runId, at))
    case 'RunDeleted':
      return void (await updates.deleted(runId))
  }
}

/** All events of all runs pass through here, so most are judged by their bytes only. */
function read({ data, subject }: StreamMessage): Recorded[] {
  const bytes = bufferOf(data)
  if (!marks.some(mark => bytes.includes(mark))) return []
  const { at, trace, events: all } = parseCommit(data)
  const { runId } = runOfSubject(subject)
  return all.flatMap(event =>
    names.has(event.type) && events.Check(event) ? [{ runId, at, trace, event }] : [],
  )
}
