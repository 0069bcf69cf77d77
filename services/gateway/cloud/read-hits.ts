/** Reads the pages of search results. If a page cannot be fetched, its result contains the snippet of the search engine. */
import type { GetPage } from '@tidemark/contracts/rpc/cloud'
import { defaultDelayMs } from '@tidemark/contracts/rpc/fetch'
import type { SearchHit } from '@tidemark/contracts/rpc/search'
import { hostOf } from '@tidemark/url/host'
import { forEachPerHost } from '@tidemark/url/host-lanes'
import { problemOf } from '../http/requests/problem-of.ts'
import { costOf } from '../live-pages/domain/price-of.ts'
import { judgeSeed } from '../live-pages/judge-seed.ts'
import { newWork } from '../live-pages/read-one.ts'
import { isCrowded, retryWhileUnavailable } from '../live-pages/retry-while-unavailable.ts'
import { GatheredItems } from './domain/gathered-items.ts'
import { textIn, wantedIn } from './domain/return-format.ts'
import type { CloudPorts } from './ports.ts'

const atOnce = 8
const perHost = 4
/** Timeout of one page, and the time after which no further page is started, in ms. */
const maxMs = 30_000
const beginMs = 45_000

type How = { projectId: number; format: Parameters<typeof textIn>[0]; disconnected: AbortSignal }
/** `missing`: the indexes of the hits whose pages were not read. */
export type ReadHits = {
  results: GatheredItems
  missing: ReadonlySet<number>
  costUsd: number
  warnings: string[]
}

/**
 * Returns the results, their cost in US dollars, and a warning for each page that could not be fetched, was a challenge
 * or is too large, in the order of the results. Such pages cause no error.
 */
export async function readHits(
  ports: CloudPorts,
  hits: readonly SearchHit[],
  { projectId, format, disconnected }: How,
): Promise<ReadHits> {
  const results = new GatheredItems()
  const faults = new Map(hits.map((_, index) => [index, 'timeout']))
  const work = newWork(atOnce)
  const signal = AbortSignal.any([disconnected, AbortSignal.timeout(beginMs)])
  disconnected.addEventListener('abort', () => ports.contents.drop(work.workId), { once: true })
  let costUsd = 0
  const pages = hits.map((hit, index) => ({ ...hit, index, host: hostOf(hit.url) }))
  await forEachPerHost(pages, { concurrency: atOnce, perHost, signal }, async ({ url, title, index }) => {
    const fault = await read(url, title, index).catch(reasonOf)
    if (fault === null) faults.delete(index)
    else faults.set(index, fault)
  })
  for (const { url, title, snippet, index } of pages) {
    if (faults.has(index)) results.put([index], { url, title, content: snippet ?? '' })
  }
  const warnings = [...faults].map(([index, reason]) => `results[${index}]: ${reasonText(reason)}`)
  return { results, missing: new Set(faults.keys()), costUsd, warnings }

  /** Reads a page. Returns the reason why it could not be fetched; null: it was. */
  async function read(url: string, title: string, index: number): Promise<string | null> {
    await judgeSeed(ports, url)
    const request: GetPage = {
      ...work,
      projectId,
      url: new URL(url).href,
      means: { is: 'auto', from: 'http', country: null },
      waitFor: 'load',
      picture: false,
      wanted: wantedIn(format),
      timeoutMs: maxMs,
      delayMs: defaultDelayMs,
      respectRobots: false,
    }
    const got = await retryWhileUnavailable(signal, () => ports.cloud.getPage(request), isCrowded)
    if (got.content.challenge !== null) return 'blocked'
    const fits = results.put([index], { url, title, content: textIn(format, got.content) })
    costUsd += costOf(got, ports.proxyPrices)
    return fits ? null : 'too_large'
  }
}

const reasonText = (reason: string) => {
  const what = reason === 'too_large' ? 'its page is too large' : 'its page could not be fetched'
  return `${what} (${reason}); content is the snippet of the search engine`
}

function reasonOf(error: unknown): string {
  const { code, reason = code } = problemOf(error)
  return reason
}
