/**
 * Stands in for fetcher and extractor: takes orders of FETCH, requests the simulated sites, and publishes outcomes with
 * the extractor's own publisher. It may be delivered an order twice, and then fetches again.
 */
import { createHash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { jsonParser } from '@tidemark/bus/codec'
import type { Bus } from '@tidemark/bus/connection'
import { consume } from '@tidemark/bus/consume'
import { ack } from '@tidemark/bus/verdict'
import { consumers, streams } from '@tidemark/contracts/subjects'
import { type FetchOrder, FetchOrders } from '@tidemark/contracts/work/fetch'
import type { FoundLink, Outcome } from '@tidemark/contracts/work/outcome'
import { staleCopy } from '@tidemark/contracts/work/revisit'
import { urlKey } from '@tidemark/url/key'
import { inScope } from '@tidemark/url/scope'
import { createOutcomes } from '../../../services/extractor/adapters/outcomes.ts'
import type { Site } from './site.ts'

type Ports = {
  bus: Bus
  siteOf: (url: string) => Site | undefined
  now: () => number
  /** Called for each request to a site. */
  requested: (orders: FetchOrders, order: FetchOrder) => void
  signal: AbortSignal
  report: (error: unknown) => void
}

const readOrders = jsonParser(FetchOrders)

/** Fetches until its process ends. */
export function fetchAll(ports: Ports): Promise<void> {
  const { bus, signal, report } = ports
  const publish = createOutcomes(bus, { signal, report })
  return consume<FetchOrders>(bus, {
    stream: streams.fetch,
    consumer: consumers.fetcher('http'),
    parse: readOrders,
    concurrency: 64,
    signal,
    report,
    async handle(orders) {
      const outcomes: Outcome[] = []
      for (const order of orders.orders) {
        if (order.stored) {
          outcomes.push(storedOutcomeOf(ports, orders, order, order.stored))
          continue
        }
        ports.requested(orders, order)
        outcomes.push(await outcomeOf(ports, orders, order))
        await sleep(orders.delayMs)
      }
      await publish(outcomes)
      return ack
    },
  })
}

async function outcomeOf(
  { siteOf, now }: Ports,
  { runId, scope, maxBytes = Number.POSITIVE_INFINITY }: FetchOrders,
  order: FetchOrder,
): Promise<Outcome> {
  const { kind, key, url, attempt } = order
  const site = siteOf(url)
  const about = { runId, key, attempt }
  const unknown = { type: 'failed', ...about, reason: 'dns', transient: false, retryAfterMs: 0 } as const
  if (kind === 'robots') {
    const origin = new URL(url).origin
    const robots = site?.robots(now()) ?? null
    await sleep(5)
    if (robots === null)
      return { type: 'robots_failed', ...about, origin, reason: 'timeout', transient: true }
    return {
      type: 'robots',
      ...about,
      origin,
      ...robots,
      bodyHash: robots.body === '' ? null : hashOf(robots.body),
    }
  }
  const answer = site?.get(url, now())
  if (answer === undefined) return unknown
  await sleep(answer.ms)
  if (answer.type === 'failed') {
    const { reason, transient } = answer
    return { type: 'failed', ...about, reason, transient, retryAfterMs: 0 }
  }
  if (answer.type === 'redirect') return { type: 'redirect', ...about, to: linkTo(answer.to) }
  const { status, blocked } = answer
  const bytes = bytesOf(url)
  // Half of the bodies that are too large were compressed, so that only their decoded bytes are.
  if (bytes > maxBytes && bytes % 2 === 0)
    return { type: 'failed', ...about, reason: 'max_bytes', transient: false, retryAfterMs: 0 }
  const links =
    status === 200 && !blocked ? answer.links.filter(link => inScope(scope, link)).map(linkTo) : []
  const hash = hashOf(`${url} ${status}`)
  return {
    type: 'page',
    ...about,
    status,
    bytes,
    fetchedAt: new Date().toISOString(),
    contentType: 'text/html',
    title: null,
    contentHash: hash,
    rawHash: hash,
    links,
    ...(blocked && { blocked: true }),
  }
}

/** Returns the outcome of a page of an earlier run. The store has lost a few of them. */
function storedOutcomeOf(
  { siteOf }: Ports,
  { runId, scope }: FetchOrders,
  { key, url, attempt }: FetchOrder,
  { runId: since, status, fetchedAt }: NonNullable<FetchOrder['stored']>,
): Outcome {
  const about = { runId, key, attempt }
  if (Number.parseInt(hashOf(`${since} ${url}`).slice(0, 2), 16) % 8 === 0)
    return { type: 'failed', ...about, reason: staleCopy, transient: true, retryAfterMs: 0 }
  const links = status === 200 ? (siteOf(url)?.linksOf(url) ?? []) : []
  const hash = hashOf(`${url} ${status}`)
  return {
    type: 'page',
    ...{ ...about, status, fetchedAt, bytes: bytesOf(url), contentType: 'text/html', title: null },
    ...{ contentHash: hash, rawHash: hash },
    links: links.filter(link => inScope(scope, link)).map(linkTo),
    carried: { since },
  }
}

/** Returns the size of a page: most are small, and a few exceed the usual bytes of an order. */
function bytesOf(url: string): number {
  const number = Number.parseInt(hashOf(url).slice(0, 6), 16)
  return number % 13 === 0 ? 300_000 + (number % 1_000) : 100 + (number % 2_000)
}

const linkTo = (url: string): FoundLink => [urlKey(url), url]
const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex')
