/**
 * Probes the pages of an audit in parts. Each part is reserved, probed and billed by itself: so what a crash can lose is
 * one part, no reservation has to outlive its quarter of an hour, and no cap is exceeded.
 */
import type { ProbePage } from '@tidemark/contracts/ask/sitemaps'
import type { ActorProgress } from '@tidemark/contracts/http/actor'
import { nameOfPart } from '@tidemark/contracts/served'
import type { Granted, Metering, Payer } from '../../adapters/metering.ts'
import type { Sitemaps } from '../../adapters/sitemaps.ts'
import type { AuditedPages } from '../../domain/actors/audited-pages.ts'
import type { ListedPage } from '../../domain/actors/sitemap-listing.ts'
import { inLanes } from '../../domain/host-lanes.ts'
import type { Tried } from '../../domain/metering.ts'
import { isAway, persistently } from './persistently.ts'

export type Probing = {
  sitemaps: Pick<Sitemaps, 'probe'>
  metering: Pick<Metering, 'reserve' | 'served' | 'release'>
  payer: Payer
  requestId: string
  /** As every question of this audit has it. */
  work: Pick<ProbePage, 'workId' | 'delayMs' | 'concurrency'>
  /** At one host. */
  perHost: number
  signal: AbortSignal
  progress: (progress: ActorProgress) => void
}

/** Why not all were probed: a cap, too little room in the answer, time, a part of the service, or whoever asked left. */
export type Stopped = NonNullable<Granted['reason']> | 'full' | 'time' | 'away' | 'gone'

export const mostOfPart = 500
/** Of one part: the rest of it belongs to the next. */
const partMs = 5 * 60_000
/** Of all of them. */
const mostMs = 4 * 3_600_000
const probeMs = 20_000
/** Between two words of how far it is. */
const progressEveryMs = 250

const operation = 'sitemap_audit'

/**
 * @param first what was reserved for the first part
 * @returns why it ended early; null where all were probed, but those of hosts that do not answer
 */
export async function probeListed(
  probing: Probing,
  pages: readonly ListedPage[],
  audited: AuditedPages,
  first: Granted,
): Promise<Stopped | null> {
  const { metering, payer, requestId, signal } = probing
  const late = AbortSignal.timeout(mostMs)
  const parts = new Parts(probing, audited, pages.length)
  let left = [...pages]
  for (let part = 1; ; part++) {
    left = left.filter(({ url }) => !audited.isSilent(hostOf(url)))
    const here = left.slice(0, mostOfPart)
    const asked = { requestId, part, kind: 'page', units: here.length, orNone: true } as const
    const { granted, reason } =
      part === 1 ? first : here.length > 0 ? await metering.reserve(payer, asked) : nothing
    const tried = await parts.probe(here.slice(0, granted))
    if (tried.size > 0) {
      const done = here.flatMap(page => tried.get(page) ?? [])
      await metering.served(payer, { requestId, part, operation, tried: done })
    } else if (granted > 0) await metering.release(payer, nameOfPart({ requestId, part }))
    left = left.filter(page => !tried.has(page))
    if (left.every(({ url }) => audited.isSilent(hostOf(url)))) return null
    if (signal.aborted) return 'gone'
    if (parts.isAway) return 'away'
    if (audited.isFull) return 'full'
    if (late.aborted) return 'time'
    if (granted === 0) return reason ?? 'daily_pages'
  }
}

const nothing: Granted = { granted: 0, reason: null }

class Parts {
  readonly #probing: Probing
  readonly #audited: AuditedPages
  readonly #total: number
  #toldAt = Number.NEGATIVE_INFINITY
  /** Whether a part of the service is away for longer than anybody waits. */
  isAway = false

  constructor(probing: Probing, audited: AuditedPages, total: number) {
    this.#probing = probing
    this.#audited = audited
    this.#total = total
  }

  /** Those that were probed. Rejects with what nobody foresaw, when all that was begun is done. */
  async probe(pages: readonly ListedPage[]): Promise<Map<ListedPage, Tried>> {
    const { work, perHost, signal: gone } = this.#probing
    const tried = new Map<ListedPage, Tried>()
    const enough = new AbortController()
    const signal = AbortSignal.any([gone, enough.signal, AbortSignal.timeout(partMs)])
    const lanes = { concurrency: work.concurrency, perHost, signal }
    const items = pages.map(page => ({ page, host: hostOf(page.url) }))
    let fault: unknown
    await inLanes(items, lanes, async item => {
      try {
        await this.#probe(item, tried)
      } catch (error) {
        if (isAway(error)) this.isAway = true
        else fault ??= error
      }
      if (this.isAway || fault !== undefined || this.#audited.isFull) enough.abort()
    })
    if (fault !== undefined) throw fault
    return tried
  }

  async #probe({ page, host }: { page: ListedPage; host: string }, tried: Map<ListedPage, Tried>) {
    const { sitemaps, work, signal } = this.#probing
    if (this.#audited.isSilent(host)) return
    const question = { ...work, url: page.url, timeoutMs: probeMs }
    const probed = await persistently(signal, () => sitemaps.probe(question))
    // What was given up because nobody waits for it, or whose turn did not come, was not probed.
    const isGivenUp = probed.status === null && signal.aborted
    if (!isGivenUp) this.#audited.note(host, probed)
    if (isGivenUp || (probed.isUnasked && probed.error === 'timeout')) return
    tried.set(page, { what: page.url, ending: this.#audited.put(page, probed) })
    this.#tell()
  }

  #tell(): void {
    const now = performance.now()
    const { count } = this.#audited
    if (now - this.#toldAt < progressEveryMs && count < this.#total) return
    this.#toldAt = now
    this.#probing.progress({ stage: 'probing', done: count, total: this.#total })
  }
}

const hostOf = (url: string): string => new URL(url).host
