/**
 * Whether a stream has lost what was read of it, as with a disk that lied. The server says nothing of that and goes on:
 * after a kill it gives the same sequences again, after a clean stop it mostly leaves a gap where they were.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { MsgRequest, StoredMsg } from '@nats-io/jetstream'
import type { RunCommit } from '@tidemark/contracts/run'
import { runOfSubject, streams, subjects } from '@tidemark/contracts/subjects'
import { decodeJson } from './codec.ts'
import type { Bus } from './connection.ts'
import { isNamed } from './fallen-back.ts'
import { isClustered } from './leader.ts'
import { untilLost } from './link.ts'

/** The last message that was read: its sequence, and what it is known again by, where that was written down. */
export type LastRead = {
  sequence: number
  readTo: Date | null
  readSubject: string | null
  /** Its message id, for who has published it: that says what is another better than the time, which is the server's. */
  id?: string
}

type Asked = Pick<Bus, 'nc' | 'jsm'>
type Gone = { stream: string; sequence: number; subject: string; firstSequence: number }

const idHeader = 'Nats-Msg-Id'
/** What is written down of a time is cut off at its milliseconds. */
const clockGrainMs = 1

/** Which streams let go of what was read, and how it is known that they have. Nothing leaves any other. */
const letsGo: Record<string, (bus: Asked, gone: Gone) => Promise<boolean>> = {
  [streams.served]: async (_bus, gone) => isBeforeTheFirst(gone),
  [streams.audit]: async (bus, gone) => isBeforeTheFirst(gone) || (await isOfForgottenProject(bus, gone)),
  // The archive leaves the last message of each facet, and begins when its run is read to the end.
  [streams.runs]: isOfDeletedRun,
}

/** How long a server of a cluster may lead a stream before it has caught up with it. */
const catchingUpMs = 20_000
const betweenLooksMs = 500

/**
 * What is wrong, in a sentence that begins with the stream; null where the last message is there, or had to go. In a
 * cluster only what stays wrong is told.
 */
export async function lossOf(
  bus: Asked,
  stream: string,
  last: LastRead,
  lastsMs = isClustered(bus.nc) ? catchingUpMs : 0,
): Promise<string | null> {
  for (const end = performance.now() + lastsMs; ; await sleep(betweenLooksMs)) {
    const loss = await look(bus, stream, last)
    if (loss === null || performance.now() >= end) return loss
  }
}

async function look(bus: Asked, stream: string, last: LastRead): Promise<string | null> {
  const { sequence, readTo, readSubject, id } = last
  const { state } = await untilLost(bus.nc, bus.jsm.streams.info(stream))
  if (state.last_seq < sequence)
    return `${stream} ends at ${state.last_seq}, before ${sequence} which was read already`
  if (sequence < 1 || readTo === null) return null
  const there = await messageAt(bus, stream, sequence)
  if (there !== null) {
    const isAnother = id === undefined ? isYounger(there, readTo) : !isNamed(there.header.get(idHeader), id)
    return isAnother
      ? `${stream} has a message of ${there.time.toISOString()} at ${sequence}, where one of ${readTo.toISOString()} was read`
      : null
  }
  if (readSubject === null) return null
  const gone = { stream, sequence, subject: readSubject, firstSequence: state.first_seq }
  return (await letsGo[stream]?.(bus, gone))
    ? null
    : `${stream} has nothing at ${sequence}, where ${readSubject} was read at ${readTo.toISOString()}`
}

/** Whether it was stored after what was read there: then it is another. */
export const isYounger = ({ time }: { time: Date }, readTo: Date): boolean =>
  time.getTime() > readTo.getTime() + clockGrainMs

/** The message of the stream at a sequence, as its leader has it; null where it has none there. */
export const messageAt = ({ nc, jsm }: Asked, stream: string, seq: number): Promise<StoredMsg | null> =>
  untilLost(nc, jsm.streams.getMessage(stream, { seq }))

const isBeforeTheFirst = ({ sequence, firstSequence }: Gone): boolean => sequence < firstSequence

/** Then nothing is left of it up to there. */
async function isOfForgottenProject(
  { nc, jsm }: Asked,
  { stream, subject, sequence }: Gone,
): Promise<boolean> {
  const first = { seq: 1, next_by_subj: subject } as MsgRequest
  const left = await untilLost(nc, jsm.streams.getMessage(stream, first))
  return left === null || left.seq > sequence
}

/** Its last word stays for ever, and nothing of its other facets. */
async function isOfDeletedRun({ nc, jsm }: Asked, { stream, subject }: Gone): Promise<boolean> {
  const lastWord = { last_by_subj: subjects.run(runOfSubject(subject).runId) }
  const said = await untilLost(nc, jsm.streams.getMessage(stream, lastWord))
  const { events = [] } = (said && (decodeJson(said.data) as Partial<RunCommit>)) ?? {}
  return events.some(({ type }) => type === 'RunDeleted')
}
