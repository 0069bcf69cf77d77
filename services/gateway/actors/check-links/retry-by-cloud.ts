/** Retries a few blocked links by a cloud backend. Each costs one cloud page, within the cap. */
import { type CheckLinksRequest, maxCloudRetries } from '@tidemark/contracts/http/actors/check-links'
import { answersOfMissing } from '@tidemark/contracts/link-answers'
import type { BackendChoice } from '@tidemark/contracts/rpc/backends'
import type { GetPage, GotPage } from '@tidemark/contracts/rpc/cloud'
import { nothing } from '@tidemark/contracts/rpc/content'
import type { ProxyPool } from '@tidemark/contracts/run-settings'
import { forEachPerHost } from '@tidemark/url/host-lanes'
import { costOf, endingOfPage, usd } from '../../live-pages/domain/price-of.ts'
import { isCrowded, retryWhileUnavailable } from '../../live-pages/retry-while-unavailable.ts'
import type { Payer } from '../../metering/adapters/metering.ts'
import type { Tried } from '../../metering/domain/metering.ts'
import type { ActorPorts } from '../ports.ts'
import { type Checked, type CheckedTargets, isBlocked } from './domain/link-items.ts'
import type { Target } from './domain/link-list.ts'

type Ports = Pick<ActorPorts, 'cloud' | 'metering' | 'proxyPrices' | 'probes'>

export type Retrying = {
  payer: Payer
  requestId: string
  workId: number
  how: Pick<CheckLinksRequest, 'cloud_retry_mode' | 'proxy_pool'>
  signal: AbortSignal
  /** Called before the first retry, and after each. */
  progress: (done: number, total: number) => void
}

export type Retried = {
  checked: CheckedTargets
  tried: Tried[]
  costUsd: number
  retried: number
  recovered: number
  warnings: string[]
}

const as = 'check_links_retry'
/** The number of concurrent retries, small because browsers are few. */
const atOnce = 4
const pageMs = 40_000
/** Never throws for a page. Links that exceed the cap or have no backend stay unchanged, with a warning. */
export async function retryByCloud(
  ports: Ports,
  found: CheckedTargets,
  { payer, requestId, workId, how, signal, progress }: Retrying,
): Promise<Retried> {
  const checked = new Map(found)
  const retried: Retried = { checked, tried: [], costUsd: 0, retried: 0, recovered: 0, warnings: [] }
  const blocked = [...found].filter(([, one]) => isBlocked(one)).map(([target]) => target)
  if (blocked.length === 0 || signal.aborted) return retried
  const warn = (warning: string) => void retried.warnings.push(warning)
  const means = await meansFor(ports, how, warn)
  if (means === null) return retried
  const chosen = blocked.slice(0, await reserveRetries(ports, payer, requestId, blocked.length, warn))
  const work: Omit<GetPage, 'url'> = {
    workId,
    projectId: payer.projectId,
    concurrency: atOnce,
    means,
    wanted: nothing,
    waitFor: 'networkidle',
    picture: false,
    timeoutMs: pageMs,
    delayMs: ports.probes.delayMs,
    respectRobots: true,
  }
  const lanes = { concurrency: atOnce, perHost: ports.probes.perHost, signal }
  progress(0, chosen.length)
  await forEachPerHost(chosen, lanes, async target => {
    await retry(target)
    progress(retried.retried, chosen.length)
  })
  retried.costUsd = usd(retried.costUsd)
  return retried

  async function retry(target: Target): Promise<void> {
    const getOnce = () => ports.cloud.getPage({ ...work, url: target.url })
    const got = await retryWhileUnavailable(signal, getOnce, isCrowded).catch(() => null)
    retried.retried += 1
    retried.tried.push({ what: target.url, ending: got === null ? 'failed' : endingOfPage(got), as })
    if (got === null) return
    retried.costUsd += costOf(got, ports.proxyPrices)
    const before = checked.get(target)
    const after = before && settledBy(got, before)
    if (after === undefined) return
    checked.set(target, after)
    if (after.isRecovered) retried.recovered += 1
  }
}

/**
 * Judges a blocked link by the response that a cloud backend received: ok for a page that exists, broken for a missing
 * one. Returns undefined for any other status, which is another refusal, and for a challenge.
 */
function settledBy({ status, url, content }: GotPage, before: Checked): Checked | undefined {
  if (content.challenge !== null) return undefined
  const answered = { ...before, statusCode: status, url, leaveAloneMs: null }
  if (status < 400) return { ...answered, status: 'ok', reason: null, error: null, isRecovered: true }
  const row = answersOfMissing.find(({ from }) => from === status)
  if (row === undefined) return undefined
  return { ...answered, status: row.status, reason: row.reason, error: `${status}: ${row.explanation}` }
}

/** Returns the pool for retries. */
export const retryPoolOf = ({ proxy_pool }: Pick<Retrying['how'], 'proxy_pool'>): ProxyPool =>
  proxy_pool ?? 'residential'

/** Returns null if there is no browser or the state is unknown. A missing pool was refused before. */
async function meansFor(
  { cloud }: Ports,
  how: Retrying['how'],
  warn: (warning: string) => void,
): Promise<BackendChoice | null> {
  const isByBrowser = how.cloud_retry_mode === 'chrome'
  const state = await cloud.state().catch(() => null)
  if (state === null || (isByBrowser && !state.browser)) {
    const why = state === null ? 'the cloud backends are unavailable' : 'this installation has no browser'
    warn(`blocked links were not retried, because ${why}`)
    return null
  }
  return isByBrowser ? { is: 'browser' } : { is: 'proxy', pool: retryPoolOf(how), country: null }
}

/** Returns the number of links that may be retried. */
async function reserveRetries(
  { metering }: Ports,
  payer: Payer,
  requestId: string,
  wanted: number,
  warn: (warning: string) => void,
): Promise<number> {
  const units = Math.min(wanted, maxCloudRetries)
  if (units < wanted) warn(`only ${units} of ${wanted} blocked links were retried`)
  const reserving = metering.reserve(payer, { requestId, kind: 'cloud_page', units, orNone: true })
  const reserved = await reserving.catch(() => null)
  if (reserved === null)
    warn('blocked links were not retried, because their cloud pages could not be reserved')
  else if (reserved.granted < units)
    warn(`the daily cap of cloud pages allowed ${reserved.granted} of ${units} retries`)
  return reserved?.granted ?? 0
}
