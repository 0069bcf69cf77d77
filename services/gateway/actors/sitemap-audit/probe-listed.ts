/**
 * Probes the pages of an audit in parts. Each part is reserved, probed and billed on its own. So a crash loses one part at
 * most, no reservation exceeds its 15 minutes, and no cap is exceeded.
 */
import type { ActorProgress } from '@tidemark/contracts/http/actors/actor'
import type { PageProbed, ProbePage } from '@tidemark/contracts/rpc/sitemaps'
import { nameOfPart } from '@tidemark/contracts/served'
import { hostOf } from '@tidemark/url/host'
import { forEachPerHost } from '@tidemark/url/host-lanes'
import type { Report } from '../../http/plugins/problem.ts'
import { isAway, retryWhileUnavailable } from '../../live-pages/retry-while-unavailable.ts'
import type { Granted, Metering, Payer } from '../../metering/adapters/metering.ts'
import type { Tried } from '../../metering/domain/metering.ts'
import type { Sitemaps } from './adapters/sitemaps.ts'
import type { AuditedPages } from './domain/audited-pages.ts'
import type { ListedPage } from './domain/sitemap-listing.ts'

export type Probing = {
  sitemaps: Pick<Sitemaps, 'probe'>
  metering: Pick<Metering, 'reserve' | 'served' | 'release'>
  payer: Payer
  requestId: string
  /** Fields that all RPC requests of this audit share. */
  work: Pick<ProbePage, 'workId' | 'projectId' | 'delayMs' | 'concurrency'>
  /** Concurrency at one host. */
  perHost: number
  signal: AbortSignal
  progress: (progress: ActorProgress) => void
  /** Receives unexpected errors. */
  report: Report
}

/** Why some pages were not probed: a cap, the size of the answer, the time, an unavailable service, or a client that left. */
export type Stopped = NonNullable<Granted['reason']> | 'full' | 'time' | 'unavailable' | 'disconnected'

export const maxOfPart = 500
/** Time of one part: the rest of its pages belongs to the next. */
const partMs = 5 * 60_000
/** Time of all parts. */
const maxMs = 4 * 3_600_000
const probeMs = 20_000
/** Number of consecutive internal errors after which the audit stops. */
const maxFaults = 20
/** Interval of progress events. */
const progressEveryMs = 250

const operation = 'sitemap_audit'

/**
 * Throws only if the first part cannot be billed, so that everything billed is always answered.
 * @param first the reservation of the first part
 * @returns why it ended early; null if all pages were probed, except those of skipped hosts
 */
export async function probeListed(
  probing: Probing,
  pages: readonly ListedPage[],
  audited: AuditedPages,
  first: Granted,
): Promise<Stopped | null> {
  const { signal } = probing
  const late = AbortSignal.timeout(maxMs)
  const parts = new Parts(probing, audited, pages.length)
  const topUp = inParts(pages, audited)
  let here = topUp([])
  for (let part = 1; ; part++) {
    const reserved = part === 1 ? first : await reservePart(probing, part, here.length)
    if (reserved === null) return signal.aborted ? 'disconnected' : 'unavailable'
    const { granted, reason } = reserved
    const tried = await parts.probe(here.slice(0, granted))
    const done = here.flatMap(page => tried.get(page) ?? [])
    if (!(await isBilled(probing, part, granted, done))) {
      audited.takeBack(tried.keys())
      return 'unavailable'
    }
    here = topUp(here.filter(page => !tried.has(page)))
    if (here.length === 0) return null
    if (signal.aborted) return 'disconnected'
    if (parts.isUnavailable) return 'unavailable'
    if (audited.isFull) return 'full'
    if (late.aborted) return 'time'
    if (granted === 0) return reason ?? 'daily_pages'
  }
}

/** Returns a function that forms the next part: the rest of the last part and further pages, without skipped hosts. */
function inParts(pages: readonly ListedPage[], audited: AuditedPages) {
  let next = 0
  return (left: readonly ListedPage[]): ListedPage[] => {
    const { leftOut } = audited
    const isIncluded = ({ url }: ListedPage) => leftOut.size === 0 || !leftOut.has(hostOf(url))
    const part = left.filter(isIncluded)
    for (; part.length < maxOfPart && next < pages.length; next++) {
      const page = pages[next]
      if (page !== undefined && isIncluded(page)) part.push(page)
    }
    return part
  }
}

