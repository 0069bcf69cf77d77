/** A run's messages in RUNS, all facets together: as they are read for the archive, and how they go. */
import type { Bus } from '@tidemark/bus/connection'
import { persistently } from '@tidemark/bus/link'
import { readStream } from '@tidemark/bus/read'
import type { ArchivedCommit } from '@tidemark/content/archive'
import { type Facet, runOfSubject, streams, subjects } from '@tidemark/contracts/subjects'

export type RunStream = {
  /** Every commit of the run after this sequence, in the order of the stream. */
  read(runId: number, after: number): Promise<ArchivedCommit[]>
  /** Leaves the last message of each facet, as the fence of its appends, and what is later than `upTo`. */
  shorten(runId: number, upTo: number): Promise<void>
  /** Leaves the last message of the crawl, which fences appends for ever, and nothing of the other facets. */
  purge(runId: number): Promise<void>
}

const facets: readonly Facet[] = ['crawl', 'diff', 'webhook', 'site']
const limitMs = 5_000
const stallMs = 10_000

export function runStream(bus: Bus): RunStream {
  const lastOf = async (subject: string): Promise<number> => {
    const get = () => bus.jsm.direct.getMessage(streams.runs, { last_by_subj: subject })
    return (await persistently(bus.nc, limitMs, get))?.seq ?? 0
  }
  const purge = (options: { filter: string; seq?: number; keep?: number }) =>
    bus.jsm.streams.purge(streams.runs, options as Parameters<typeof bus.jsm.streams.purge>[1])

  return {
    async read(runId, after) {
      const lasts = await Promise.all(facets.map(facet => lastOf(subjects.run(runId, facet))))
      const last = Math.max(...lasts)
      return last > after ? readUpTo(bus, { runId, after, last }) : []
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

type Stretch = { runId: number; after: number; last: number }

async function readUpTo(bus: Bus, { runId, after, last }: Stretch): Promise<ArchivedCommit[]> {
  const commits: ArchivedCommit[] = []
  const done = new AbortController()
  const stalled = setTimeout(() => done.abort(), stallMs)
  const filter = facets.map(facet => subjects.run(runId, facet))
  const reading = { stream: streams.runs, filter, from: after + 1, signal: done.signal, lingerMs: 0 }
  await readStream(bus, reading, async messages => {
    stalled.refresh()
    for (const { sequence, subject, data } of messages) {
      const { facet } = runOfSubject(subject)
      if (sequence <= last) commits.push({ facet, sequence, data: Buffer.from(data) })
      if (sequence >= last) done.abort()
    }
  })
  clearTimeout(stalled)
  if (commits.at(-1)?.sequence !== last) throw new Error(`run ${runId} could not be read up to ${last}`)
  return commits
}
