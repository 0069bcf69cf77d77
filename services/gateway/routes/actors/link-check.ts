/** One request of `check-links` at work: room first, then the links, what blocked us once more, and the bill. */
import {
  type CheckLinksRequest,
  type LinksChecked,
  linksAtOnce,
} from '@tidemark/contracts/http/actor-check-links'
import type { Granted, Payer } from '../../adapters/metering.ts'
import {
  type CheckedTargets,
  countsOf,
  endingOfLink,
  linkItems,
  unaskedFor,
} from '../../domain/actors/link-items.ts'
import { listOf, type Settled, type Target } from '../../domain/actors/link-list.ts'
import type { Tried } from '../../domain/metering.ts'
import { newWork } from '../read-one.ts'
import type { ActorOutcome, ActorWork } from './answer-actor.ts'
import { checkTargets } from './check-targets.ts'
import { type LinkSource, linkSource } from './link-source.ts'
import type { ActorPorts } from './ports.ts'
import { type Retried, retryByCloud } from './retry-by-cloud.ts'

type Order = { body: CheckLinksRequest; payer: Payer; requestId: string }
type Room = Granted & { targets: readonly Target[] }

const operation = 'check_links'
/** Nothing more is begun after that, and what was reserved is billed before it expires. */
const mostMs = 10 * 60_000

/** Throws `ApiProblem` where nothing could be checked: then nothing is billed. */
export async function checkLinks(ports: ActorPorts, order: Order, at: ActorWork): Promise<ActorOutcome> {
  const { body, payer, requestId } = order
  const { workId, concurrency } = newWork(Math.min(Math.max(body.max_concurrent, 1), linksAtOnce.most))
  at.signal.addEventListener('abort', () => ports.contents.drop(workId), { once: true })
  const work = { workId, projectId: payer.projectId }
  const source = await linkSource(ports, body, work)
  const { listed, targets, repeated } = listOf(source.links)
  const room = { targets, ...(await roomFor(ports, order, targets.length)) }
  try {
    const signal = AbortSignal.any([at.signal, AbortSignal.timeout(mostMs)])
    const { checked, whyUnasked } = await checkWith(ports, room, { ...work, concurrency, signal }, at)
    const cloud = await byCloud(ports, order, checked, { workId, signal }, at)
    const tried = [...triedOf(room, checked), ...cloud.tried]
    await ports.metering.served(payer, { requestId, operation, tried, costUsd: cloud.costUsd })
    const beyond = beyondRoom(room)
    const unasked = (target: Target) => beyond.get(target) ?? whyUnasked(target)
    const items = linkItems(listed, cloud.checked, unasked, ports.probes.blockedAs)
    const data = dataOf(body, items, cloud)
    const warnings = [...warningsOf(source, repeated, room), ...cloud.warnings]
    return { data, warnings, ...(source.page && { page: source.page }) }
  } catch (error) {
    await ports.metering.release(payer, requestId)
    throw error
  }
}

/** Throws `ApiProblem` where there is room for none. */
async function roomFor(
  { metering }: ActorPorts,
  { payer, requestId }: Order,
  units: number,
): Promise<Granted> {
  if (units === 0) return { granted: 0, reason: null }
  return metering.reserve(payer, { requestId, kind: 'page', units })
}

function checkWith(
  ports: ActorPorts,
  { targets, granted }: Room,
  work: { workId: number; projectId: number; concurrency: number; signal: AbortSignal },
  { progress }: ActorWork,
) {
  const chosen = targets.slice(0, granted)
  let done = 0
  const say = () => progress({ stage: 'checking links', done, total: chosen.length })
  say()
  return checkTargets(ports, chosen, {
    ...work,
    done: () => {
      done += 1
      say()
    },
  })
}

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
  const say = (done: number, total: number) => progress({ stage: 'trying again by the cloud', done, total })
  const retried = await retryByCloud(ports, checked, { payer, requestId, how: body, ...work, progress: say })
  return { ...retried, warnings: [...ignored, ...retried.warnings] }
}

const withoutProxies = 'proxy_pool was ignored, because it is of cloud_retry with cloud_retry_mode proxy'

/** What is billed: links of which any request went out. */
const triedOf = ({ targets }: Room, checked: CheckedTargets): Tried[] =>
  targets.flatMap(target => {
    const found = checked.get(target)
    return found?.isAsked ? [{ what: target.url, ending: endingOfLink(found) }] : []
  })

/** Targets for which the cap had no room. */
function beyondRoom({ targets, granted, reason }: Room): Map<Target, Settled> {
  const says = unaskedFor[reason === 'monthly_pages' ? reason : 'daily_pages']
  return new Map(targets.slice(granted).map(target => [target, says]))
}

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
  { targets, granted }: Room,
): Generator<string> {
  yield* warnings
  if (page !== undefined && page.status >= 400)
    yield `the page answered ${page.status}; its links are those of that answer`
  if (repeated > 0) yield `${repeated} addresses were listed before, and are told once`
  if (granted < targets.length) yield `the page cap had room for ${granted} of ${targets.length} links`
}
