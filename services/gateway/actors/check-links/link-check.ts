/** Runs one request of `check-links`: reserves, checks the links, retries the blocked ones, and bills. */
import {
  type CheckLinksRequest,
  type LinksChecked,
  linksAtOnce,
} from '@tidemark/contracts/http/actors/check-links'
import { shownAddress } from '../../http/domain/address.ts'
import { refusal } from '../../http/domain/refusal.ts'
import { offeredProxy, proxyFields } from '../../live-pages/domain/proxy-offer.ts'
import { judgeSeed } from '../../live-pages/judge-seed.ts'
import type { Granted, Payer } from '../../metering/adapters/metering.ts'
import type { Tried } from '../../metering/domain/metering.ts'
import { reserveUnlessDisconnected } from '../../metering/reserve-unless-disconnected.ts'
import type { ActorOutcome, ActorWork } from '../answer-actor.ts'
import type { ActorPorts } from '../ports.ts'
import { type CheckedWithinCap, checkWithinCap, type Reserved } from './check-within-cap.ts'
import { type CheckedTargets, countsOf, endingOfLink, linkItems } from './domain/link-items.ts'
import { linksOf, listOf } from './domain/link-list.ts'
import { type LinkSource, linkSource } from './link-source.ts'
import { type Retried, retryByCloud, retryPoolOf } from './retry-by-cloud.ts'

type Order = { body: CheckLinksRequest; sentFields: ReadonlySet<string>; payer: Payer; requestId: string }

/**
 * Returns the subject of the request for its answer. Throws `ApiProblem` unless exactly one of `url` and `urls` is
 * sent.
 */
export function subjectOfLinks({ url, urls }: CheckLinksRequest): string {
  if (url !== undefined && urls !== undefined)
    throw refusal('urls', 'conflicting_fields', 'Send url or urls, not both.')
  const first = url ?? urls?.[0]
  if (first === undefined) throw refusal('url', 'required', 'url or urls is required.')
  return shownAddress(first)
}

const operation = 'check_links'
/** Nothing new begins after this time, so that the reservation is billed before it expires. */
const maxMs = 10 * 60_000

/** Throws `ApiProblem` if nothing could be checked; then nothing is billed. */
export async function checkLinks(ports: ActorPorts, order: Order, at: ActorWork): Promise<ActorOutcome> {
  const { body, payer, requestId } = order
  const { workId } = at
  const concurrency = concurrencyOf(body)
  const work = { workId, projectId: payer.projectId }
  if (body.url !== undefined) await judgeSeed(ports, body.url)
  await assertProxies(ports, body)
  // The number of links is unknown before the page is read, but the page is only read if the cap allows at least one.
  const first = await reserve(ports, order, body.urls === undefined ? 1 : targetsOf(body.urls), at.signal)
  const source = await linkSource(ports, body, work).catch(async error => {
    await servedNothing(ports, order)
    throw error
  })
  const { listed, targets, repeated } = listOf(source.links)
  try {
    const isMore = first.reason === null && targets.length > first.granted
    const granted = isMore ? await reserve(ports, order, targets.length, at.signal) : first
    const reserved = { targets, ...granted }
    const signal = AbortSignal.any([at.signal, AbortSignal.timeout(maxMs)])
    const found = await checkWithinCap(ports, reserved, { ...work, concurrency, signal }, at.progress)
    const { checked, whyNotRequested } = found
    const cloud = await byCloud(ports, order, checked, { workId, signal }, at)
    // The first entry of the bill has the cost in US dollars, so the cloud pages are listed before the links.
    const tried = [...cloud.tried, ...triedOf(reserved, checked)]
    await ports.metering.served(payer, { requestId, operation, tried, costUsd: cloud.costUsd })
    const items = linkItems(listed, cloud.checked, whyNotRequested, ports.probes.blockedAs)
    const data = dataOf(body, items, cloud)
    const warnings = [
      ...ignoredOf(order),
      ...warningsOf(source, repeated, reserved, found),
      ...cloud.warnings,
    ]
    return { data, warnings, ...(source.page && { page: source.page }) }
  } catch (error) {
    ports.metering.release(payer, requestId)
    throw error
  }
}

