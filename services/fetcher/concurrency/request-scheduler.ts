/**
 * Decides which request is sent next. The orders of a run at a host wait in one queue. Only the first order of a queue
 * waits for a permit of the run, a permit of this process, a slot at the host, and the host's clock. A request that
 * must wait for the host releases its permits meanwhile, so a slow host blocks no others. Hundreds of waiting orders
 * cost only a timer for each queue.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { histogram } from '@tidemark/telemetry/metrics'
import type { HostClock } from '../adapters/host-clock.ts'
import type { HostRequest } from '../adapters/local-clock.ts'
import type { Strain } from '../domain/host-window.ts'
import type { Claimant, FairPermits } from './fair-permits.ts'
import type { HostSlot, HostSlots, SlotClaim } from './host-slots.ts'
import { Punctuality } from './punctuality.ts'
import type { RunPermits } from './run-permits.ts'

/** The request, its tenant, and the signal that ends the waiting. */
export type SendClaim = HostRequest & SlotClaim & Claimant & { signal: AbortSignal }

/** The right to send one request, until disposed. */
export type SendPermit = Disposable & {
  /** Records that the request leaves: the pause of its host begins. */
  sent(): void
  /**
   * Records that the response begins. If that is soon after `sent`, the pause begins only now, because on a busy
   * machine a request leaves later than recorded.
   */
  responseBegan(): void
  /**
   * Records that the request has ended: the run may send another one while this response is still processed. `strain`
   * is the sign of the host's load in the response.
   */
  ended(strain?: Strain): void
  /** Records that the response is processed: another request of this process may be sent. */
  landed(): void
}

/** Waits for a host slot. Rejects with the signal's reason if it aborts first. */
export type AcquireSendPermit = (claim: SendClaim) => Promise<SendPermit>

type Waiting = { claim: SendClaim; permit: PromiseWithResolvers<SendPermit> }
type SchedulerPorts = {
  clock: HostClock
  punctuality: Punctuality
  runs: RunPermits
  inFlight: FairPermits
  hostSlots: HostSlots
  /** Maximum concurrent requests of a run that sets none. */
  concurrency: number
}

/**
 * Milliseconds after `sent`. A response that starts within this time restarts the pause. If it starts later, the host
 * is slow.
 */
const soonMs = 100
/** The value of `soonMs` on a machine with late timers, which cannot measure short times. */
const busySoonMs = 1_000
const busyMarginMs = 15
const minLateMs = 2

export function createRequestScheduler(options: Omit<SchedulerPorts, 'punctuality'>): AcquireSendPermit {
  const ports = { ...options, punctuality: new Punctuality() }
  const lines = new Map<string, Waiting[]>()

  return claim => {
    const waiting = { claim, permit: Promise.withResolvers<SendPermit>() }
    const name = `${claim.host} ${claim.runId}`
    const line = lines.get(name)
    if (line) line.push(waiting)
    else {
      lines.set(name, [waiting])
      void walk(name)
    }
    return waiting.permit.promise
  }

  async function walk(name: string): Promise<void> {
    const line = lines.get(name) ?? []
    for (let first = line.shift(); first; first = line.shift()) {
      const { claim, permit } = first
      await grant(ports, claim).then(permit.resolve, reason => {
        ports.hostSlots.withdrawClaim(claim)
        permit.reject(reason)
      })
    }
    lines.delete(name)
  }
}

async function grant(ports: SchedulerPorts, claim: SendClaim): Promise<SendPermit> {
  const { clock, inFlight, hostSlots, punctuality } = ports
  const { host, signal } = claim
  for (;;) {
    const request =
      claim.delayMs > 0 && punctuality.isLate() ? { ...claim, delayMs: claim.delayMs + busyMarginMs } : claim
    const leaveRun = await pass(ports, claim)
    const slot = hostSlots.enter(claim)
    const waitMs = slot === null ? 0 : await clock.take(request)
    if (slot !== null && waitMs === 0)
      return permitOf({
        leave: () => clock.sent(request),
        arrive: sinceMs => {
          const soon = punctuality.isLate() ? busySoonMs : Math.min(request.delayMs, soonMs)
          if (sinceMs > minLateMs && sinceMs < soon) clock.responseBegan(request)
        },
        leaveRun,
        slot,
        land: () => inFlight.release(claim),
      })
    slot?.withdraw()
    inFlight.release(claim)
    leaveRun()
    await (slot === null ? hostSlots.slotFreed(host, signal) : sleepPunctually(waitMs, punctuality, signal))
  }
}

async function sleepPunctually(ms: number, punctuality: Punctuality, signal: AbortSignal): Promise<void> {
  const until = performance.now() + ms
  await sleep(ms, undefined, { signal })
  punctuality.record(performance.now() - until)
}

/** Waits for a permit of the run and one of the process. Returns the release of the run's permit. */
async function pass(
  { runs, inFlight, concurrency: usual }: SchedulerPorts,
  claim: SendClaim,
): Promise<() => void> {
  const { runId, concurrency, signal } = claim
  const leaveRun = await runs.acquire(runId, concurrency ?? usual, signal)
  await inFlight.acquire(claim, signal).catch(error => {
    leaveRun()
    throw error
  })
  return leaveRun
}

type PermitParts = {
  leave: () => void
  arrive: (sinceMs: number) => void
  leaveRun: () => void
  slot: HostSlot
  land: () => void
}

function permitOf({ leave, arrive, leaveRun, slot, land }: PermitParts): SendPermit {
  let sentAt = 0
  const sent = once(() => {
    sentAt = performance.now()
    leave()
  })
  const landed = once(land)
  let isEnded = false
  const ended = (strain: Strain = null) => {
    sent() // A request that was never sent must not hold up others at its host.
    if (isEnded) return
    isEnded = true
    slot.leave(strain)
    leaveRun()
  }
  return {
    sent,
    responseBegan: () => arrive(performance.now() - sentAt),
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

/**
 * Returns `acquireSendPermit` with a metric of the waiting time.
 * @param lane label of the metric
 */
export function withWaitingTime(acquireSendPermit: AcquireSendPermit, lane: string): AcquireSendPermit {
  const waited = histogram('tidemark.host.wait.seconds')
  return async claim => {
    const startedAt = performance.now()
    const permit = await acquireSendPermit(claim)
    waited((performance.now() - startedAt) / 1_000, { lane })
    return permit
  }
}
