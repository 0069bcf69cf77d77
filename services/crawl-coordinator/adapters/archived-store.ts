/** Extends the reads of an event store to archived runs: a run is read from the archive first, then from its stream. */
import { decodeJson } from '@tidemark/bus/codec'
import type { ArchivedRun, Archives } from '@tidemark/content/archive'
import type { RunCommit } from '@tidemark/contracts/run'
import { runOfSubject } from '@tidemark/contracts/subjects'
import type { EventStore, Stored } from '@tidemark/eventstore/store'
import { eventsOf } from '../domain/events-of.ts'
import { statusOf } from '../handlers/last-commit.ts'

/** Number of commits of an archive in one batch. */
const atOnce = 500

/**
 * Returns the extended store. A run that is archived while it is read is delivered completely. The archive is complete
 * before the stream loses the first commit, so the archive is searched after the stream has delivered a batch.
 */
export function archivedStore(
  { last, append, read: readStream }: EventStore,
  archives: Pick<Archives, 'read'>,
): Omit<EventStore, 'load'> {
  function read<Commit>(subject: string, take: (commits: Stored<Commit>[]) => Promise<void>) {
    const { runId, facet } = runOfSubject(subject)
    /** All commits up to this sequence are delivered. */
    let taken = 0
    return readStream<Commit>(subject, async commits => {
      const isNext = facet === 'crawl' && isWhole(commits, taken)
      const archive = isNext ? null : await archives.read(runId, taken)
      if (archive !== null) {
        await readArchived(archive, { facet, after: taken }, take)
        taken = archive.lastSequence
      }
      const later = commits.filter(({ sequence }) => sequence > taken)
      if (later.length > 0) await take(later)
      taken = later.at(-1)?.sequence ?? taken
    })
  }

  return { last, append, read }
}

async function readArchived<Commit>(
  { commits }: ArchivedRun,
  { facet, after }: { facet: string; after: number },
  take: (commits: Stored<Commit>[]) => Promise<void>,
): Promise<void> {
  const wanted = commits.filter(commit => commit.facet === facet && commit.sequence > after)
  for (let at = 0; at < wanted.length; at += atOnce) {
    const some = wanted.slice(at, at + atOnce)
    await take(some.map(({ sequence, data }) => ({ sequence, commit: decodeJson(data) as Commit })))
  }
}

/**
 * Returns whether the archive is not needed: no commits of the crawl are missing before these, or the run is deleted. A
 * run is archived only after its end, and the stream keeps the last commit, which contains the end.
 */
function isWhole(commits: readonly Stored<unknown>[], taken: number): boolean {
  const [first, last] = [commits[0], commits.at(-1)] as Stored<RunCommit>[]
  if (first === undefined || last === undefined) return true
  const status = statusOf(last.commit)
  const hasBegun = taken > 0 || eventsOf(first.commit).some(({ type }) => type === 'RunQueued')
  return status === 'deleted' || (hasBegun && (status === 'queued' || status === 'running'))
}
