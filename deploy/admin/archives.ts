/**
 * Replays RUNS as it was before the oldest runs moved to the archive: first the archive, then the messages of the
 * stream that are not archived. The messages of one run keep their order.
 */
import type { StreamMessage } from '@tidemark/bus/read'
import { storedMessage } from '@tidemark/bus/stored'
import { type ArchivedRun, readArchives } from '@tidemark/content/archive'
import { type Facet, runOfSubject, streams, subjects } from '@tidemark/contracts/subjects'
import { AdminError } from './admin-error.ts'
import type { OpenInstance } from './open-instance.ts'
import { replay, type StreamRange } from './rebuild/replay.ts'

type Apply = (messages: StreamMessage[]) => Promise<void>

const runsAtOnce = 20
const messagesAtOnce = 500

/**
 * Replays a stream from its beginning, archived runs included. The caller keeps runs from moving to the archive meanwhile
 * (`backup/locks.ts`). Throws AdminError if one has moved, and the errors of `apply`.
 */
export async function replayAll(
  instance: Pick<OpenInstance, 'bus' | 'pool'>,
  range: Omit<StreamRange, 'from'>,
  apply: Apply,
): Promise<void> {
  if (range.stream !== streams.runs) return replay(instance.bus, range, apply)
  const archived = await replayArchives(instance.pool, range, apply)
  await replay(instance.bus, range, async messages => {
    const others = messages.filter(({ subject, sequence }) => {
      return sequence > (archived.get(runOfSubject(subject).runId) ?? 0)
    })
    if (others.length > 0) await apply(others)
  })
  await refuseLosses(instance, archived)
}

/** Returns the last archived sequence of each archived run. */
async function replayArchives(
  pool: OpenInstance['pool'],
  { filter, to }: Omit<StreamRange, 'from'>,
  apply: Apply,
): Promise<Map<number, number>> {
  const archived = new Map<number, number>()
  const facet = filter.split('.').at(-1) ?? '*'
  for (let after = 0; ; ) {
    const runs = await readArchives(pool, after, runsAtOnce)
    const messages = runs.flatMap(run => messagesOf(run, facet)).filter(({ sequence }) => sequence <= to)
    for (let at = 0; at < messages.length; at += messagesAtOnce)
      await apply(messages.slice(at, at + messagesAtOnce))
    for (const { runId, lastSequence } of runs) archived.set(runId, lastSequence)
    after = runs.at(-1)?.runId ?? after
    if (runs.length < runsAtOnce) return archived
  }
}

/** Returns archived commits as messages of the stream. */
const messagesOf = ({ runId, commits }: ArchivedRun, facet: string): StreamMessage[] =>
  commits
    .filter(commit => facet === '*' || commit.facet === facet)
    .map(({ facet, sequence, data }) => ({
      subject: subjects.run(runId, facet as Facet),
      sequence,
      data,
      headers: undefined,
      time: new Date(0),
      pending: 0,
    }))

/** Throws AdminError for a run that left the stream unread. A run whose first event is still there is complete. */
async function refuseLosses(
  { bus, pool }: Pick<OpenInstance, 'bus' | 'pool'>,
  archived: ReadonlyMap<number, number>,
): Promise<void> {
  const { rows } = await pool.query<{ run_id: number; first_seq: number; last_seq: number }>(
    'select run_id, first_seq, last_seq from content.archive',
  )
  for (const { run_id, first_seq, last_seq } of rows) {
    if (archived.get(run_id) === last_seq) continue
    const first = await storedMessage(bus, streams.runs, { seq: first_seq }).catch(() => null)
    if (first === null)
      throw new AdminError(`Run ${run_id} was archived while it was read. Run this command again.`)
  }
}
