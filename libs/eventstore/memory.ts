/** An event store for tests of those who need one: the same behaviour, gone with the process. */
import { identityOf } from './identity.ts'
import { Conflict, type EventStore } from './store.ts'

type Entry = { sequence: number; subject: string; id: string; json: string }

/** Sequences are common to all subjects, as in a stream. */
export function memoryEventStore(): EventStore {
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

    async last(subject) {
      const last = of(subject).at(-1)
      return last ? { sequence: last.sequence, commit: JSON.parse(last.json) } : null
    },

    async append(subject, expected, commit, options = {}) {
      const json = JSON.stringify(commit)
      const id = options.id ?? identityOf(subject, expected, json)
      const last = of(subject).at(-1)
      if (last?.id === id) return last.sequence
      if ((last?.sequence ?? 0) !== expected) throw new Conflict(subject, expected)
      const sequence = entries.length + 1
      entries.push({ sequence, subject, id, json })
      return sequence
    },
  }
}
