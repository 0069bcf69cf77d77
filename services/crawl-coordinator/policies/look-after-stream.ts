/**
 * Looks after the stream that runs are folded from, for a coordinator goes on from what is left of it without meeting a
 * gap. Once a second it is noted in Postgres where the stream ends and what it has there, and that must be there the next
 * time, whichever instance looks then. What was appended since is known to this process alone: if it is killed in the
 * second in which the stream loses its end, then what was appended in that second is not missed here.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { again } from '@tidemark/bus/again'
import type { Bus } from '@tidemark/bus/connection'
import { untilLost } from '@tidemark/bus/link'
import { type LastRead, lossOf, messageAt } from '@tidemark/bus/lost-end'
import { StreamWentBackwards } from '@tidemark/bus/read'
import { begins, fails, works } from '@tidemark/bus/troubles'
import { named } from '@tidemark/contracts/health'
import { runOfSubject, streams } from '@tidemark/contracts/subjects'
import { type CheckpointKey, moveCheckpoint, readCheckpoint, readPlace } from '@tidemark/db/checkpoint'
import type { Appended } from '@tidemark/eventstore/jetstream'
import type { Pool } from 'pg'

type Ports = { bus: Bus; pool: Pool; report: (error: unknown) => void }

export type StreamLook = AsyncDisposable & {
  /** To be told of each commit that is in the stream; costs nothing. */
  appended(commit: Appended): void
  /** The sequence up to which the stream is noted, by any instance: what is later must not be taken out of it yet. */
  noted(): Promise<number>
}

const stream = streams.runs
/** One for all instances and shards: sequences are the stream's, and whoever sees it end later has seen more. */
const place: CheckpointKey = { schema: 'coordinator', projection: 'keep-runs', partition: 'all', stream }
const work = `keep ${stream}`
const everyMs = 1_000
/** The last look of a service that ends takes no longer. */
const lastMs = 2_000

/** Until it is disposed of, which is to be when nothing is appended any more. What is lost is told as a fault until it is accepted. */
export function lookAfterStream({ bus, pool, report }: Ports): StreamLook {
  const stop = new AbortController()
  let latest: (LastRead & Appended) | null = null
  let told = ''
  begins(bus.nc, work, named('starting', `it is not known yet whether ${stream} is whole`))
  const name = `the look after the end of ${stream}`
  const ended = again(look, { name, bus, isSpare: true, pauseMs: everyMs, signal: stop.signal, report })

  async function look(): Promise<void> {
    // In this order: what the stream has lost by the time that it is asked for what was noted is then not noted anew.
    const own = latest
    const { sequence, after } = await readPlace(pool, place)
    const end = await endOf(bus)
    if (own === latest && own !== null && own.sequence <= sequence) latest = null
    const loss =
      (await lossOf(bus, stream, { sequence, ...after })) ?? (await lossOfOwn(own, sequence, after))
    works(bus.nc, work)
    if (loss !== null) return tell(loss)
    if (end !== null && end.seq > sequence) await moveCheckpoint(pool, place, sequence, end.seq, end)
  }

  /** It is noted, for others to find, also with this process gone; whatever comes to stand there is younger than the end noted before. */
  async function lossOfOwn(
    own: (LastRead & Appended) | null,
    sequence: number,
    { readTo }: Pick<LastRead, 'readTo'>,
  ): Promise<string | null> {
    if (own === null || own.sequence <= sequence) return null
    const loss = await lossOf(bus, stream, own)
    const lost = { time: readTo ?? new Date(0), subject: own.subject }
    if (loss !== null) await moveCheckpoint(pool, place, sequence, own.sequence, lost)
    return loss
  }

  function tell(loss: string): void {
    fails(bus.nc, work, named('stream_went_backwards', loss), 0)
    if (loss !== told) report(new StreamWentBackwards(loss))
    told = loss
  }

  return {
    appended(commit) {
      if (latest !== null && latest.sequence > commit.sequence) return
      latest = { ...commit, readTo: new Date(), readSubject: commit.subject }
    },
    noted: () => readCheckpoint(pool, place),
    async [Symbol.asyncDispose]() {
      stop.abort()
      const last = ended.then(look).catch(() => {})
      await Promise.race([last, sleep(lastMs, undefined, { ref: false })])
      works(bus.nc, work)
    },
  }
}

/** The last message of the stream; null where it has none, the last has left it, or is of no run: that may go again. */
async function endOf(bus: Bus) {
  const { state } = await untilLost(bus.nc, bus.jsm.streams.info(stream))
  const last = state.last_seq === 0 ? null : await messageAt(bus, stream, state.last_seq)
  return last !== null && runOfSubject(last.subject).runId > 0 ? last : null
}
