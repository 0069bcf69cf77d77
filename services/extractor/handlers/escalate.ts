/** Fetches one page by the cheapest backend that can, makes the requested content, and reports all attempts. */

import type { Owner } from '@tidemark/bus/fair-line'
import { Refusal } from '@tidemark/bus/refusal'
import type { BackendChoice, Try } from '@tidemark/contracts/rpc/backends'
import type { GetPage } from '@tidemark/contracts/rpc/cloud'
import type { Wanted } from '@tidemark/contracts/rpc/content'
import type { By, FetchNow, WaitFor } from '@tidemark/contracts/rpc/fetch'
import { maxPageRedirects } from '@tidemark/contracts/work/redirects'
import type { ContentThread, ThreadAnswer } from '../adapters/content-thread.ts'
import type { Failed, Fetched, FetchPage } from '../adapters/fetch-now.ts'
import { type Next, nextStep, outcomeOf, type Past, type Step } from '../domain/escalation.ts'
import { decodedOrRefused, refusalOf } from './fetch-refusal.ts'

export type EscalatePorts = {
  fetchPage: FetchPage
  thread: Pick<ContentThread, 'make' | 'expect'>
  /** Limits of the body as sent, and decoded. */
  maxBytes: number
  maxDecodedBytes: number
}

/** State that all attempts share. */
export type Escalation = Pick<
  FetchNow,
  'workId' | 'projectId' | 'url' | 'delayMs' | 'concurrency' | 'userAgent'
> & {
  means: BackendChoice
  waitFor: WaitFor
  actions?: GetPage['actions']
  picture: boolean
  wanted: Wanted
  owner: Owner
  /** Whether another backend already received a challenge. */
  isChecked?: boolean
  /** Whether the caller needs the body of the page. */
  keepsBody?: boolean
  /** Deadline of all attempts, on the clock of `performance.now()`. */
  endsAt: number
}

/** A page from any backend. */
export type BackendResponse = {
  step: Step
  outcome: Past['outcome']
  page: Omit<Fetched, 'body' | 'picture'>
  picture: Buffer | null
  /** Decoded; null: the caller does not need it. */
  body: Buffer | null
  made: ThreadAnswer
  fetchedAt: string
}

export type Escalated = { response: BackendResponse; past: Past[]; tried: Try[] }

type Attempt = {
  past: Past
  tried: Try
  response: BackendResponse | null
  refusal: Refusal | null
  /** Whether it ended before a request was sent, such as while it waited for a slot of the host. */
  isUnasked?: boolean
}

/** @throws Refusal if no backend got a response: with the reason of one and the failures of the others */
export async function escalate(ports: EscalatePorts, escalation: Escalation): Promise<Escalated> {
  const { means, picture, endsAt } = escalation
  const plan = { means, picture, timeoutMs: endsAt - performance.now() }
  const attempts: Attempt[] = []
  for (;;) {
    const past = attempts.map(attempt => attempt.past)
    const next: Next = nextStep(plan, past, endsAt - performance.now())
    if (next.type === 'end') {
      const response = next.at === null ? null : (attempts[next.at]?.response ?? null)
      if (response === null) throw refusalFor(attempts)
      return { response, past, tried: attempts.map(({ tried }) => tried) }
    }
    const isChecked = past.some(({ outcome }) => outcome === 'challenge')
    attempts.push(await tryBackend(ports, { ...escalation, isChecked }, next.step, next.timeoutMs))
    dropReplaced(attempts)
  }
}

/** One backend's attempt. Rejects with a `Refusal` for a fetched page that exceeds the limits of reading. */
export async function tryBackend(
  ports: EscalatePorts,
  escalation: Escalation,
  step: Step,
  timeoutMs: number,
): Promise<Attempt> {
  const started = performance.now()
  const attemptOf = (outcome: Past['outcome'], reason: string | null, costUsd = 0) => {
    const elapsedMs = Math.round(performance.now() - started)
    const tried = { ...step, outcome: triedAs[outcome], reason, elapsedMs, costUsd }
    return { past: { ...step, outcome, reason }, tried }
  }
  const fetched = await fetchBy(ports, escalation, step, timeoutMs)
  if (fetched instanceof Refusal) {
    const isUnasked = fetched.code === 'unavailable'
    const attempt = attemptOf('failed', fetched.reason ?? fetched.code)
    return { ...attempt, response: null, refusal: fetched, isUnasked }
  }
  if (fetched.is === 'failed') {
    const { reason, isUnasked = false } = fetched
    const outcome = reason === 'not_configured' ? 'not_configured' : 'failed'
    return { ...attemptOf(outcome, reason), response: null, refusal: refusalOf(fetched), isUnasked }
  }
  const { body, picture = null, ...page } = fetched
  const { url, status, contentType, headers } = page
  const fetchedAt = new Date().toISOString()
  const { owner, means, keepsBody = false } = escalation
  const isRefused = outcomeOf(means, step, { status, challenge: null, isShell: false }) === 'refused'
  const wanted = isRefused ? withoutModel(escalation.wanted) : escalation.wanted
  const made = await ports.thread.make({ url, status, contentType, headers, body, wanted }, owner)
  const outcome = outcomeOf(means, step, { status, ...made })
  const reason = reasons[outcome] ?? made.challenge
  const response = { step, outcome, page, picture, body: keepsBody ? body : null, made, fetchedAt }
  return { ...attemptOf(outcome, reason, page.costUsd), response, refusal: null }
}

