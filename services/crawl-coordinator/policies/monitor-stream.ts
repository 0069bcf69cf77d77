/**
 * Monitors the stream of runs, because a coordinator would not notice missing events at its end. Once a second the
 * stream's last message is recorded in Postgres, and the next check of any instance must find it. Messages appended
 * since are known to this process only: if it is killed in the same second in which the stream loses its end, the loss
 * of that second is not detected.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Bus } from '@tidemark/bus/connection'
import { untilLost } from '@tidemark/bus/link'
import { type LastRead, lossOf, messageAt } from '@tidemark/bus/loss/lost-end'
import { StreamWentBackwards } from '@tidemark/bus/read'
import { repeat } from '@tidemark/bus/repeat'
import { reportFailing, reportStarting, reportWorking } from '@tidemark/bus/troubles'
import { named } from '@tidemark/contracts/health'
import { runOfSubject, streams } from '@tidemark/contracts/subjects'
import { type CheckpointKey, moveCheckpoint, readCheckpoint, readPosition } from '@tidemark/db/checkpoint'
import type { Appended } from '@tidemark/eventstore/jetstream'
import type { Pool } from 'pg'

type Ports = { bus: Bus; pool: Pool; report: (error: unknown) => void }

export type StreamMonitor = AsyncDisposable & {
  /** Records a commit that was appended to the stream, in memory only. */
  appended(commit: Appended): void
  /** Returns the end of the stream that any instance has recorded. Later messages must not be removed yet. */
  recorded(): Promise<number>
  /**
   * Returns a sentence about the messages at the recorded end that the stream has lost. Null: it has lost none, or an
   * operator has accepted the loss.
   */
  findLoss(): Promise<string | null>
}

const stream = streams.runs
/** One checkpoint for all instances and shards: its sequence is the known end of the stream. */
const checkpoint: CheckpointKey = { schema: 'coordinator', projection: 'keep-runs', partition: 'all', stream }
const work = `keep ${stream}`
const everyMs = 1_000
/** Maximum milliseconds of the last check of a stopping service. */
export const lastMs = 2_000

/** Checks until disposed, which must be after the last append. A loss is a fault until an operator accepts it. */
export function monitorStream({ bus, pool, report }: Ports): StreamMonitor {
  const stop = new AbortController()
  let latest: (LastRead & Appended) | null = null
  let reported = ''
  reportStarting(bus.nc, work, named('starting', `${stream} has not been checked for lost messages yet`))
  const name = `the check of the end of ${stream}`
  const ended = repeat(look, { name, bus, isSpare: true, pauseMs: everyMs, signal: stop.signal, report })

  async function look(): Promise<void> {
    // In this order: otherwise a loss between the two reads would be recorded as the new end.
    const own = latest
    const { sequence, after } = await readPosition(pool, checkpoint)
    const end = await endOf(bus)
    if (own === latest && own !== null && own.sequence <= sequence) latest = null
    const loss =
      (await lossOf(bus, stream, { sequence, ...after })) ?? (await lossOfOwn(own, sequence, after))
    reportWorking(bus.nc, work)
    if (loss !== null) return fail(loss)
    if (end !== null && end.seq > sequence) await moveCheckpoint(pool, checkpoint, sequence, end.seq, end)
  }

  /**
   * Returns the loss of a commit of this process after the recorded end, or null. A loss is recorded for other
   * instances, in case this process ends. Messages that later take the same sequence are younger than the previous
   * end.
   */
  async function lossOfOwn(
    own: (LastRead & Appended) | null,
    sequence: number,
    { readTo }: Pick<LastRead, 'readTo'>,
  ): Promise<string | null> {
    if (own === null || own.sequence <= sequence) return null
    const loss = await lossOf(bus, stream, own)
    const lost = { time: readTo ?? new Date(0), subject: own.subject }
    if (loss !== null) await moveCheckpoint(pool, checkpoint, sequence, own.sequence, lost)
    return loss
  }

  function fail(loss: string): void {
    reportFailing(bus.nc, work, named('stream_went_backwards', loss), 0)
    if (loss !== reported) report(new StreamWentBackwards(loss))
    reported = loss
  }

  return {
    appended(commit) {
      if (latest !== null && latest.sequence > commit.sequence) return
      latest = { ...commit, readTo: new Date(), readSubject: commit.subject }
    },
    recorded: () => readCheckpoint(pool, checkpoint),
    findLoss: () => lossOfRecorded(bus, pool),
    async [Symbol.asyncDispose]() {
      stop.abort()
      const last = ended.then(look).catch(() => {})
      await Promise.race([last, sleep(lastMs, undefined, { ref: false })])
      reportWorking(bus.nc, work)
    },
  }
}

/** Returns a sentence about messages at the recorded end that the stream has lost; null: it has them. */
async function lossOfRecorded(bus: Bus, pool: Pool): Promise<string | null> {
  const { sequence, after } = await readPosition(pool, checkpoint)
  return lossOf(bus, stream, { sequence, ...after })
}

/**
 * Returns the last message of the stream. Returns null if the stream is empty, if the message was removed, or if it
 * belongs to no run and may be removed.
 */
async function endOf(bus: Bus) {
  const { state } = await untilLost(bus.nc, bus.jsm.streams.info(stream))
  const last = state.last_seq === 0 ? null : await messageAt(bus, stream, state.last_seq)
  return last !== null && runOfSubject(last.subject).runId > 0 ? last : null
}
