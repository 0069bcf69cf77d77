/** The requests of one map, with limits of time, number and memory. */
import { randomInt } from 'node:crypto'
import type { Owner } from '@tidemark/bus/fair-line'
import type { SiteFile } from '@tidemark/contracts/site-file'
import type { Failed, Fetched, FetchPage } from '../../adapters/fetch-now.ts'
import type { FairBudget } from '../../concurrency/fair-budget.ts'
import { failedFile } from '../../domain/site-file.ts'
import type { ReadSiteFile } from '../site-files.ts'

/** A longer body is truncated at `maxBytes`. */
export type Wanted = { maxHops: number; maxBytes: number }
/** An omitted URL is not requested; `because` states the reason. */
export type LeftOut = { is: 'left_out'; because: string }
export type Visited = Disposable & (Fetched | Failed | LeftOut)

export type Visits = {
  /** The project, or this map alone. Owners share memory and take turns. */
  owner: Owner
  /** Whether the time for all requests has passed. */
  readonly isOver: boolean
  /** The body occupies memory until it is disposed of. */
  visit(url: string, wanted: Wanted): Promise<Visited>
  /** Returns robots.txt of an origin from the cache or the fetcher. */
  readRobots(origin: string): Promise<SiteFile>
}

type Options = {
  fetchPage: FetchPage
  readSiteFile: ReadSiteFile
  /** Memory limit of the bodies of all maps. */
  bodyBudget: FairBudget
  /** Total time for all requests, in milliseconds. */
  timeoutMs: number
  maxFetches: number
  /** The project that requests and memory count for. Absent: the map counts for itself. */
  projectId?: number | undefined
  userAgent?: string | undefined
}

/** Maximum share of the total time for one request, so that a slow one leaves time for others. */
const share = 0.4
/** Minimum time for a useful request. */
const minMs = 50
const late = 'the time limit was reached'

export function startVisits(options: Options): Visits {
  const { fetchPage, readSiteFile, bodyBudget, timeoutMs, maxFetches, projectId, userAgent } = options
  const workId = -randomInt(1, 2 ** 47)
  const owner = projectId ?? workId
  const endsAt = performance.now() + timeoutMs
  let left = maxFetches

  return {
    owner,
    get isOver() {
      return performance.now() > endsAt
    },
    async visit(url, wanted) {
      const because = whyNot()
      if (because !== null) return leftOut(because)
      left -= 1
      const deadline = AbortSignal.timeout(remainingMs())
      using memory = new DisposableStack()
      const held = memory.use(await bodyBudget.enter(owner, wanted.maxBytes, deadline).catch(() => null))
      if (held === null || remainingMs() < minMs) return leftOut(late)
      const own = {
        ...(projectId !== undefined && { projectId }),
        ...(userAgent !== undefined && { userAgent }),
      }
      const limits = { ...wanted, timeoutMs: remainingMs(), cuts: true }
      const answer = await fetchPage({ workId, url, ...limits, ...own })
      const kept = memory.move()
      return { ...answer, [Symbol.dispose]: () => kept.dispose() }
    },
    async readRobots(origin) {
      const because = whyNot()
      if (because !== null) return failedFile(new Date().toISOString(), 'timeout', because)
      left -= 1
      return readSiteFile(origin, 'robots', { workId, projectId, timeoutMs: remainingMs() })
    },
  }

  function whyNot(): string | null {
    if (remainingMs() < minMs) return late
    return left <= 0 ? `at most ${maxFetches} requests are made` : null
  }

  function remainingMs(): number {
    return Math.max(0, Math.floor(Math.min(endsAt - performance.now(), timeoutMs * share)))
  }
}

const leftOut = (because: string): Visited => ({ is: 'left_out', because, [Symbol.dispose]() {} })
