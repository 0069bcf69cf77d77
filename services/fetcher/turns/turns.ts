/**
 * Whose request goes next. The orders of a run at a host stand in one line, and only its first asks for a
 * permit of the run, a permit of this process, and the host's clock. Who must wait for the clock gives the
 * permits back meanwhile, so a slow host holds up nobody else, and hundreds of waiting orders are timers.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { HostClock } from '../adapters/host-clock.ts'
import type { RunPermits } from './run-permits.ts'
import type { Semaphore } from './semaphore.ts'

export type Wanted = {
  runId: number
  host: string
  delayMs: number
  concurrency: number
  signal: AbortSignal
}

/** The right to one request, until disposed. */
export type Turn = Disposable & {
  /** The request leaves: the pause of its host begins. */
  sent(): void
  /** The request is over: another of its run may go, while this one's answer is still being put away. */
  ended(): void
}

/** Waits for a turn. Rejects with the signal's reason when it is aborted before. */
export type TakeTurn = (wanted: Wanted) => Promise<Turn>

type Waiting = { wanted: Wanted; turn: PromiseWithResolvers<Turn> }
type Doors = { clock: HostClock; runs: RunPermits; inFlight: Semaphore }

export function createTurns(doors: Doors): TakeTurn {
  const lines = new Map<string, Waiting[]>()

  return wanted => {
    const waiting = { wanted, turn: Promise.withResolvers<Turn>() }
    const name = `${wanted.host} ${wanted.runId}`
    const line = lines.get(name)
    if (line) line.push(waiting)
    else {
      lines.set(name, [waiting])
      void walk(name)
    }
    return waiting.turn.promise
  }

  async function walk(name: string): Promise<void> {
    const line = lines.get(name) ?? []
    for (let first = line.shift(); first; first = line.shift()) {
      const { wanted, turn } = first
      await grant(doors, wanted).then(turn.resolve, turn.reject)
    }
    lines.delete(name)
  }
}

async function grant({ clock, runs, inFlight }: Doors, wanted: Wanted): Promise<Turn> {
  const { runId, host, delayMs, concurrency, signal } = wanted
  for (;;) {
    const leaveRun = await runs.acquire(runId, concurrency, signal)
    await inFlight.acquire(signal).catch(error => {
      leaveRun()
      throw error
    })
    const waitMs = await clock.take(host, runId, delayMs)
    if (waitMs === 0)
      return turnOf(
        () => clock.sent(host, runId, delayMs),
        leaveRun,
        () => inFlight.release(),
      )
    inFlight.release()
    leaveRun()
    await sleep(waitMs, undefined, { signal })
  }
}

function turnOf(leave: () => void, leaveRun: () => void, land: () => void): Turn {
  const [sent, left, landed] = [once(leave), once(leaveRun), once(land)]
  const ended = () => {
    sent() // or never was: then nobody need wait for it any more
    left()
  }
  return {
    sent,
    ended,
    [Symbol.dispose]() {
      ended()
      landed()
    },
  }
}

function once(act: () => void): () => void {
  let isDone = false
  return () => {
    if (!isDone) act()
    isDone = true
  }
}