/** A response that another backend may replace is not sent to a model, because its tokens would be lost. */
const withoutModel = ({ byModel: _, ...wanted }: Wanted): Wanted => wanted

/** Why the content may be incomplete. */
const reasons: Partial<Record<Past['outcome'], string>> = { shell: 'needs_scripts', refused: 'refused' }

const triedAs = {
  page: 'got',
  shell: 'got',
  refused: 'got',
  challenge: 'blocked',
  failed: 'failed',
  not_configured: 'not_configured',
} as const satisfies Record<Past['outcome'], Try['outcome']>

/** `body` is decoded. A body that cannot be decoded counts as failed, and so does a backend without fetchers. */
async function fetchBy(
  { fetchPage, maxBytes, maxDecodedBytes }: EscalatePorts,
  escalation: Escalation,
  step: Step,
  timeoutMs: number,
): Promise<Fetched | Failed | Refusal> {
  const { workId, projectId, url, delayMs, concurrency, userAgent } = escalation
  const by = byOf(escalation, step)
  const request: FetchNow = {
    ...{ workId, url, maxHops: maxPageRedirects, maxBytes, cuts: false, timeoutMs },
    ...(projectId !== undefined && { projectId }),
    ...(delayMs !== undefined && { delayMs }),
    ...(concurrency !== undefined && { concurrency }),
    ...(userAgent !== undefined && { userAgent }),
    ...(by !== null && { by }),
  }
  try {
    const answer = await fetchPage(request)
    if (answer.is === 'failed') return answer
    return { ...answer, body: decodedOrRefused(answer.body, answer.encodings, maxDecodedBytes) }
  } catch (error) {
    if (error instanceof Refusal) return error
    throw error
  }
}

function byOf(
  { means, waitFor, picture, isChecked, actions = [] }: Escalation,
  { backend, pool }: Step,
): By | null {
  const country = 'country' in means ? means.country : null
  if (backend === 'http') return null
  // A page that reached the browser without a hint is made by scripts, or checks its visitors for a while.
  if (backend === 'browser') {
    const until = means.is === 'auto' ? 'networkidle' : waitFor
    const acts = actions.length > 0 && { actions }
    return { backend, waitFor: until, picture, ...(isChecked && { isChecked }), ...acts }
  }
  if (backend === 'vendor') return { backend, country, waitFor }
  return backend === 'proxy' ? { backend, pool: pool ?? 'isp', country } : { backend }
}

/** Keeps only the candidates for the response: the shell and the newest. */
function dropReplaced(attempts: Attempt[]): void {
  const newest = attempts.findLast(({ response }) => response !== null)
  for (const attempt of attempts)
    if (attempt !== newest && attempt.past.outcome !== 'shell') attempt.response = null
}

/**
 * The first failure of a request that was sent is the most informative. Without one it is the first failure: a missing
 * backend only reports its absence.
 */
function refusalFor(attempts: Attempt[]): Refusal {
  const refused = attempts.filter(({ refusal }) => refusal !== null)
  const failed = refused.filter(({ past }) => past.outcome === 'failed')
  const [first] = [...failed.filter(({ isUnasked }) => !isUnasked), ...failed, ...refused]
  const others = refused.filter(attempt => attempt !== first)
  const refusal = first?.refusal ?? refusalOf({ reason: 'timeout', message: 'No backend responded in time.' })
  if (others.length === 0) return refusal
  const also = others.map(({ tried }) => `${tried.pool ?? tried.backend}: ${tried.reason}`).join(', ')
  return new Refusal({ ...refusal.toJSON(), message: `${refusal.message} (${also})` }, { cause: refusal })
}
