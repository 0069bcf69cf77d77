/** Fakes of the services behind the gateway, on the real bus, with the few answers that the gateway needs. */
import { hash } from 'node:crypto'
import type { Bus } from '@tidemark/bus/connection'
import { beat } from '@tidemark/bus/heartbeat'
import { publish } from '@tidemark/bus/publish'
import { type Refusal, refuse } from '@tidemark/bus/refusal'
import { serve } from '@tidemark/bus/rpc'
import { services } from '@tidemark/contracts/heartbeat'
import type { RunView } from '@tidemark/contracts/http/crawls'
import { mayContinue } from '@tidemark/contracts/limits'
import type { KeyView } from '@tidemark/contracts/rpc/accounts'
import * as accountsRpc from '@tidemark/contracts/rpc/accounts'
import type { RunStartedResponse, StartRun } from '@tidemark/contracts/rpc/runs'
import * as runsRpc from '@tidemark/contracts/rpc/runs'
import type { ReadUsageResponse, ReserveUnits, ReserveUnitsResponse } from '@tidemark/contracts/rpc/usage'
import * as usageRpc from '@tidemark/contracts/rpc/usage'
import type { RunEvent } from '@tidemark/contracts/run'
import { notifications, subjects } from '@tidemark/contracts/subjects'
import { answerForWebhooks, type On } from './webhooks/webhooks.scene.ts'

/** The seed of crawls in these tests. No server listens there. */
export const seed = 'http://127.0.0.1:8099/'

export const keyView = (key: string, projectId: number, more: Partial<KeyView> = {}): KeyView => ({
  prefix: key.slice(0, 12),
  hash: hash('sha256', key),
  projectId,
  tier: 'pro',
  unlimited: false,
  expiresAt: null,
  revokedAt: null,
  ...more,
})

/** The state of the fakes, which tests change. */
export type StandIns = {
  keys: Map<string, KeyView>
  /** Adds a key of a project, or replaces it. */
  addKey(...key: Parameters<typeof keyView>): void
  /** Runs that only the coordinator knows so far, by project and id. */
  runs: Map<string, RunView>
  /** Whether the coordinator knows no run for now. */
  isCoordinatorAway: boolean
  starts: StartRun[]
  /** Runs that have ended, so that they cannot be paused. */
  ended: Set<number>
  /** The refusal of startRun, if set. */
  refusal: Refusal | null
  /** Whether a started run gets its first event. */
  isPublishing: boolean
  usage: ReadUsageResponse
  /** Returns the grant for a request to reserve units. */
  grant: (wanted: ReserveUnits) => ReserveUnitsResponse | Promise<ReserveUnitsResponse>
  beating: Disposable[]
  keyRequests: number
  /** Whether the service with the keys is unavailable. */
  isKeyRingAway: boolean
  /** The response to a request for a key waits for this promise. */
  keyRingPause: Promise<void>
}

