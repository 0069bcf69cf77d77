/**
 * Reads one page of a well-known site for a waiting client: builds its URL from the request, fetches the page by any
 * backend that works, and extracts entries with its scraper.
 */

import { decodeJson } from '@tidemark/bus/codec'
import { Refusal } from '@tidemark/bus/refusal'
import type { GetPage } from '@tidemark/contracts/rpc/cloud'
import type { Content, Wanted } from '@tidemark/contracts/rpc/content'
import { defaultDelayMs } from '@tidemark/contracts/rpc/fetch'
import type { ScrapeSite, ScrapeSiteResponse } from '@tidemark/contracts/rpc/scrapers'
import type { ContentThread } from '../adapters/content-thread.ts'
import { onlyBeginning } from '../domain/scrapers/bounds.ts'
import { type Order, orderOf, type Scrapers } from '../domain/scrapers/order.ts'
import type { SiteEntries } from '../domain/scrapers/read-site.ts'
import type { Got } from './get-page.ts'

type Ports = {
  scrapers: Scrapers
  getPage: (request: GetPage) => Promise<Got>
  thread: Pick<ContentThread, 'expect' | 'scrape'>
  /** Whether pages that robots.txt disallows are rejected. */
  followsRobots: boolean
}

/** The unmodified source, which a scraper parses itself. */
const wanted: Wanted = { html: true, markdown: null, article: false, signals: false, anchors: false }

const politeness = { delayMs: defaultDelayMs, concurrency: 1 }

/** The contract specifies 422 here, where other endpoints respond with 400. */
const invalid = { status: 422, code: 'invalid_input' }

/**
 * The handler throws a `Refusal`: 422 for an unknown domain, path or parameter, `robots_disallowed` for a disallowed
 * page, else as `getPage` does.
 */
export function scrapeSite({ scrapers, getPage, thread, followsRobots }: Ports) {
  return async (request: ScrapeSite): Promise<ScrapeSiteResponse> => {
    const order = orderOf(scrapers, request)
    if ('reason' in order) throw new Refusal({ ...invalid, ...order })
    thread.expect()
    const { workId, projectId, timeoutMs } = request
    const got = await getPage({
      ...{ workId, projectId, timeoutMs, ...politeness, respectRobots: followsRobots },
      url: order.url,
      means: { is: 'auto', from: 'http', country: null },
      waitFor: 'load',
      picture: false,
      wanted,
    }).catch(error => {
      throw error instanceof Refusal && error.reason === 'robots' ? forbidden(order.url, error) : error
    })
    const { url, status, backend, tried, costUsd } = got.page
    const content = decodeJson(got.content) as Content
    const { challenge } = content
    const { data, warnings: ofEntries } = await entriesOf(order, status, content, text =>
      thread.scrape(
        { scraper: order.scraper.domain, page: { url, text, inputs: order.inputs } },
        `project ${projectId}`,
      ),
    )
    const warnings = [...order.warnings, ...got.warnings, ...ofEntries]
    return { data, url, status, challenge, backend, tried, costUsd, warnings }
  }
}

/** Names the site, the rule and the setting that permits the page. */
function forbidden(url: string, cause: Refusal): Refusal {
  const { host } = new URL(url)
  const message = `${host}: ${cause.message}. The page is ${url}. This installation obeys robots.txt for scrapers. SCRAPERS_FOLLOW_ROBOTS=false disables that.`
  return new Refusal({ ...cause.toJSON(), reason: 'robots_disallowed', message }, { cause })
}

/** Skips the scraper for pages other than the requested one. */
async function entriesOf(
  { scraper }: Order,
  status: number,
  content: Content,
  read: (text: string) => Promise<Uint8Array>,
): Promise<SiteEntries> {
  const { challenge, html = '' } = content
  if (challenge !== null)
    return nothing(`${scraper.domain} showed a challenge (${challenge}) instead of its page`)
  if (status < 200 || status > 299) return nothing(`${scraper.domain} responded with ${status}`)
  const { data, warnings } = decodeJson(await read(html)) as SiteEntries
  const isCut = content.warnings.some(warning => cuts.test(warning))
  return { data, warnings: [...new Set([...(isCut ? [onlyBeginning] : []), ...warnings])] }
}

const nothing = (warning: string): SiteEntries => ({ data: [], warnings: [warning] })

/** The warning of contents that were truncated. */
const cuts = /^only the first|^html was truncated/
