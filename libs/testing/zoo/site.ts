/**
 * An entry of the zoo: the behaviour of a hostile site, its crawl, and the expected end of the crawl. The expectation
 * comes from the specification of crawls, never from the results of a crawler.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { CrawlRequest } from '@tidemark/contracts/http/crawl-request'
import type { StopReason } from '@tidemark/contracts/run-ends'

export type Group =
  | 'url traps'
  | 'redirects'
  | 'slowness'
  | 'size'
  | 'html'
  | 'markup data'
  | 'robots'
  | 'sitemaps'

/** One request, and the URLs that a response may need. All origins are without a trailing slash. */
export type Visit = {
  request: IncomingMessage
  response: ServerResponse
  url: URL
  /** The site itself. */
  home: string
  /** The second host of the site, if it has one. */
  twin: string
  /** A private address that no connection may reach. */
  forbidden: string
}

export type Count = number | { atLeast: number; atMost: number }

export type Expectation = {
  status: 'done' | 'failed'
  stopReason?: StopReason
  pages: Count
  /** Expected `error_count`; absent: any number. */
  errors?: Count
  /** Null: there must be no message. */
  errorMessage: RegExp | null
  settledWithinMs: number
}

export type Site = {
  name: string
  group: Group
  /** `/robots.txt` is passed to it only if `ownRobots` is set. Other sites have none. */
  serve?: (visit: Visit) => void
  /** Replaces `serve` for protocols other than HTTP: receives each raw connection. */
  accept?: (socket: Socket) => void
  ownRobots?: true
  /** A second host with the same behaviour, over http or with a certificate of the keeper. */
  twin?: 'http' | 'https'
  /** The seed of the crawl; default: `/` over http. */
  seed?: { scheme?: 'https'; path?: string }
  crawl?: Partial<CrawlRequest>
  expect: Expectation
}

const usualMs = 30_000
/** Time of three attempts and the pauses between them. */
const patientMs = 50_000

/** The run ends as done without errors. */
export const done = (pages: Count, more: Partial<Expectation> = {}): Expectation => ({
  status: 'done',
  pages,
  errors: 0,
  errorMessage: null,
  settledWithinMs: usualMs,
  ...more,
})

/** The seed could not be fetched. */
export const failed = (errorMessage: RegExp, more: Partial<Expectation> = {}): Expectation => ({
  status: 'failed',
  stopReason: 'failed',
  pages: 0,
  errors: 1,
  errorMessage,
  settledWithinMs: patientMs,
  ...more,
})
