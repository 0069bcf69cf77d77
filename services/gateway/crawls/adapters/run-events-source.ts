/**
 * Reads every commit of a run's crawl from the first one, and continues with new ones. Commits that were moved from the
 * stream to the archive are read from the archive.
 */
import type { Bus } from '@tidemark/bus/connection'
import { readStream, type StreamMessage } from '@tidemark/bus/read'
import type { Archives } from '@tidemark/content/archive'
import { RunEvent } from '@tidemark/contracts/run'
import { streams, subjects } from '@tidemark/contracts/subjects'
import { commitReader, type Report } from '../../read-model/projections/commits.ts'
import { needs, type ShownCommit } from '../domain/run-events/run-event-texts.ts'

export type Sources = { bus: Bus; archives: Pick<Archives, 'read'>; report: Report }
type OnCommit = (commit: ShownCommit) => Promise<void>

/**
 * Runs until the signal aborts or the bus is closed. Throws the errors of `onCommit`, and an error if the stream was
 * replaced.
 */
export async function readRun(
  { bus, archives, report }: Sources,
  runId: number,
  signal: AbortSignal,
  onCommit: OnCommit,
): Promise<void> {
  const subject = subjects.run(runId)
  const read = commitReader<RunEvent>(RunEvent, needs, report)
  const commitOf = (message: StreamMessage, isLast: boolean): ShownCommit => {
    const { sequence, subject, data } = message
    const bytes = data.length
    try {
      const found = [...read([message])]
      const second = Math.floor(Date.parse(found[0]?.at ?? '') / 1000)
      return { sequence, second, bytes, events: found.map(({ event }) => event), isLast }
    } catch (cause) {
      report(new Error(`message ${sequence} on ${subject} cannot be read`, { cause }))
      return { sequence, second: Number.NaN, bytes, events: [], isLast }
    }
  }
  let last: Pick<StreamMessage, 'sequence' | 'pending'> | null = null

  const reading = { stream: streams.runs, filter: subject, from: 1, signal, report }
  await readStream(bus, reading, async messages => {
    for (const message of messages) {
      if (signal.aborted) return
      const commit = commitOf(message, message.pending === 0)
      if (lacksEarlier(message, commit.events)) await fill(message.sequence)
      if (signal.aborted) return
      last = message
      await onCommit(commit)
    }
  })

  /**
   * Returns whether earlier messages are missing. The number of pending messages grows with each append and shrinks by
   * one with each delivery. It shrinks by more only after a purge.
   */
  function lacksEarlier({ pending }: StreamMessage, events: readonly RunEvent[]): boolean {
    return last === null ? !events.some(({ type }) => type === 'RunQueued') : pending < last.pending - 1
  }

  async function fill(before: number): Promise<void> {
    const after = last?.sequence ?? 0
    const archive = await archives.read(runId)
    for (const { facet, sequence, data } of archive?.commits ?? []) {
      if (facet !== 'crawl' || sequence <= after || sequence >= before || signal.aborted) continue
      const message = { subject, sequence, data, headers: undefined, time: new Date(0), pending: 0 }
      await onCommit(commitOf(message, false))
    }
  }
}
