/**
 * Wires the parts that send requests in the order of their permits. The clients of all servers are arguments, so the
 * parts work with any implementation of these clients.
 */
import type { FindBlocked } from '@tidemark/blocklist/open'
import { openBulky } from '@tidemark/bus/bulky'
import type { Bus } from '@tidemark/bus/connection'
import { acceptEncoding } from '@tidemark/http/decode'
import type { SignRequest } from '@tidemark/http-signatures/web-bot-auth'
import type { Redis } from 'ioredis'
import { listenForEndedRuns } from '../adapters/ended-runs.ts'
import { createHostClock, type HostClock } from '../adapters/host-clock.ts'
import { shareHostPauses } from '../adapters/host-pauses.ts'
import { createLocalClock } from '../adapters/local-clock.ts'
import { ownNetworks } from '../adapters/own-networks.ts'
import { createPackBody } from '../adapters/pack-body.ts'
import type { RouteOf } from '../adapters/routes.ts'
import { createRunShares } from '../adapters/run-shares.ts'
import { createSharedClock } from '../adapters/shared-clock.ts'
import { openThrottledHosts, type ThrottledHosts } from '../adapters/throttled-hosts.ts'
import { ByteBudget } from '../concurrency/byte-budget.ts'
import { FairPermits } from '../concurrency/fair-permits.ts'
import { HostSlots } from '../concurrency/host-slots.ts'
import { createHostWindows } from '../concurrency/host-windows.ts'
import {
  type AcquireSendPermit,
  createRequestScheduler,
  withWaitingTime,
} from '../concurrency/request-scheduler.ts'
import { createRunPermits, type RunPermits } from '../concurrency/run-permits.ts'
import { createIdentify } from '../domain/identity.ts'
import { measureRequests } from '../handlers/measured-requests.ts'
import { createSendRequest, type SendRequest } from '../handlers/send-request.ts'
import type { Settings } from '../settings.ts'
import type { Work } from './consuming.ts'

/**
 * Milliseconds that requests in flight may take to end when the fetcher stops. Orders that wait for a slot are
 * returned to the queue at once.
 */
const graceMs = 5_000

/** The limits that all lanes of this process share. */
export type SharedLimits = { clock: HostClock; runs: RunPermits }

type Ports = {
  settings: Settings
  bus: Bus
  redis: Redis
  findBlocked: FindBlocked
  sign: SignRequest | null
  /** Ends the receiving of messages and requests. */
  signal: AbortSignal
  report: (error: unknown) => void
}

export type FetchingParts = {
  work: Work
  /**
   * Permits for synchronous requests. Their metric has its own label, so that they are not mistaken for orders of
   * crawls.
   */
  forScans: AcquireSendPermit
  sharedLimits: SharedLimits
  throttled: ThrottledHosts
  /** Returns `SendRequest` with the limits and the identity of the settings, for a choice of routes. */
  sendRequestBy: (routeOf: RouteOf) => SendRequest
}

/** Opens the parts. `started` closes them. */
export function openFetching(started: AsyncDisposableStack, ports: Ports): FetchingParts {
  const { settings, bus, redis, findBlocked, sign, signal, report } = ports
  const throttled = openThrottledHosts(redis)
  const local = createLocalClock()
  const pauses = started.use(shareHostPauses(bus, local))
  const clock = createHostClock(local, createSharedClock(redis), async (target, ms) => {
    pauses.notify(target, ms)
    await throttled.record(target, ms)
  })
  const sharedLimits = {
    clock,
    runs: createRunPermits(started.use(createRunShares(redis, settings.INSTANCE))),
  }
  const unmeasured = schedulerFor(settings, sharedLimits)
  const endedRuns = started.use(listenForEndedRuns(bus))
  const hardStop = after(signal, graceMs)
  const bulky = openBulky(bus)
  const insistence = { signal: hardStop, report }
  const packBody = createPackBody({ bulky, ...insistence })
  return {
    work: {
      ...{ bus, settings, endedRuns, signal, hardStop, report, bulky, insistence, packBody },
      reading: new ByteBudget(settings.BODIES_IN_MEMORY),
      acquireSendPermit: withWaitingTime(unmeasured, 'http'),
    },
    forScans: withWaitingTime(unmeasured, 'scan'),
    sharedLimits,
    throttled,
    sendRequestBy: sendRequestBySettings(settings, { clock, findBlocked, sign }),
  }
}

const sendRequestBySettings =
  (settings: Settings, ports: { clock: HostClock; findBlocked: FindBlocked; sign: SignRequest | null }) =>
  (routeOf: RouteOf): SendRequest =>
    measureRequests(
      createSendRequest({
        ...ports,
        routeOf,
        identify: createIdentify({
          mode: settings.USER_AGENT_MODE,
          userAgent: settings.USER_AGENT,
          acceptEncoding,
        }),
        maxBytes: settings.MAX_BODY_BYTES,
        timeoutMs: settings.FETCH_TIMEOUT_MS,
      }),
    )

/** Returns the scheduler of a lane. */
export function schedulerFor(
  settings: Settings,
  shared: SharedLimits,
  maxPerTenant = Infinity,
): AcquireSendPermit {
  const { RUN_CONCURRENCY: concurrency, HOST_CEILING, FETCH_IN_FLIGHT } = settings
  const isOwn = ownNetworks(settings.EGRESS_ALLOW)
  return createRequestScheduler({
    ...shared,
    inFlight: new FairPermits({ permits: FETCH_IN_FLIGHT, kept: keptOf(FETCH_IN_FLIGHT), maxPerTenant }),
    hostSlots: new HostSlots({
      windows: createHostWindows(concurrency),
      ceilingOf: host => (isOwn(host) ? Infinity : HOST_CEILING),
      maxWindow: concurrency,
    }),
    concurrency,
  })
}

/** Returns the number of permits that are reserved for synchronous requests. */
export const keptOf = (inFlight: number): number => Math.ceil(inFlight / 4)

/** Returns a signal that aborts `ms` milliseconds after another one. */
function after(signal: AbortSignal, ms: number): AbortSignal {
  const later = new AbortController()
  signal.addEventListener('abort', () => setTimeout(() => later.abort(signal.reason), ms).unref(), {
    once: true,
  })
  return later.signal
}
