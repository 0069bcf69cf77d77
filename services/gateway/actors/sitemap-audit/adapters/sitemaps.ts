/** Asks the extractor what a site's sitemaps list, and what becomes of each page. */
import type { Bus } from '@tidemark/bus/connection'
import { call } from '@tidemark/bus/rpc'
import type {
  ListedSitemaps,
  ListSitemaps,
  PageProbed,
  ProbePage,
  ReadSitemap,
  SitemapRead,
} from '@tidemark/contracts/rpc/sitemaps'
import * as sitemapsRpc from '@tidemark/contracts/rpc/sitemaps'

/** All throw the `Refusal` of whoever was asked, or `unavailable` when it is away. */
export type Sitemaps = {
  list(question: ListSitemaps): Promise<ListedSitemaps>
  read(question: ReadSitemap): Promise<SitemapRead>
  probe(question: ProbePage): Promise<PageProbed>
}

/** Beyond the time that a fetch may take: what waits before it, and its reading. */
const spareMs = 15_000
/** Room for the sitemap is waited for as long again. */
const spareOfSitemapMs = 30_000

export const openSitemaps = (bus: Bus): Sitemaps => ({
  list: question =>
    call(bus, sitemapsRpc.listSitemaps, question, { timeoutMs: question.timeoutMs + spareMs }),
  read: question =>
    call(bus, sitemapsRpc.readSitemap, question, { timeoutMs: 2 * question.timeoutMs + spareOfSitemapMs }),
  probe: question => call(bus, sitemapsRpc.probePage, question, { timeoutMs: question.timeoutMs + spareMs }),
})
