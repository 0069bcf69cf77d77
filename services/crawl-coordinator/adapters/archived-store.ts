/** Extends an event store for archived runs: a run is read from the archive first, then from its stream. */
import { decodeJson } from '@tidemark/bus/codec'
import type { ArchivedRun, Archives } from '@tidemark/content/archive'
import type { RunCommit } from '@tidemark/contracts/run'
import { runOfSubject } from '@tidemark/contracts/subjects'
import type { EventStore, Stored } from '@tidemark/eventstore/store'
import { eventsOf } from '../domain/events-of.ts'

/** Number of commits of an archive in one batch. */
const atOnce = 500

export function archivedStore(store: EventStore, archives: Pick<Archives, 'read'>): EventStore {
  async function read<Commit>(subject: string, take: (commits: Stored<Commit>[]) => Promise<void>) {
    let isWhole: boolean | null = null
    /** The stream has only the last commits of a truncated run. */
    const kept: Stored<Commit>[] = []
    const version = await store.read<Commit>(subject, async commits => {
      isWhole ??= hasBegun(commits[0])
      if (isWhole) await take(commits)
      else kept.push(...commits)
    })
    if (kept.length === 0) return version
    const { runId, facet } = runOfSubject(subject)
    const archive = isDeleted(kept.at(-1)) ? null : await archives.read(runId)
    if (archive !== null) await readArchived(archive, facet, take)
    await take(kept.filter(({ sequence }) => sequence > (archive?.lastSequence ?? 0)))
    return version
  }

  return {
    ...store,
    read,
    async load<Commit>(subject: string, after = 0) {
      if (after > 0) return store.load<Commit>(subject, after)
      const commits: Stored<Commit>[] = []
      const version = await read<Commit>(subject, async some => {
        for (const commit of some) commits.push(commit)
      })
      return { version, commits }
    },
  }
}

async function readArchived<Commit>(
  { commits }: ArchivedRun,
  facet: string,
  take: (commits: Stored<Commit>[]) => Promise<void>,
): Promise<void> {
  const ofFacet = commits.filter(commit => commit.facet === facet)
  for (let at = 0; at < ofFacet.length; at += atOnce) {
    const some = ofFacet.slice(at, at + atOnce)
    await take(some.map(({ sequence, data }) => ({ sequence, commit: decodeJson(data) as Commit })))
  }
}

/**
 * Returns whether a commit is the first of its run. Otherwise the first ones are archived, or deleted with the run.
 */
const hasBegun = (stored: Stored<unknown> | undefined): boolean => tells(stored, 'RunQueued')
const isDeleted = (stored: Stored<unknown> | undefined): boolean => tells(stored, 'RunDeleted')

const tells = (stored: Stored<unknown> | undefined, type: RunCommit['events'][number]['type']): boolean =>
  stored !== undefined && eventsOf(stored.commit as RunCommit).some(event => event.type === type)
