/**
 * Chooses the next backend for a page and the response to return at the end, from the attempts so far, the request and
 * the time left. Keeps no state.
 */
import type { BackendChoice, BackendName } from '@tidemark/contracts/rpc/backends'
import type { ProxyPool } from '@tidemark/contracts/run-settings'

/** One attempt by a backend or a proxy pool. */
export type Step = { backend: BackendName; pool?: ProxyPool }

/**
 * Outcome of an attempt. `shell`: only scripts would make the content. `refused`: a 403 without the marks of any
 * defense, which may be meant for clients other than browsers.
 */
export type Outcome = 'page' | 'shell' | 'refused' | 'challenge' | 'failed' | 'not_configured'
export type Past = Step & { outcome: Outcome; reason: string | null }

export type Plan = {
  means: BackendChoice
  /** Whether a screenshot is requested too, which requires a browser. */
  picture: boolean
  /** Milliseconds for all attempts together. */
  timeoutMs: number
}

export type Next =
  | { type: 'try'; step: Step; timeoutMs: number }
  /** `at`: the attempt whose response is returned; null without any response. */
  | { type: 'end'; at: number | null }

/** All steps, from the cheapest to the most expensive. */
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

/** Backends whose requests can leave from a given country. */
const leavesFromCountry: ReadonlySet<BackendName> = new Set(['proxy', 'vendor'])

/**
 * Share of the remaining time for one attempt when others may follow: a site that stalls plain clients leaves enough
 * for a browser.
 */
const shares: Readonly<Record<BackendName, number>> = {
  http: 0.3,
  faithful: 0.3,
  browser: 0.7,
  proxy: 0.4,
  vendor: 1,
}
/** Share of the total time reserved for a screenshot. */
const pictureShare = 0.4
/** Minimum time for a useful request. */
const minMs = 100

/**
 * Failures of the address or the page itself, which another backend would repeat. All other failures may be the
 * backend's.
 */
const final = new Set('dns private_address bad_url blocked_domain too_large'.split(' '))

/** Some firewalls send 406 instead of 403. */
const refusals: ReadonlySet<number> = new Set([403, 406])

/** @param leftMs time left for all attempts */
export function nextStep(plan: Plan, past: readonly Past[], leftMs: number): Next {
  const last = past.at(-1)
  if (last?.outcome === 'page') return { type: 'end', at: past.length - 1 }
  if (last?.outcome === 'failed' && final.has(last.reason ?? '')) return { type: 'end', at: best(past) }
  const [step, ...others] = stepsAfter(plan.means, past)
  if (step === undefined || (past.length > 0 && leftMs < minMs)) return { type: 'end', at: best(past) }
  return { type: 'try', step, timeoutMs: shareOf(plan, step, others, leftMs) }
}

/** Returns why a page that no browser fetched has no screenshot; null if a browser may still be tried. */
export function whyNoPicture(means: BackendChoice, past: readonly Past[], last: Outcome): string | null {
  if (last === 'challenge') return 'blocked'
  if (means.is === 'proxy' || means.is === 'vendor') return 'not_supported'
  const tried = past.find(({ backend }) => backend === 'browser')
  return tried === undefined ? null : reasonOf(tried)
}

/** Returns why a browser's attempt yielded no screenshot, as a stable code. */
export const reasonOf = ({ outcome, reason }: Pick<Past, 'outcome' | 'reason'>): string => {
  if (outcome === 'challenge') return 'blocked'
  return outcome === 'not_configured' ? 'not_configured' : (reason ?? 'failed')
}

export type Seen = { status: number; challenge: string | null; isShell: boolean }

/** A shell is not a result while a backend that runs scripts may follow. */
export function outcomeOf(
  means: BackendChoice,
  { backend }: Step,
  { status, challenge, isShell }: Seen,
): Outcome {
  if (challenge !== null) return 'challenge'
  if (means.is !== 'auto') return 'page'
  if (backend === 'http' && refusals.has(status)) return 'refused'
  return isShell && mayRunScripts(means, backend) ? 'shell' : 'page'
}

/** Returns whether a backend that runs scripts may follow: a browser, or with a country only the vendor. */
const mayRunScripts = ({ country }: Extract<BackendChoice, { is: 'auto' }>, backend: BackendName): boolean =>
  country === null ? backend === 'http' || backend === 'faithful' : backend === 'proxy'

/**
 * Returns the steps that are left. A shell leaves only the backend that runs scripts: the browser, or with a country
 * the vendor. A refusal leaves only the backend that resembles a browser.
 */
function stepsAfter(means: BackendChoice, past: readonly Past[]): Step[] {
  const left = stepsOf(means).filter(step => !past.some(tried => isSame(tried, step)))
  const has = (outcome: Outcome) => past.some(tried => tried.outcome === outcome)
  const scripted = 'country' in means && means.country !== null ? 'vendor' : 'browser'
  if (has('shell')) return left.filter(({ backend }) => backend === scripted)
  if (has('refused') && !has('challenge')) return left.filter(({ backend }) => backend === 'faithful')
  return left
}

/** A country leaves only proxies and the vendor. All others use the address of the installation. */
function stepsOf(means: BackendChoice): readonly Step[] {
  if (means.is === 'auto') {
    const steps = ladder.slice(ladder.findIndex(({ backend }) => backend === means.from))
    return means.country === null ? steps : steps.filter(({ backend }) => leavesFromCountry.has(backend))
  }
  return [means.is === 'proxy' ? { backend: means.is, pool: means.pool } : { backend: means.is }]
}

const isSame = (one: Step, other: Step): boolean => one.backend === other.backend && one.pool === other.pool

/** The last attempt gets all the remaining time, less the time reserved for a screenshot. */
function shareOf({ means, picture, timeoutMs }: Plan, step: Step, others: Step[], leftMs: number): number {
  const isTakenLater = picture && step.backend !== 'browser' && (means.is === 'http' || means.is === 'auto')
  const free = isTakenLater ? leftMs - timeoutMs * pictureShare : leftMs
  const share = others.length === 0 ? 1 : shares[step.backend]
  return Math.max(1, Math.floor(Math.min(leftMs, minMs)), Math.floor(free * share))
}

/**
 * Returns the index of the best attempt. A shell is preferred, because it is the page itself as far as it is available.
 * Of several challenges, the last is returned.
 */
function best(past: readonly Past[]): number | null {
  for (const outcome of ['shell', 'challenge', 'refused'] as const) {
    const at = past.findLastIndex(tried => tried.outcome === outcome)
    if (at !== -1) return at
  }
  return null
}
