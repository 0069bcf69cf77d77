/**
 * The event store on a JetStream stream. The fence is the server's expected-last-subject-sequence; a commit
 * carries its identity as message id, so that an append whose answer was lost can be found again.
 */
import type { DirectMsgRequest, LastForMsgRequest, StoredMsg } from '@nats-io/jetstream'
import { decodeJson } from '@tidemark/bus/codec'
import type { Bus } from '@tidemark/bus/connection'
import { persistently } from '@tidemark/bus/link'
import { Ambiguous, publish, Conflict as WrongSequence } from '@tidemark/bus/publish'
import { readStream } from '@tidemark/bus/read'
import { identityOf } from './identity.ts'
import { Conflict, type EventStore, type Loaded, type Stored } from './store.ts'

type Last = { sequence: number; id: string }

const limitMs = 5_000
const idHeader = 'Nats-Msg-Id'
/** Tries after an answer was lost; the server is given about ten seconds to come back. */
const tries = 3
/** Without a message for so long, reading has failed. */
const stallMs = 10_000

/** The stream must allow direct reads. */
export function jetStreamEventStore(bus: Bus, stream: string): EventStore {
  return {
    async load<Commit>(subject: string, after = 0): Promise<Loaded<Commit>> {
      const { sequence: version } = await lastOf(subject)
      if (version <= after) return { version, commits: [] }
      const next = await get({ seq: after + 1, next_by_subj: subject })
      if (next?.seq === version) return { version, commits: [stored<Commit>(next.seq, next.data)] }
      return { version, commits: await readUpTo<Commit>(subject, after, version) }
    },

    async last<Commit>(subject: string): Promise<Stored<Commit> | null> {
      const last = await get({ last_by_subj: subject })
      return last && stored<Commit>(last.seq, last.data)
    },

    async append(subject, expected, commit, options = {}) {
      const json = JSON.stringify(commit)
      const id = options.id ?? identityOf(subject, expected, json)
      for (let left = tries; ; left--) {
        try {
          const { sequence } = await publish(bus, subject, json, { id, expectLast: expected })
          return sequence
        } catch (error) {
          if (error instanceof WrongSequence)
            return ours(subject, id, new Conflict(subject, expected, { cause: error }))
          if (!(error instanceof Ambiguous) || left <= 1) throw error
        }
      }
    },
  }

  /** The sequence if the subject's last commit is this very one, or else the error. */
  async function ours(subject: string, id: string, conflict: Conflict): Promise<number> {
    const last = await lastOf(subject)
    if (last.id !== id) throw conflict
    return last.sequence
  }

  async function lastOf(subject: string): Promise<Last> {
    const last = await get({ last_by_subj: subject })
    return last ? { sequence: last.seq, id: last.header.get(idHeader) } : { sequence: 0, id: '' }
  }

  function get(query: DirectMsgRequest | LastForMsgRequest): Promise<StoredMsg | null> {
    return persistently(bus.nc, limitMs, () => bus.jsm.direct.getMessage(stream, query))
  }

  async function readUpTo<Commit>(
    subject: string,
    after: number,
    version: number,
  ): Promise<Stored<Commit>[]> {
    const commits: Stored<Commit>[] = []
    const done = new AbortController()
    const stalled = setTimeout(() => done.abort(), stallMs)
    const reading = { stream, filter: subject, from: after + 1, signal: done.signal, lingerMs: 0 }
    await readStream(bus, reading, async messages => {
      stalled.refresh()
      for (const { sequence, data } of messages) {
        if (sequence <= version) commits.push(stored<Commit>(sequence, data))
        if (sequence >= version) done.abort()
      }
    })
    clearTimeout(stalled)
    if (commits.at(-1)?.sequence !== version) throw new Error(`${subject} could not be read up to ${version}`)
    return commits
  }
}

const stored = <Commit>(sequence: number, data: Uint8Array): Stored<Commit> => ({
  sequence,
  commit: decodeJson(data) as Commit,
})
