/** Admits a run and appends its first event before the response: a confirmed run is in the stream. */
import { setTimeout as sleep } from 'node:timers/promises'
import { causeOf } from '@tidemark/bus/cause'
import { encodeJson } from '@tidemark/bus/codec'
import { StreamFull } from '@tidemark/bus/publish'
import { Refusal, refuse } from '@tidemark/bus/refusal'
import { secondsToMidnight } from '@tidemark/contracts/calendar'
import { causes, named } from '@tidemark/contracts/health'
import type { Tier } from '@tidemark/contracts/primitives'
import type {
  FindStarted,
  FindStartedResponse,
  RunStartedResponse,
  StartRun,
} from '@tidemark/contracts/rpc/runs'
import type { RunCommit } from '@tidemark/contracts/run'
import { subjects } from '@tidemark/contracts/subjects'
import { concurrentRuns, requestBytesPerDay } from '@tidemark/contracts/tiers'
import type { EventStore } from '@tidemark/eventstore/store'
import type { Admissions, Admitted } from '../adapters/admissions.ts'
import type { DoneRun, Earlier } from '../adapters/earlier-runs.ts'
import { queueRun } from '../domain/decide.ts'
import { unpaidBytesOf } from '../domain/fork/unpaid-bytes.ts'
import type { FindTerms } from './allowance.ts'
import { doneAtOf, hasEnded, reopeningsOf, statusOf } from './last-commit.ts'

type Ports = {
  store: Pick<EventStore, 'last'>
  admissions: Admissions
  findTerms: FindTerms
  /** Publishes a row of the outbox now, and returns its sequence in the stream. */
  publishNow: (outboxId: number) => Promise<number>
  notifyAwaits: (runId: number) => void
  report: (error: unknown) => void
}

const retryAfterSeconds = 5
const deletedUnderThisKey = () =>
  refuse('conflict', {
    reason: 'idempotency_key_of_deleted_run',
    message: 'The run that this Idempotency-Key started was deleted. Use a new key to start another.',
  })
const deletedMeanwhile = () =>
  refuse('unavailable', {
    message: 'The run that would have been returned is being deleted. Try again in a moment.',
    retryAfterSeconds: 1,
  })
const notYetAdmitted = () =>
  refuse('unavailable', {
    message: 'The original run is still being admitted. Try again in a moment.',
    retryAfterSeconds: 1,
  })
/** Returns the rejection of a run for which the project has no free slot. */
export const noFreeSlot = () =>
  refuse('too_many_requests', {
    reason: 'concurrent_runs',
    message: `${concurrentRuns} runs of this project are queued or running. Wait for one to end, or cancel one.`,
    retryAfterSeconds,
  })
/** Returns the rejection of a run whose request exceeds the bytes of the day. */
const tooManyBytes = (tier: Tier, at: string) =>
  refuse('too_many_requests', {
    reason: 'request_bytes',
    message: `The requests that started crawls of this project today reach ${requestBytesPerDay[tier] / 1_000_000} MB together, the limit of the tier ${tier} per UTC day. Wait for the next day, shorten urls and patterns, fork with a smaller max_pages, or move to a higher tier.`,
    retryAfterSeconds: secondsToMidnight(Date.parse(at)),
  })
/** Number of looks for the run that a key has started, and the pause after each. */
const replayLooks = 40
const replayPauseMs = 50

export function startRun(ports: Ports) {
  return async (requested: StartRun, trace: string | undefined): Promise<RunStartedResponse> => {
    const wanted = await withCurrentTerms(ports, requested)
    const at = new Date().toISOString()
    const admitted = await admitOrReconcile(ports, wanted, at, trace)
    if (admitted.type === 'replayed') return replay(ports, admitted)
    if (admitted.type === 'reused') return reuse(ports, admitted)
    if (admitted.type === 'refused') throw new Refusal(admitted.refusal)
    if (admitted.type === 'full') throw noFreeSlot()
    if (admitted.type === 'spent') throw tooManyBytes(wanted.tier, at)
    const sequence = await publishOrWithdraw(ports, wanted, admitted)
    ports.notifyAwaits(admitted.runId)
    const isNew = { replayed: false, sameRequest: true }
    return { id: admitted.runId, status: 'queued', url: wanted.url, enqueuedAt: at, sequence, ...isNew }
  }
}

/**
 * Returns the request of a tick with the current terms of its project, because the terms of its monitor are those of
 * its creation. Other requests have the current ones. While the terms are unknown, those of the request apply.
 */
async function withCurrentTerms({ findTerms }: Ports, wanted: StartRun): Promise<StartRun> {
  const terms = wanted.tick ? await findTerms(wanted.projectId) : null
  if (terms === null) return wanted
  const { unlimited, caps, ...settings } = wanted.settings
  const lifted = terms.unlimited && ({ unlimited: true } as const)
  const current = { ...settings, ...lifted, ...(terms.caps && { caps: terms.caps }) }
  return { ...wanted, tier: terms.tier, settings: current }
}

/**
 * Publishes the first event of a run, and returns its sequence. A full stream has not stored the event, so the run is
 * withdrawn, unless a relay has published it since. After any other failure it may be stored: the run stays, and a
 * retry with the same key finds it.
 */
