/**
 * What an entry of the zoo is: how a hostile site behaves, how it is crawled, and how the crawl must end. The
 * end is written from the specification of crawls, never from what a crawler happened to do.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { CrawlRequest } from '@tidemark/contracts/http/crawls'
import type { StopReason } from '@tidemark/contracts/run'

export type Group =
  | 'url traps'
  | 'redirects'
  | 'slowness'
  | 'size'
  | 'html'
  | 'markup data'
  | 'robots'
  | 'sitemaps'

/** One request, and the addresses that an answer may have to name; all origins are without a slash at the end. */
export type Visit = {
  request: IncomingMessage
  response: ServerResponse
  url: URL
  /** The site itself. */
  home: string
  /** Its second host, where it has one. */
  twin: string
  /** An address inside, where nobody may ever come. */
  forbidden: string
}

export type Count = number | { atLeast: number; atMost: number }

export type Expectation = {
  status: 'done' | 'failed'
  stopReason?: StopReason
  pages: Count
  /** `error_count`; any number where it is left out. */
  errors?: Count
  /** Null where there must be none. */
  errorMessage: RegExp | null
  settledWithinMs: number
}

export type Site = {
  name: string
  group: Group
  /** `/robots.txt` is asked of it only where `ownRobots` is set; elsewhere there is none. */
  serve?: (visit: Visit) => void
  /** Instead of `serve`, for what is not HTTP: takes each connection as it is. */
  accept?: (socket: Socket) => void
  ownRobots?: true
  /** A second host of the same behaviour, in clear or with a certificate that the keeper makes. */
  twin?: 'http' | 'https'
  /** Where the crawl begins, `/` of http if not said. */
  seed?: { scheme?: 'https'; path?: string }
  crawl?: Partial<CrawlRequest>
  expect: Expectation
}

const usualMs = 30_000
/** Three attempts and the pauses between them. */
const patientMs = 50_000

/** The run ends as done, and nothing went wrong on the way. */
export const done = (pages: Count, more: Partial<Expectation> = {}): Expectation => ({
  status: 'done',
  pages,
  errors: 0,
  errorMessage: null,
  settledWithinMs: usualMs,
  ...more,
})

/** The seed could not be had. */
export const failed = (errorMessage: RegExp, more: Partial<Expectation> = {}): Expectation => ({
  status: 'failed',
  stopReason: 'failed',
  pages: 0,
  errors: 1,
  errorMessage,
  settledWithinMs: patientMs,
  ...more,
})
