/**
 * Whose request goes next. The orders of a run at a host stand in one line, and only its first asks for a
 * permit of the run, a permit of this process, a place at the host, and the host's clock. Who must wait for the
 * host gives the permits back meanwhile, so a slow host holds up nobody else, and hundreds of waiting orders are timers.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Asking, HostClock } from '../adapters/host-clock.ts'
import type { Strain } from '../domain/host-window.ts'
import type { Claimant, FairPermits } from './fair-permits.ts'
import type { Guest, Place, Places } from './places.ts'
import { Punctuality } from './punctuality.ts'
import type { RunPermits } from './run-permits.ts'

/** Which request of whom, on whose account, and what ends the waiting. */
export type Wanted = Asking & Guest & Claimant & { signal: AbortSignal }

/** The right to one request, until disposed. */
export type Turn = Disposable & {
  /** The request leaves: the pause of its host begins. */
  sent(): void
  /** Its answer begins. Where that is soon, the pause begins only now: on a busy machine a request comes late. */
  answered(): void
  /**
   * The request is over: another of its run may go, while this one's answer is still being put away. Its strain
   * is what the answer tells of the host.
   */
  ended(strain?: Strain): void
  /** Its answer has found its place: another request of this process may go. */
  landed(): void
}

/** Waits for a turn. Rejects with the signal's reason when it is aborted before. */
export type TakeTurn = (wanted: Wanted) => Promise<Turn>

type Waiting = { wanted: Wanted; turn: PromiseWithResolvers<Turn> }
type Doors = {
  clock: HostClock
  punctuality: Punctuality
  runs: RunPermits
  inFlight: FairPermits
  places: Places
  /** Most requests of one run, where it does not say. */
  concurrency: number
}

/** An answer that takes longer is slow by itself, and slows nobody down. */
const soonMs = 100
/** On a machine that is late itself nobody can tell. */
const busySoonMs = 1_000
const busyMarginMs = 15
const leastLateMs = 2

export function createTurns(ports: Omit<Doors, 'punctuality'>): TakeTurn {
  const doors = { ...ports, punctuality: new Punctuality() }
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
      await grant(doors, wanted).then(turn.resolve, reason => {
        doors.places.gone(wanted)
        turn.reject(reason)
      })
    }
    lines.delete(name)
  }
}

async function grant(doors: Doors, wanted: Wanted): Promise<Turn> {
  const { clock, inFlight, places, punctuality } = doors
  const { host, signal } = wanted
  for (;;) {
    const asking =
      wanted.delayMs > 0 && punctuality.isLate()
        ? { ...wanted, delayMs: wanted.delayMs + busyMarginMs }
        : wanted
    const leaveRun = await pass(doors, wanted)
    const place = places.enter(wanted)
    const waitMs = place === null ? 0 : await clock.take(asking)
    if (place !== null && waitMs === 0)
      return turnOf({
        leave: () => clock.sent(asking),
        arrive: sinceMs => {
          const soon = punctuality.isLate() ? busySoonMs : Math.min(asking.delayMs, soonMs)
          if (sinceMs > leastLateMs && sinceMs < soon) clock.answered(asking)
        },
        leaveRun,
        place,
        land: () => inFlight.release(wanted),
      })
    place?.withdraw()
    inFlight.release(wanted)
    leaveRun()
    await (place === null ? places.room(host, signal) : sleepPunctually(waitMs, punctuality, signal))
  }
}

async function sleepPunctually(ms: number, punctuality: Punctuality, signal: AbortSignal): Promise<void> {
  const until = performance.now() + ms
  await sleep(ms, undefined, { signal })
  punctuality.note(performance.now() - until)
}

/** Waits for both permits. */
async function pass({ runs, inFlight, concurrency: usual }: Doors, wanted: Wanted): Promise<() => void> {
  const { runId, concurrency, signal } = wanted
  const leaveRun = await runs.acquire(runId, concurrency ?? usual, signal)
  await inFlight.acquire(wanted, signal).catch(error => {
    leaveRun()
    throw error
  })
  return leaveRun
}

type Ways = {
  leave: () => void
  arrive: (sinceMs: number) => void
  leaveRun: () => void
  place: Place
  land: () => void
}

function turnOf({ leave, arrive, leaveRun, place, land }: Ways): Turn {
  let sentAt = 0
  const sent = once(() => {
    sentAt = performance.now()
    leave()
  })
  const landed = once(land)
  let isEnded = false
  const ended = (strain: Strain = null) => {
    sent() // or never was: then nobody need wait for it any more
    if (isEnded) return
    isEnded = true
    place.leave(strain)
    leaveRun()
  }
  return {
    sent,
    answered: () => arrive(performance.now() - sentAt),
    ended,
    landed,
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
