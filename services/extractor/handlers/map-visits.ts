/** The requests of one map: each within its share of the time, and all within their number and the room for bodies. */
import { randomInt } from 'node:crypto'
import type { SiteFile } from '@tidemark/contracts/site-file'
import type { Failed, Fetched, FetchPage } from '../adapters/fetch-now.ts'
import { failedFile } from '../domain/site-file.ts'
import type { Room } from '../turns/room.ts'
import type { ReadSiteFile } from './site-files.ts'

/** A longer body is cut at `maxBytes`. */
export type Wanted = { maxHops: number; maxBytes: number }
/** What is left out is not asked for; `because` says why. */
export type LeftOut = { is: 'left_out'; because: string }
export type Visited = Disposable & (Fetched | Failed | LeftOut)

export type Visits = {
  /** Told apart from other maps. */
  workId: number
  /** Whether the time for all of them has passed. */
  readonly isOver: boolean
  /** Until it is disposed of, a body takes up its room. */
  visit(url: string, wanted: Wanted): Promise<Visited>
  /** robots.txt of an origin, as it is remembered or fetched. */
  readRobots(origin: string): Promise<SiteFile>
}

type Options = {
  fetchPage: FetchPage
  readSiteFile: ReadSiteFile
  /** For the bodies of all maps. */
  room: Room
  /** For all of them together, in milliseconds. */
  timeoutMs: number
  maxFetches: number
  userAgent?: string | undefined
}

/** Of the whole time, for one request: a slow one leaves something to the others. */
const share = 0.4
/** With less time than this a request is not worth its while. */
const leastMs = 50
const late = 'the time was over'

export function startVisits(options: Options): Visits {
  const { fetchPage, readSiteFile, room, timeoutMs, maxFetches, userAgent } = options
  const workId = -randomInt(1, 2 ** 47)
  const endsAt = performance.now() + timeoutMs
  let left = maxFetches

  return {
    workId,
    get isOver() {
      return performance.now() > endsAt
    },
    async visit(url, wanted) {
      const because = whyNot()
      if (because !== null) return leftOut(because)
      left -= 1
      const held = await room.enter(wanted.maxBytes, AbortSignal.timeout(remainingMs())).catch(() => null)
      if (held === null || remainingMs() < leastMs) {
        held?.[Symbol.dispose]()
        return leftOut(late)
      }
      const own = userAgent === undefined ? {} : { userAgent }
      try {
        const answer = await fetchPage({
          workId,
          url,
          timeoutMs: remainingMs(),
          cuts: true,
          ...wanted,
          ...own,
        })
        return { ...answer, [Symbol.dispose]: () => held[Symbol.dispose]() }
      } catch (error) {
        held[Symbol.dispose]()
        throw error
      }
    },
    async readRobots(origin) {
      const because = whyNot()
      if (because !== null) return failedFile(new Date().toISOString(), 'timeout', because)
      left -= 1
      return readSiteFile(origin, 'robots', { workId, timeoutMs: remainingMs() })
    },
  }

  function whyNot(): string | null {
    if (remainingMs() < leastMs) return late
    return left <= 0 ? `at most ${maxFetches} requests are made` : null
  }

  function remainingMs(): number {
    return Math.max(0, Math.floor(Math.min(endsAt - performance.now(), timeoutMs * share)))
  }
}

const leftOut = (because: string): Visited => ({ is: 'left_out', because, [Symbol.dispose]() {} })