/** Serves the requests of all services except the gateway and the projector, until the signal aborts. */
export async function standInFor(bus: Bus, signal: AbortSignal): Promise<StandIns> {
  const others = services.filter(service => service !== 'gateway' && service !== 'projector')
  const nothing = { pages: 0, cloudPages: 0, cloudCostUsd: 0 }
  const known: StandIns = {
    keys: new Map(),
    addKey(...key) {
      const view = keyView(...key)
      known.keys.set(view.prefix, view)
    },
    runs: new Map(),
    isCoordinatorAway: false,
    starts: [],
    ended: new Set(),
    refusal: null,
    isPublishing: true,
    usage: { today: nothing, month: nothing },
    grant: ({ units }) => ({ granted: units, reason: null, retryAfterSeconds: null }),
    beating: [],
    keyRequests: 0,
    isKeyRingAway: false,
    keyRingPause: Promise.resolve(),
  }
  const answering = { signal, report: () => {} }
  const on: On = (rpc, handler) => void serve(bus, rpc, handler, answering)
  on(accountsRpc.endShares, async ({ projectId, runId }) => {
    const at = new Date().toISOString()
    for (const [prefix, key] of known.keys)
      if (key.projectId === projectId)
        known.keys.set(prefix, { ...key, sharesEnded: { ...key.sharesEnded, [runId]: at } })
    bus.nc.publish(notifications.keysChanged)
    return { at }
  })
  on(accountsRpc.findKey, async ({ prefix }) => {
    known.keyRequests++
    await known.keyRingPause
    if (known.isKeyRingAway) throw refuse('unavailable', { message: 'Away.' })
    return { key: known.keys.get(prefix) ?? null }
  })
  on(runsRpc.startRun, request => start(bus, known, request))
  on(runsRpc.findStarted, async wanted => {
    const original = known.starts.find(
      ({ idempotencyKey, projectId }) =>
        idempotencyKey === wanted.idempotencyKey && projectId === wanted.projectId,
    )
    return {
      started: original
        ? await start(bus, known, { ...original, fingerprint: wanted.fingerprint ?? '' })
        : null,
    }
  })
  on(runsRpc.getRun, async ({ projectId, runId }) => {
    if (known.isCoordinatorAway) throw refuse('unavailable', { message: 'Away.' })
    return { run: known.runs.get(`${projectId}/${runId}`) ?? null }
  })
  on(runsRpc.getRunSettings, async ({ projectId, runId }) => {
    const start = known.starts[runId - 1]
    if (start?.projectId !== projectId) return { found: null }
    const { url, settings } = start
    return {
      found: {
        ...{ url, settings, pages: 3 },
        status: known.ended.has(runId) ? ('done' as const) : ('running' as const),
      },
    }
  })
  on(runsRpc.cancelRun, async ({ projectId, runId }) => {
    const run = known.starts[runId - 1]?.projectId === projectId ? cancelled(runId) : null
    return { run, sequence: 0 }
  })
  for (const [change, paused_at] of [
    [runsRpc.pauseRun, '2026-01-02T03:04:06.000Z'],
    [runsRpc.resumeRun, null],
  ] as const) {
    on(change, async ({ projectId, runId, ...by }) => {
      if ('keyCaps' in by && !mayContinue(by.keyCaps))
        throw refuse('conflict', { reason: 'narrowed_key', message: 'Narrowed.' })
      if (known.ended.has(runId)) throw refuse('conflict', { reason: 'run_ended', message: 'Ended.' })
      const run = {
        ...cancelled(runId),
        status: 'running' as const,
        finished_at: null,
        stop_reason: null,
        paused_at,
      }
      return { run: known.starts[runId - 1]?.projectId === projectId ? run : null, sequence: 0 }
    })
  }
  on(runsRpc.reopenRun, async ({ projectId, runId, keyCaps }) => {
    if (!mayContinue(keyCaps)) throw refuse('conflict', { reason: 'narrowed_key', message: 'Narrowed.' })
    if (!known.ended.has(runId)) throw refuse('conflict', { reason: 'run_active', message: 'Not ended.' })
    const run = { ...cancelled(runId), status: 'running' as const, finished_at: null, stop_reason: null }
    const isOwn = known.starts[runId - 1]?.projectId === projectId
    return { run: isOwn ? run : null, retried: 2, sequence: 0 }
  })
  on(usageRpc.readUsage, async () => known.usage)
  on(usageRpc.reserveUnits, async wanted => known.grant(wanted))
  answerForWebhooks(on)
  known.beating = await Promise.all(others.map(service => beat(bus, { service, instance: 'stand-in' })))
  signal.addEventListener('abort', () => known.beating.forEach(beating => void beating[Symbol.dispose]()))
  return known
}

/** Returns a run that has just been queued, with these fields replaced. */
export const runView = (more: Partial<RunView> = {}): RunView => ({
  id: 0,
  url: '',
  status: 'queued',
  page_count: 0,
  error_count: 0,
  enqueued_at: '2026-01-02T03:04:05.678Z',
  started_at: null,
  finished_at: null,
  error_message: null,
  error_reason: null,
  stop_reason: null,
  proxy_url: null,
  ai_bot_policy: null,
  llms_txt: null,
  llms_full_txt: null,
  webhook_status: null,
  webhook_attempts: 0,
  webhook_last_error: null,
  previous_run_id: null,
  ...more,
})

const cancelled = (id: number): RunView =>
  runView({
    ...{ id, url: seed, status: 'cancelled', stop_reason: 'cancelled' },
    finished_at: '2026-01-02T03:04:06.678Z',
  })

/** Handles an idempotency key like the coordinator, as far as answers show it. */
async function start(bus: Bus, known: StandIns, request: StartRun): Promise<RunStartedResponse> {
  if (known.refusal) throw known.refusal
  const { projectId, tier, url, settings, idempotencyKey, fingerprint } = request
  const before = known.starts.findIndex(
    ({ idempotencyKey: key, projectId: project }) =>
      key !== null && key === idempotencyKey && project === projectId,
  )
  const original = known.starts[before]
  const id = original ? before + 1 : known.starts.push(request)
  const event: RunEvent = { type: 'RunQueued', data: { runId: id, projectId, tier, url, settings } }
  const at = '2026-01-02T03:04:05.678Z'
  const payload = JSON.stringify({ at, events: [event] })
  const sequence =
    original || !known.isPublishing ? 1 : (await publish(bus, subjects.run(id), payload)).sequence
  return {
    id,
    status: 'queued',
    url: original?.url ?? url,
    enqueuedAt: at,
    sequence: known.isPublishing ? sequence : Number.MAX_SAFE_INTEGER,
    replayed: original !== undefined,
    sameRequest: original === undefined || original.fingerprint === fingerprint,
  }
}
