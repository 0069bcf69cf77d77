/**
 * Detects that a stream has lost messages that were read, as after a disk that reported unsynced writes as synced. The
 * server reports nothing: after a kill it reuses the same sequences, after a clean stop it usually leaves a gap.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { MsgRequest, StoredMsg } from '@nats-io/jetstream'
import type { AnyCommit } from '@tidemark/contracts/commit'
import { runOfSubject, streams, subjects } from '@tidemark/contracts/subjects'
import { decodeJson } from '../codec.ts'
import type { Bus } from '../connection.ts'
import { isClustered } from '../leader.ts'
import { untilLost } from '../link.ts'
import { isNamed } from './fallen-back.ts'

/** The last message that was read: its sequence, the time when it was stored, and its subject. */
export type LastRead = {
  sequence: number
  readTo: Date | null
  readSubject: string | null
  /** Its message id, if known to its publisher. It identifies the message better than the server's time does. */
  id?: string
}

type Connection = Pick<Bus, 'nc' | 'jsm'>
type Removed = { stream: string; sequence: number; subject: string; firstSequence: number }

const idHeader = 'Nats-Msg-Id'
/** Recorded times are truncated to milliseconds. */
const clockGrainMs = 1

/** Streams that remove messages that were read, and how a removal is recognized. Other streams remove none. */
const removals: Record<string, (bus: Connection, removed: Removed) => Promise<boolean>> = {
  [streams.served]: async (_bus, removed) => isBeforeTheFirst(removed),
  [streams.audit]: async (bus, removed) =>
    isBeforeTheFirst(removed) || (await isOfForgottenProject(bus, removed)),
  // The archive keeps the last message of each facet, and begins when its run is read completely.
  [streams.runs]: isOfDeletedRun,
  [streams.batches]: isOfDeletedBatch,
}

/** Maximum milliseconds until a new leader of a stream in a cluster has caught up. */
const catchingUpMs = 20_000
const betweenChecksMs = 500

/**
 * Returns the fault in a sentence that begins with the stream; null if the last message exists or was removed
 * properly. In a cluster only lasting faults are reported.
 */
export async function lossOf(
  bus: Connection,
  stream: string,
  last: LastRead,
  lastsMs = isClustered(bus.nc) ? catchingUpMs : 0,
): Promise<string | null> {
  for (const end = performance.now() + lastsMs; ; await sleep(betweenChecksMs)) {
    const loss = await lossNow(bus, stream, last)
    if (loss === null || performance.now() >= end) return loss
  }
}

async function lossNow(bus: Connection, stream: string, last: LastRead): Promise<string | null> {
  const { sequence, readTo, readSubject, id } = last
  const { state } = await untilLost(bus.nc, bus.jsm.streams.info(stream))
  if (state.last_seq < sequence)
    return `${stream} ends at ${state.last_seq}, before ${sequence}, which was already read`
  if (sequence < 1 || readTo === null) return null
  const there = await messageAt(bus, stream, sequence)
  if (there !== null) {
    const isAnother = id === undefined ? isYounger(there, readTo) : !isNamed(there.header.get(idHeader), id)
    return isAnother
      ? `${stream} has a message of ${there.time.toISOString()} at ${sequence}, where one of ${readTo.toISOString()} was read`
      : null
  }
  if (readSubject === null) return null
  const removed = { stream, sequence, subject: readSubject, firstSequence: state.first_seq }
  return (await removals[stream]?.(bus, removed))
    ? null
    : `${stream} has nothing at ${sequence}, where ${readSubject} was read at ${readTo.toISOString()}`
}

/** Returns whether the message was stored later than the message that was read at its sequence, and is another one. */
const isYounger = ({ time }: { time: Date }, readTo: Date): boolean =>
  time.getTime() > readTo.getTime() + clockGrainMs

/** Returns the message at a sequence from the stream's leader; null if there is no message. */
export const messageAt = ({ nc, jsm }: Connection, stream: string, seq: number): Promise<StoredMsg | null> =>
  untilLost(nc, jsm.streams.getMessage(stream, { seq }))

/**
 * Returns the last sequence up to `end` that a reader need not read again. Messages that replaced lost ones are still to be
 * read. After a gap the reader continues where it was. Messages are in the order of their time, so few of them are requested.
 */
export async function lastThatIsLeft(
  { nc, jsm }: Connection,
  stream: string,
  { sequence, readTo }: Pick<LastRead, 'sequence' | 'readTo'>,
  end: number,
): Promise<number> {
  let last = Math.min(sequence, end)
  if (readTo === null) return last
  for (let [from, to] = [1, last]; from <= to; ) {
    const middle = Math.floor((from + to) / 2)
    const next = { seq: middle, next_by_subj: '>' } as MsgRequest
    const there = await untilLost(nc, jsm.streams.getMessage(stream, next))
    if (there !== null && there.seq <= to && !isYounger(there, readTo)) from = there.seq + 1
    else {
      if (there !== null && there.seq <= to) last = there.seq - 1
      to = middle - 1
    }
  }
  return last
}

const isBeforeTheFirst = ({ sequence, firstSequence }: Removed): boolean => sequence < firstSequence

/** Returns whether the project's messages were deleted: then no message of its subject up to this one is left. */
async function isOfForgottenProject(
  { nc, jsm }: Connection,
  { stream, subject, sequence }: Removed,
): Promise<boolean> {
  const first = { seq: 1, next_by_subj: subject } as MsgRequest
  const left = await untilLost(nc, jsm.streams.getMessage(stream, first))
  return left === null || left.seq > sequence
}

/** Returns whether the run was deleted. Only its last commit, which contains `RunDeleted`, stays in the stream. */
function isOfDeletedRun(bus: Connection, { stream, subject }: Removed): Promise<boolean> {
  return endsWith(bus, 'RunDeleted', { stream, last_by_subj: subjects.run(runOfSubject(subject).runId) })
}

/** Returns whether the batch was deleted. Only its last commit, which contains `BatchDeleted`, stays in the stream. */
function isOfDeletedBatch(bus: Connection, { stream, subject }: Removed): Promise<boolean> {
  return endsWith(bus, 'BatchDeleted', {
    stream,
    last_by_subj: subjects.batch(Number(subject.split('.')[1])),
  })
}

async function endsWith(
  { nc, jsm }: Connection,
  wanted: string,
  { stream, ...lastOfSubject }: { stream: string; last_by_subj: string },
): Promise<boolean> {
  const last = await untilLost(nc, jsm.streams.getMessage(stream, lastOfSubject))
  const { events = [] } = (last && (decodeJson(last.data) as Partial<AnyCommit>)) ?? {}
  return events.some(({ type }) => type === wanted)
}