/** Reserves a further part. Returns null if the reservation fails. */
async function reservePart(
  { metering, payer, requestId, signal }: Probing,
  part: number,
  units: number,
): Promise<Granted | null> {
  const wanted = { requestId, part, kind: 'page', units, orNone: true } as const
  return retryWhileUnavailable(signal, () => metering.reserve(payer, wanted)).catch(() => null)
}

/** Returns false if a further part could not be billed: it must not be answered, but the earlier parts are. */
async function isBilled(
  { metering, payer, requestId }: Probing,
  part: number,
  granted: number,
  tried: readonly Tried[],
): Promise<boolean> {
  if (tried.length === 0) {
    if (granted > 0) metering.release(payer, nameOfPart({ requestId, part }))
    return true
  }
  const served = metering.served(payer, { requestId, part, operation, tried })
  if (part === 1) await served
  return served.then(
    () => true,
    () => false,
  )
}

class Parts {
  readonly #probing: Probing
  readonly #audited: AuditedPages
  readonly #total: number
  /** The finished pages of the current part. */
  #tried = new Map<ListedPage, Tried | null>()
  #reportedAt = Number.NEGATIVE_INFINITY
  #faults = 0
  /** Whether a service is unavailable for longer than an audit waits. */
  isUnavailable = false

  constructor(probing: Probing, audited: AuditedPages, total: number) {
    this.#probing = probing
    this.#audited = audited
    this.#total = total
  }

  /**
   * Returns the finished pages: null for pages that were not requested, which cost nothing. Unexpected errors are reported
   * and count as such pages.
   */
  async probe(pages: readonly ListedPage[]): Promise<Map<ListedPage, Tried | null>> {
    const { work, perHost, signal: disconnected } = this.#probing
    this.#tried = new Map()
    const enough = new AbortController()
    const signal = AbortSignal.any([disconnected, enough.signal, AbortSignal.timeout(partMs)])
    const lanes = { concurrency: work.concurrency, perHost, signal }
    const items = pages.map(page => ({ page, host: hostOf(page.url) }))
    await forEachPerHost(items, lanes, async item => {
      try {
        await this.#probe(item)
      } catch (error) {
        if (isAway(error)) this.isUnavailable = true
        else this.#fault(error, item.page)
      }
      if (this.isUnavailable || this.#audited.isFull) enough.abort()
    })
    return this.#tried
  }

  async #probe({ page, host }: { page: ListedPage; host: string }): Promise<void> {
    const { sitemaps, work, signal } = this.#probing
    if (this.#audited.isLeftOut(host)) return
    const request = { ...work, url: page.url, timeoutMs: probeMs }
    const probed = await retryWhileUnavailable(signal, () => sitemaps.probe(request))
    // A page that was dropped because the client left, or that got no host slot, was not probed.
    const isDropped = probed.status === null && signal.aborted
    this.#faults = 0
    if (!isDropped) this.#audited.note(host, probed)
    if (isDropped || (probed.isUnasked && probed.error === 'timeout')) return
    this.#put(page, probed)
  }

  /** Tolerates an error of one page. Consecutive errors point to a fault of the service. */
  #fault(error: unknown, page: ListedPage): void {
    const { report, requestId } = this.#probing
    report(error, requestId)
    this.#put(page, unforeseen)
    this.#faults += 1
    this.isUnavailable ||= this.#faults >= maxFaults
  }

  #put(page: ListedPage, probed: PageProbed): void {
    const ending = this.#audited.put(page, probed)
    this.#tried.set(page, ending && { what: page.url, ending })
    this.#reportProgress()
  }

  #reportProgress(): void {
    const now = performance.now()
    const done = this.#audited.count + this.#audited.refused
    if (now - this.#reportedAt < progressEveryMs && done < this.#total) return
    this.#reportedAt = now
    this.#probing.progress({ stage: 'probing', done, total: this.#total })
  }
}

const unforeseen: PageProbed = {
  status: null,
  bucket: 'network_error',
  error: 'internal',
  isUnasked: false,
  challenge: null,
  redirectedTo: null,
  canonical: null,
  robotsTag: null,
  metaRobots: null,
}
