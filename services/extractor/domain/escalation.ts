/**
 * By which backend a page is tried next, and which answer is told in the end. Decided from what has been tried, from
 * what is wanted and from the time that is left; nothing is remembered besides.
 */
import type { BackendName, Means } from '@tidemark/contracts/ask/means'
import type { ProxyPool } from '@tidemark/contracts/run-settings'

/** One backend's turn, or that of one pool of proxies. */
export type Step = { backend: BackendName; pool?: ProxyPool }

/**
 * How a turn ended. `shell`: only scripts would make its content. `refused`: with 403 and without the marks of any
 * defence, which may be meant for a client that is no browser.
 */
export type Outcome = 'page' | 'shell' | 'refused' | 'challenge' | 'failed' | 'not_configured'
export type Past = Step & { outcome: Outcome; reason: string | null }

export type Plan = {
  means: Means
  /** Whether a picture is wanted too, which only a browser takes. */
  picture: boolean
  /** For all turns together. */
  timeoutMs: number
}

export type Next =
  | { is: 'try'; step: Step; timeoutMs: number }
  /** `at`: which of the past is told; null where none had any answer. */
  | { is: 'end'; at: number | null }

/** From the cheapest to the dearest. */
const ladder: readonly Step[] = [
  { backend: 'http' },
  { backend: 'faithful' },
  { backend: 'browser' },
  { backend: 'proxy', pool: 'datacenter' },
  { backend: 'proxy', pool: 'isp' },
  { backend: 'proxy', pool: 'residential' },
  { backend: 'proxy', pool: 'mobile' },
  { backend: 'vendor' },
]

/**
 * Of what is left, how much one turn may take where others may follow: a site that lets plain clients hang leaves
 * enough for a browser.
 */
const shares: Readonly<Record<BackendName, number>> = {
  http: 0.3,
  faithful: 0.3,
  browser: 0.7,
  proxy: 0.4,
  vendor: 1,
}
/** Of all time, for a picture that is still to be taken. */
const pictureShare = 0.4
/** With less time than this a request is not worth its while. */
const leastMs = 100

/** What another way does not mend: it is so of the address, or of the page. Everything else may be the way's fault. */
const final: ReadonlySet<string> = new Set([
  'dns',
  'private_address',
  'bad_url',
  'blocked_domain',
  'too_large',
  'out_of_scope',
])

/** 406 is how some firewalls say 403. */
const refusals: ReadonlySet<number> = new Set([403, 406])

/** @param leftMs of the time for all turns */
export function nextStep(plan: Plan, past: readonly Past[], leftMs: number): Next {
  const last = past.at(-1)
  if (last?.outcome === 'page') return { is: 'end', at: past.length - 1 }
  if (last?.outcome === 'failed' && final.has(last.reason ?? '')) return { is: 'end', at: best(past) }
  const [step, ...others] = stepsAfter(plan.means, past)
  if (step === undefined || (past.length > 0 && leftMs < leastMs)) return { is: 'end', at: best(past) }
  return { is: 'try', step, timeoutMs: shareOf(plan, step, others, leftMs) }
}

/** Why a page that no browser had has no picture; null where a browser may be asked for one yet. */
export function whyNoPicture(means: Means, past: readonly Past[], told: Outcome): string | null {
  if (told === 'challenge') return 'blocked'
  if (means.is === 'proxy' || means.is === 'vendor') return 'not_supported'
  const tried = past.find(({ backend }) => backend === 'browser')
  return tried === undefined ? null : reasonOf(tried)
}

/** Why a browser's turn came to no picture, as a stable code. */
export const reasonOf = ({ outcome, reason }: Pick<Past, 'outcome' | 'reason'>): string => {
  if (outcome === 'challenge') return 'blocked'
  return outcome === 'not_configured' ? 'not_configured' : (reason ?? 'failed')
}

export type Seen = { status: number; challenge: string | null; isShell: boolean }

/** A page that needs scripts is not had where there are none and a browser may follow. */
export function outcomeOf(means: Means, { backend }: Step, { status, challenge, isShell }: Seen): Outcome {
  if (challenge !== null) return 'challenge'
  if (means.is !== 'auto') return 'page'
  if (backend === 'http' && refusals.has(status)) return 'refused'
  return isShell && (backend === 'http' || backend === 'faithful') ? 'shell' : 'page'
}

/** Of a shell nothing but a browser makes more; and for a refusal nobody dearer is asked than who looks like one. */
function stepsAfter(means: Means, past: readonly Past[]): Step[] {
  const left = stepsOf(means).filter(step => !past.some(tried => isSame(tried, step)))
  const has = (outcome: Outcome) => past.some(tried => tried.outcome === outcome)
  if (has('shell')) return left.filter(({ backend }) => backend === 'browser')
  if (has('refused') && !has('challenge')) return left.filter(({ backend }) => backend === 'faithful')
  return left
}

function stepsOf(means: Means): readonly Step[] {
  if (means.is === 'auto') return ladder.slice(ladder.findIndex(({ backend }) => backend === means.from))
  return [means.is === 'proxy' ? { backend: means.is, pool: means.pool } : { backend: means.is }]
}

const isSame = (one: Step, other: Step): boolean => one.backend === other.backend && one.pool === other.pool

/** The last one has all that is left; but a picture has its time kept for it. */
function shareOf({ means, picture, timeoutMs }: Plan, step: Step, others: Step[], leftMs: number): number {
  const isTakenLater = picture && step.backend !== 'browser' && (means.is === 'http' || means.is === 'auto')
  const free = isTakenLater ? leftMs - timeoutMs * pictureShare : leftMs
  const share = others.length === 0 ? 1 : shares[step.backend]
  return Math.max(1, Math.floor(Math.min(leftMs, leastMs)), Math.floor(free * share))
}

/** A shell is the page itself, as far as it can be had; of challenges the last one counts. */
function best(past: readonly Past[]): number | null {
  for (const outcome of ['shell', 'challenge', 'refused'] as const) {
    const at = past.findLastIndex(tried => tried.outcome === outcome)
    if (at !== -1) return at
  }
  return null
}
