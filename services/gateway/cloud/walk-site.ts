/**
 * Crawls one site while a client waits, a few pages at once, until all pages are read, the limit is reached or the time
 * is over.
 */
import type { CloudCrawlFailure, CloudCrawlItem } from '@tidemark/contracts/http/cloud/crawl'
import type { GetPage, GotPage } from '@tidemark/contracts/rpc/cloud'
import { defaultDelayMs } from '@tidemark/contracts/rpc/fetch'
import { problemOf } from '../http/requests/problem-of.ts'
import { costOf, endingOfPage } from '../live-pages/domain/price-of.ts'
import { backendsTimeoutMs, newWork } from '../live-pages/read-one.ts'
import { isCrowded, retryWhileUnavailable } from '../live-pages/retry-while-unavailable.ts'
import type { Tried } from '../metering/domain/metering.ts'
import { GatheredItems } from './domain/gathered-items.ts'
import { linkTargetsOf } from './domain/links-of.ts'
import { textIn, wantedWithLinks } from './domain/return-format.ts'
import { SiteWalk, type Step } from './domain/site-walk.ts'
import type { CloudPorts } from './ports.ts'

const atOnce = 4
const maxFailures = 100

export type Walk = {
  projectId: number
  url: string
  limit: number
  format: Parameters<typeof textIn>[0]
  means: GetPage['means']
  /** Ends the walk when it aborts. */
  signal: AbortSignal
  /** Milliseconds until the walk ends. */
  timeoutMs: number
}

export type Walked = {
  items: GatheredItems
  failed: CloudCrawlFailure[]
  /** Number of failures beyond the listed ones. */
  moreFailed: number
  tried: Tried[]
  costUsd: number
}

type Ports = Pick<CloudPorts, 'cloud' | 'contents' | 'proxyPrices'>

/** Returns the results so far. Throws the `Refusal` of the service that could not fetch the first page. */
export async function walkSite(ports: Ports, options: Walk): Promise<Walked> {
  const walk = new SiteWalk(options.url, options.limit)
  const work = newWork(atOnce)
  const walked: Walked = { items: new GatheredItems(), failed: [], moreFailed: 0, tried: [], costUsd: 0 }
  const over = Promise.withResolvers<void>()
  const late = performance.now() + options.timeoutMs
  let underWay = 0
  let isOver = false
  const ended = new AbortController()
  const end = () => {
    if (underWay > 0) ports.contents.drop(work.workId)
    isOver = true
    ended.abort()
    over.resolve()
  }
  options.signal.addEventListener('abort', end, { once: true })
  if (options.signal.aborted) end()
  else begin()
  await over.promise.finally(() => options.signal.removeEventListener('abort', end))
  return walked

  function begin(): void {
    while (!isOver && underWay < atOnce) {
      const step = walk.next()
      if (step === null) break
      underWay += 1
      const getOnce = () => ports.cloud.getPage(requestOf(work, options, step, late))
      retryWhileUnavailable(ended.signal, getOnce, isCrowded)
        .then(
          got => isOver || take(step, got),
          error => isOver || miss(step, error),
        )
        .then(proceed)
        .catch(over.reject)
    }
    if (!isOver && walk.isOver) end()
  }

  function proceed(): void {
    underWay -= 1
    if (walked.items.isFull) end()
    begin()
  }

  function take(step: Step, got: GotPage): void {
    const blocked = got.content.challenge !== null
    const arrival = walk.arrive(step, got.url, blocked ? [] : linkTargetsOf(got.content.anchors))
    if (arrival === 'out_of_scope') addFailure(walked, step.url, arrival)
    if (arrival === 'new') addPage(walked, step, got, options.format, ports.proxyPrices)
  }

  function miss(step: Step, error: unknown): void {
    if (step.number === 0) throw error
    walk.fail()
    const { code, reason = code } = problemOf(error)
    addFailure(walked, step.url, reason)
    if (reason !== 'robots') walked.tried.push({ what: step.url, ending: 'failed' })
  }
}

function addPage(
  walked: Walked,
  { depth, number }: Step,
  got: GotPage,
  format: Walk['format'],
  prices: CloudPorts['proxyPrices'],
): void {
  const { content, url, status, backend } = got
  const blocked = content.challenge !== null
  const item: CloudCrawlItem = { url, content: textIn(format, content), status, depth, backend, blocked }
  if (!walked.items.put([depth, number], item)) return
  walked.tried.push({ what: url, ending: endingOfPage(got) })
  walked.costUsd += costOf(got, prices)
}

function addFailure(walked: Walked, url: string, reason: string): void {
  if (walked.failed.length < maxFailures) walked.failed.push({ url, reason })
  else walked.moreFailed += 1
}

/** @param late the time of `performance.now()` at which the crawl ends */
const requestOf = (
  work: ReturnType<typeof newWork>,
  { projectId, means, format }: Walk,
  { url }: Step,
  late: number,
): GetPage => ({
  ...work,
  projectId,
  url,
  means,
  waitFor: 'load',
  picture: false,
  wanted: wantedWithLinks(format),
  timeoutMs: Math.max(1, Math.min(backendsTimeoutMs, Math.ceil(late - performance.now()))),
  delayMs: defaultDelayMs,
  respectRobots: true,
})
