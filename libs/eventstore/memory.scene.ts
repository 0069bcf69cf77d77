/** An event store in memory for tests, which behaves like the real one. */
import { commitIdOf } from './identity.ts'
import { Conflict, type EventStore, type Stored, TooLarge } from './store.ts'

type Entry = { sequence: number; subject: string; id: string; json: string }

/**
 * Returns a store whose subjects share the sequences, as in a stream.
 * @param maxBytes maximum bytes of one commit; default: unlimited
 */
export function memoryEventStore(maxBytes = Number.POSITIVE_INFINITY): EventStore {
  const entries: Entry[] = []
  const of = (subject: string) => entries.filter(entry => entry.subject === subject)

  return {
    async load(subject, after = 0) {
      const known = of(subject)
      return {
        version: known.at(-1)?.sequence ?? 0,
        commits: known
          .filter(({ sequence }) => sequence > after)
          .map(({ sequence, json }) => ({ sequence, commit: JSON.parse(json) })),
      }
    },

    async read<Commit>(subject: string, take: (commits: Stored<Commit>[]) => Promise<void>) {
      const known = of(subject)
      if (known.length > 0) {
        await take(known.map(({ sequence, json }) => ({ sequence, commit: JSON.parse(json) as Commit })))
      }
      return known.at(-1)?.sequence ?? 0
    },

    async last(subject) {
      const last = of(subject).at(-1)
      return last ? { sequence: last.sequence, commit: JSON.parse(last.json) } : null
    },

    async append(subject, expected, commit, options = {}) {
      const json = JSON.stringify(commit)
      const id = options.id ?? commitIdOf(subject, expected, json)
      const last = of(subject).at(-1)
      if (last?.id === id) return last.sequence
      if ((last?.sequence ?? 0) !== expected) throw new Conflict(subject, expected)
      const bytes = Buffer.byteLength(json)
      if (bytes > maxBytes) throw new TooLarge(subject, bytes, maxBytes)
      const sequence = entries.length + 1
      entries.push({ sequence, subject, id, json })
      return sequence
    },
  }
}
