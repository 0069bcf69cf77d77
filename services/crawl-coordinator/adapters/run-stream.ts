/** Reads a run's messages in the stream RUNS for the archive, all facets together, and removes them. */
import type { Bus } from '@tidemark/bus/connection'
import { storedMessage } from '@tidemark/bus/stored'
import type { ArchivedCommit } from '@tidemark/content/archive'
import { type Facet, runOfSubject, streams, subjects } from '@tidemark/contracts/subjects'
import { readUpTo } from '@tidemark/eventstore/read-up-to'

export type RunStream = {
  /** Returns the sequence of the run's last commit in any facet; 0 if there is no commit. */
  end(runId: number): Promise<number>
  /** Returns every commit of the run after this sequence, in the order of the stream. */
  read(runId: number, after: number): Promise<ArchivedCommit[]>
  /** Removes messages up to `upTo`, except the last of each facet, against which appends are checked. */
  shorten(runId: number, upTo: number): Promise<void>
  /** Removes all messages except the last of the facet `crawl`, against which appends are checked forever. */
  purge(runId: number): Promise<void>
}

const facets: readonly Facet[] = ['crawl', 'diff', 'webhook', 'site']

export function runStream(bus: Bus): RunStream {
  const lastOf = async (subject: string): Promise<number> =>
    (await storedMessage(bus, streams.runs, { last_by_subj: subject }))?.seq ?? 0
  const end = async (runId: number): Promise<number> =>
    Math.max(...(await Promise.all(facets.map(facet => lastOf(subjects.run(runId, facet))))))
  const purge = (options: { filter: string; seq?: number; keep?: number }) =>
    bus.jsm.streams.purge(streams.runs, options as Parameters<typeof bus.jsm.streams.purge>[1])

  return {
    end,
    async read(runId, after) {
      const upTo = await end(runId)
      const commits: ArchivedCommit[] = []
      if (upTo <= after) return commits
      const filter = facets.map(facet => subjects.run(runId, facet))
      await readUpTo(bus, { stream: streams.runs, filter, after, upTo }, async messages => {
        for (const { sequence, subject, data } of messages) {
          commits.push({ facet: runOfSubject(subject).facet, sequence, data: Buffer.from(data) })
        }
      })
      return commits
    },
    async shorten(runId, upTo) {
      for (const facet of facets) {
        const filter = subjects.run(runId, facet)
        const last = await lastOf(filter)
        if (last > 0) await purge({ filter, seq: Math.min(last, upTo) })
      }
    },
    async purge(runId) {
      await purge({ filter: subjects.run(runId, 'crawl'), keep: 1 })
      for (const facet of facets) {
        if (facet !== 'crawl') await purge({ filter: subjects.run(runId, facet) })
      }
    },
  }
}
