/** The event store of runs whose older events may lie in the archive: a run is read from there, then from its stream. */
import { decodeJson } from '@tidemark/bus/codec'
import type { Archives } from '@tidemark/content/archive'
import type { RunCommit } from '@tidemark/contracts/run'
import { runOfSubject } from '@tidemark/contracts/subjects'
import type { EventStore, Loaded, Stored } from '@tidemark/eventstore/store'

export function archivedStore(store: EventStore, archives: Pick<Archives, 'read'>): EventStore {
  return {
    ...store,
    async load<Commit>(subject: string, after = 0): Promise<Loaded<Commit>> {
      const loaded = await store.load<Commit>(subject, after)
      if (after > 0 || !isCut(loaded.commits as Stored<unknown>[] as Stored<RunCommit>[])) return loaded
      const { runId, facet } = runOfSubject(subject)
      const archive = await archives.read(runId)
      if (archive === null) return loaded
      const archived = archive.commits.filter(commit => commit.facet === facet)
      const later = loaded.commits.filter(({ sequence }) => sequence > archive.lastSequence)
      const earlier = archived.map(({ sequence, data }) => ({ sequence, commit: decodeJson(data) as Commit }))
      return { version: loaded.version, commits: [...earlier, ...later] }
    },
  }
}

/** A run begins with its admission; what does not has lost its beginning, for good if it was deleted. */
function isCut(commits: Stored<RunCommit>[]): boolean {
  const types = (at: number) => commits.at(at)?.commit.events.map(({ type }) => type) ?? []
  return commits.length > 0 && !types(0).includes('RunQueued') && !types(-1).includes('RunDeleted')
}
