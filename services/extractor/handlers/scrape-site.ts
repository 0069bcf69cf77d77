/**
 * Reads one page of a well-known site for somebody who waits: its address is made of what they named, the page is got
 * by whatever means it takes, and its scraper makes entries of it.
 */
import { Refusal } from '@tidemark/bus/ask'
import { decodeJson } from '@tidemark/bus/codec'
import type { GetPage } from '@tidemark/contracts/ask/cloud'
import type { Content, Wanted } from '@tidemark/contracts/ask/content'
import type { ScrapeSite, ScrapeSiteAnswer } from '@tidemark/contracts/ask/scrapers'
import type { ContentThread } from '../adapters/content-thread.ts'
import { onlyBeginning } from '../domain/scrapers/bounds.ts'
import { type Order, orderOf, type Scrapers } from '../domain/scrapers/order.ts'
import type { SiteEntries } from '../domain/scrapers/read-site.ts'
import type { Got } from './get-page.ts'

type Ports = {
  scrapers: Scrapers
  getPage: (question: GetPage) => Promise<Got>
  thread: Pick<ContentThread, 'expect' | 'scrape'>
}

/** The source as it is; a scraper reads it by itself. */
const wanted: Wanted = { html: true, markdown: null, article: false, signals: false, anchors: false }

/**
 * The page is one that a person named, or a document that the site has for programs: robots.txt, which is for those
 * who follow links, is not asked.
 */
const manners = { delayMs: 100, concurrency: 1, respectRobots: false }

/** The contract has 422 here, where others answer 400. */
const invalid = { status: 422, code: 'invalid_input' }

/** The handler throws a `Refusal`: 422 for a domain, path or parameter that no scraper reads, else as `getPage` does. */
export function scrapeSite({ scrapers, getPage, thread }: Ports) {
  return async (question: ScrapeSite): Promise<ScrapeSiteAnswer> => {
    const order = orderOf(scrapers, question)
    if ('reason' in order) throw new Refusal({ ...invalid, ...order })
    thread.expect()
    const { workId, projectId, timeoutMs } = question
    const { page, content: json } = await getPage({
      ...{ workId, projectId, timeoutMs, ...manners },
      url: order.url,
      means: { is: 'auto', from: 'http', country: null },
      waitFor: 'load',
      picture: false,
      wanted,
    })
    const content = decodeJson(json) as Content
    const { data, warnings } = await entriesOf(order, page.status, content, text =>
      thread.scrape(
        { scraper: order.scraper.domain, page: { url: page.url, text, asked: order.asked } },
        `project ${projectId}`,
      ),
    )
    const { url, status, backend, tried, costUsd } = page
    const { challenge } = content
    return {
      data,
      url,
      status,
      challenge,
      backend,
      tried,
      costUsd,
      warnings: [...order.warnings, ...warnings],
    }
  }
}

/** Without reading what is not the page that was asked for. */
async function entriesOf(
  { scraper }: Order,
  status: number,
  content: Content,
  read: (text: string) => Promise<Uint8Array>,
): Promise<SiteEntries> {
  const { challenge, html = '' } = content
  if (challenge !== null)
    return nothing(`${scraper.domain} showed a challenge (${challenge}) instead of its page`)
  if (status < 200 || status > 299) return nothing(`${scraper.domain} answered ${status}`)
  const { data, warnings } = decodeJson(await read(html)) as SiteEntries
  const isCut = content.warnings.some(warning => cuts.test(warning))
  return { data, warnings: [...new Set([...(isCut ? [onlyBeginning] : []), ...warnings])] }
}

const nothing = (warning: string): SiteEntries => ({ data: [], warnings: [warning] })

/** As contents say that there was more of the source. */
const cuts = /^only the first|^html ends/