async function publishOrWithdraw(
  { store, admissions, publishNow, report }: Ports,
  wanted: StartRun,
  { runId, outboxId }: Extract<Admitted, { type: 'admitted' }>,
): Promise<number> {
  try {
    return await publishNow(outboxId)
  } catch (cause) {
    report(cause)
    if (cause instanceof StreamFull) {
      const isStored = async () => (await store.last<RunCommit>(subjects.run(runId))) !== null
      await admissions.withdraw({ runId, outboxId, requestBytes: bytesOf(wanted) }, isStored)
    }
    const name = causeOf(cause, 'outbox_stuck')
    const message = `No run can be started right now (${named(name, causes[name])}). Try again shortly.`
    throw refuse('unavailable', { message, retryAfterSeconds }, { cause })
  }
}

/**
 * Admits a run. The slot of a run that has just ended may not be released yet. It is therefore released before a new
 * run is refused, and before one is started although an equal run is done.
 */
async function admitOrReconcile(
  ports: Ports,
  wanted: StartRun,
  at: string,
  trace: string | undefined,
): Promise<Admitted> {
  const { projectId, tier, url, idempotencyKey: key, fingerprint } = wanted
  const { likeness = null, maxAgeSeconds = null, refusal = null } = wanted
  const request = { bytes: bytesOf(wanted), limit: requestBytesPerDay[tier] }
  const admission = { projectId, url, key, fingerprint, likeness, maxAgeSeconds, request, refusal, at }
  const admit = () => ports.admissions.admit(admission, announce(wanted, at, trace))
  if (likeness !== null && maxAgeSeconds !== null) {
    const alike = await ports.admissions.heldAlike(projectId, likeness)
    await Promise.all(alike.map(runId => releaseIfEnded(ports, runId)))
  }
  const first = await admit()
  if (first.type !== 'full') return first
  const ended = await Promise.all(first.runIds.map(runId => releaseIfEnded(ports, runId)))
  return ended.includes(true) ? admit() : first
}

/** Estimated bytes of the other events of a run that is cancelled at once. */
const fixedBytes = 2_000

/** Returns the bytes that RUNS stores of a run, even if the run pays nothing. */
const bytesOf = ({ url, settings }: StartRun): number =>
  encodeJson({ url, settings }).length + fixedBytes + unpaidBytesOf(settings)

/** Releases the slot of a run that has just ended. Returns whether it has ended. */
export async function releaseIfEnded(
  { store, admissions }: { store: Pick<EventStore, 'last'>; admissions: Pick<Admissions, 'release'> },
  runId: number,
): Promise<boolean> {
  const last = await store.last<RunCommit>(subjects.run(runId))
  if (last === null || !hasEnded(last.commit)) return false
  await admissions.release(runId, doneAtOf(last.commit), reopeningsOf(last.commit))
  return true
}

const announce =
  ({ projectId, tier, url, settings, tick }: StartRun, at: string, trace: string | undefined) =>
  (runId: number) => {
    const events = [queueRun({ runId, projectId, tier, url, settings, ...(tick && { tick }) })]
    const commit: RunCommit = { at, events, ...(trace && { trace }) }
    return { subject: subjects.run(runId), payload: encodeJson(commit) }
  }

/** Returns an earlier run instead of a new one. A finished run can only be deleted, possibly during this call. */
async function reuse({ store }: Ports, { runId, url, enqueuedAt }: DoneRun): Promise<RunStartedResponse> {
  const last = await store.last<RunCommit>(subjects.run(runId))
  if (last === null || statusOf(last.commit) === 'deleted') throw deletedMeanwhile()
  const isReused = { replayed: false, reused: true, sameRequest: true }
  return { id: runId, status: 'done', url, enqueuedAt, sequence: last.sequence, ...isReused }
}

/**
 * Finds the run that an idempotency key has started, for a request that is invalid as a new run. Rejects like
 * `startRun` if that run was deleted (409), or is still being admitted (503).
 */
export const findStarted =
  ({ store, admissions }: Pick<Ports, 'store'> & { admissions: Pick<Admissions, 'earlier'> }) =>
  async ({ projectId, idempotencyKey: key, fingerprint }: FindStarted): Promise<FindStartedResponse> => {
    const earlier = await admissions.earlier({ projectId, key, fingerprint: fingerprint ?? '' })
    return { started: earlier && (await replay({ store }, earlier)) }
  }

/** Returns the run that the key has started. Waits for it, because it may not be in its stream yet. */
async function replay(
  { store }: Pick<Ports, 'store'>,
  { runId: id, ...earlier }: Earlier,
): Promise<RunStartedResponse> {
  for (let look = 0; look < replayLooks; look++) {
    const last = await store.last<RunCommit>(subjects.run(id))
    const status = last && statusOf(last.commit)
    if (status === 'deleted') throw deletedUnderThisKey()
    if (status) return { id, status, ...earlier, sequence: last.sequence, replayed: true }
    await sleep(replayPauseMs)
  }
  throw notYetAdmitted()
}
