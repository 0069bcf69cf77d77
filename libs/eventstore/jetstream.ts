/**
 * Implements the event store on a JetStream stream. The server's expected-last-subject-sequence detects concurrent
 * appends. A commit has its identity as message id, so that an append with a lost response can be found again.
 */
import { decodeJson, Unreadable } from '@tidemark/bus/codec'
import type { Bus } from '@tidemark/bus/connection'
import { isNamed } from '@tidemark/bus/loss/fallen-back'
import { Ambiguous, publish, Conflict as WrongSequence } from '@tidemark/bus/publish'
import { storedMessage } from '@tidemark/bus/stored'
import { commitIdOf } from './identity.ts'
import { readUpTo } from './read-up-to.ts'
import { Conflict, type EventStore, type Loaded, type Stored, TooLarge } from './store.ts'

type Last = { sequence: number; id: string }
/** A commit that the stream has acknowledged, and its message id. */
export type Appended = { sequence: number; subject: string; id: string }

const idHeader = 'Nats-Msg-Id'
/** Maximum tries of an append whose response is lost, so the server has about ten seconds to come back. */
const tries = 3
/** The client's error for a message above the server's limit. */
const tooLargeMessage = /max_payload/

/**
 * Returns the event store of a stream.
 * @param onAppended called with each commit as soon as it is stored
 */
export function jetStreamEventStore(
  bus: Bus,
  stream: string,
  onAppended: (appended: Appended) => void = () => {},
): EventStore {
  return {
    async load<Commit>(subject: string, after = 0): Promise<Loaded<Commit>> {
      const commits: Stored<Commit>[] = []
      const version = await readAfter<Commit>(subject, after, async some => {
        for (const commit of some) commits.push(commit)
      })
      return { version, commits }
    },

    read: <Commit>(subject: string, take: (commits: Stored<Commit>[]) => Promise<void>) =>
      readAfter<Commit>(subject, 0, take),

    async last<Commit>(subject: string): Promise<Stored<Commit> | null> {
      const last = await storedMessage(bus, stream, { last_by_subj: subject })
      return last && stored<Commit>(subject, last.seq, last.data)
    },

    async append(subject, expected, commit, options = {}) {
      const json = JSON.stringify(commit)
      const id = options.id ?? commitIdOf(subject, expected, json)
      const appended = (sequence: number) => {
        onAppended({ sequence, subject, id })
        return sequence
      }
      for (let left = tries; ; left--) {
        try {
          const { sequence } = await publish(bus, subject, json, { id, expectLast: expected })
          return appended(sequence)
        } catch (error) {
          if (error instanceof WrongSequence)
            return appended(await ours(subject, id, new Conflict(subject, expected, { cause: error })))
          if (isTooLarge(error))
            throw new TooLarge(subject, Buffer.byteLength(json), bus.nc.info?.max_payload ?? 0)
          if (!(error instanceof Ambiguous) || left <= 1) throw error
        }
      }
    },
  }

  async function readAfter<Commit>(
    subject: string,
    after: number,
    take: (commits: Stored<Commit>[]) => Promise<void>,
  ): Promise<number> {
    const { sequence: version } = await lastOf(subject)
    if (version <= after) return version
    const next = await storedMessage(bus, stream, { seq: after + 1, next_by_subj: subject })
    if (next?.seq === version) await take([stored<Commit>(subject, next.seq, next.data)])
    else {
      await readUpTo(bus, { stream, filter: subject, after, upTo: version }, messages =>
        take(messages.map(({ sequence, data }) => stored<Commit>(subject, sequence, data))),
      )
    }
    return version
  }

  /** Returns the sequence if the subject's last commit is this one. Otherwise throws the conflict. */
  async function ours(subject: string, id: string, conflict: Conflict): Promise<number> {
    const last = await lastOf(subject)
    if (!isNamed(last.id, id)) throw conflict
    return last.sequence
  }

  async function lastOf(subject: string): Promise<Last> {
    const last = await storedMessage(bus, stream, { last_by_subj: subject })
    return last ? { sequence: last.seq, id: last.header.get(idHeader) } : { sequence: 0, id: '' }
  }
}

/** Decodes a commit. Throws `Unreadable` with the position of the message. */
function stored<Commit>(subject: string, sequence: number, data: Uint8Array): Stored<Commit> {
  try {
    return { sequence, commit: decodeJson(data) as Commit }
  } catch (cause) {
    throw new Unreadable(`message ${sequence} on ${subject} is not JSON in UTF-8`, { cause })
  }
}

const isTooLarge = (error: unknown): boolean => error instanceof Error && tooLargeMessage.test(error.message)