const concurrencyOf = ({ max_concurrent: wanted }: CheckLinksRequest): number =>
  Math.min(Math.max(wanted, 1), linksAtOnce.max)

/** Returns warnings about settings of the request that have no effect as sent. */
function* ignoredOf({ body, sentFields }: Order): Generator<string> {
  const { max_concurrent: wanted, cloud_retry } = body
  if (wanted > linksAtOnce.max)
    yield `max_concurrent was capped at ${linksAtOnce.max}, the maximum of a link check`
  if (wanted < 1) yield 'max_concurrent was raised to 1, the minimum of a link check'
  if (!cloud_retry && sentFields.has('cloud_retry_mode'))
    yield 'cloud_retry_mode was ignored, because it needs cloud_retry'
}

/** Throws `ApiProblem` if links are to be retried by a pool that is not configured. Accepts an unknown state. */
async function assertProxies({ cloud }: ActorPorts, body: CheckLinksRequest): Promise<void> {
  if (!body.cloud_retry || body.cloud_retry_mode !== 'proxy') return
  const state = await cloud.state().catch(() => null)
  if (state !== null) offeredProxy(state, retryPoolOf(body), undefined, proxyFields)
}

const targetsOf = (urls: readonly string[]): number => listOf(linksOf(urls)).targets.length

/** Reserves this number of links. Throws `ApiProblem` if the cap allows none. */
async function reserve(
  { metering }: ActorPorts,
  { payer, requestId }: Order,
  units: number,
  signal: AbortSignal,
): Promise<Granted> {
  if (units === 0) return { granted: 0, reason: null }
  return reserveUnlessDisconnected(metering, payer, { requestId, kind: 'page', units }, signal)
}

/** Records the request without units. It costs nothing, because no link was requested. */
const servedNothing = ({ metering }: ActorPorts, { payer, requestId }: Order): Promise<void> =>
  metering.served(payer, { requestId, operation, tried: [] }).catch(() => metering.release(payer, requestId))

async function byCloud(
  ports: ActorPorts,
  { body, payer, requestId }: Order,
  checked: CheckedTargets,
  work: { workId: number; signal: AbortSignal },
  { progress }: ActorWork,
): Promise<Retried> {
  const { cloud_retry, cloud_retry_mode: mode, proxy_pool: pool } = body
  const ignored = pool === undefined || (cloud_retry && mode === 'proxy') ? [] : [withoutProxies]
  const none = { checked, tried: [], costUsd: 0, retried: 0, recovered: 0, warnings: ignored }
  if (!cloud_retry) return none
  const report = (done: number, total: number) =>
    progress({ stage: 'retrying with a cloud backend', done, total })
  const retried = await retryByCloud(ports, checked, {
    payer,
    requestId,
    how: body,
    ...work,
    progress: report,
  })
  return { ...retried, warnings: [...ignored, ...retried.warnings] }
}

const withoutProxies = 'proxy_pool was ignored, because it needs cloud_retry with cloud_retry_mode proxy'

/** Returns the links to bill: those with at least one request sent. */
const triedOf = ({ targets }: Reserved, checked: CheckedTargets): Tried[] =>
  targets.flatMap(target => {
    const found = checked.get(target)
    return found?.isAsked ? [{ what: target.url, ending: endingOfLink(found) }] : []
  })

const dataOf = (
  { url }: CheckLinksRequest,
  items: LinksChecked['items'],
  { retried, recovered, costUsd }: Retried,
): LinksChecked => ({
  source_url: url ?? null,
  ...countsOf(items),
  cloud_retried: retried,
  cloud_recovered: recovered,
  cloud_cost_usd: costUsd,
  items,
})

function* warningsOf(
  { warnings, page }: LinkSource,
  repeated: number,
  { targets }: Reserved,
  { beyond }: CheckedWithinCap,
): Generator<string> {
  yield* warnings
  if (page !== undefined && page.status >= 400)
    yield `the page responded with ${page.status}; its links are those of that response`
  if (repeated > 0) yield `${repeated} addresses were listed before, and are reported once`
  if (beyond > 0) yield `the page cap allowed ${targets.length - beyond} of ${targets.length} links`
}
