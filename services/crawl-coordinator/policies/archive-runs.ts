/**
 * Moves the events of runs that ended long ago from the stream into the archive. Events are removed from the stream
 * only after the archive has them and all readers have processed them. After a crash everything is repeated.
 */
import type { Archives } from '@tidemark/content/archive'
import type { Archivable } from '../adapters/archivable.ts'
import type { RunStream } from '../adapters/run-stream.ts'

export type Ports = {
  archivable: Archivable
  archives: Pick<Archives, 'read' | 'store'>
  stream: Pick<RunStream, 'end' | 'read' | 'shorten'>
  /** Returns the sequence that all readers have processed, or null while it is unknown. */
  reached: () => Promise<number | null>
  /** Minimum time since the end of a run, in seconds. */
  archiveAfter: number
}

const atOnce = 20

/** Archives some runs. Returns false if none is due, or a reader is behind, which blocks all runs. */
export async function archiveRuns(ports: Ports, signal: AbortSignal): Promise<boolean> {
  const due = await ports.archivable.due(ports.archiveAfter, atOnce)
  for (const runId of due) {
    if (signal.aborted) return true
    if (!(await archive(ports, runId))) return false
  }
  return due.length > 0
}

async function archive(ports: Ports, runId: number): Promise<boolean> {
  const { archivable, archives, stream } = ports
  if (!(await isReadUpTo(ports, await stream.end(runId)))) return false
  const kept = (await archives.read(runId))?.commits ?? []
  const later = await stream.read(runId, kept.at(-1)?.sequence ?? 0)
  const commits = [...kept, ...later]
  const last = commits.at(-1)?.sequence ?? 0
  if (later.length > 0) await archives.store(runId, commits)
  // Check the readers again: a rebuild may have started since. It must find the run complete in the archive or in the
  // stream.
  if (!(await isReadUpTo(ports, last))) return false
  await stream.shorten(runId, last)
  await archivable.archived(runId)
  return true
}

const isReadUpTo = async ({ reached }: Ports, sequence: number): Promise<boolean> =>
  sequence <= ((await reached()) ?? -1)
