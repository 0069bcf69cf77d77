/** Sends the requests of a sitemap audit to the extractor. */
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

/** All methods throw the `Refusal` of the responding service, or `unavailable` if it is unavailable. */
export type Sitemaps = {
  list(request: ListSitemaps): Promise<ListedSitemaps>
  read(request: ReadSitemap): Promise<SitemapRead>
  probe(request: ProbePage): Promise<PageProbed>
}

/** Time beyond the timeout of a fetch: for its queue and for reading it. */
const spareMs = 15_000
/** A sitemap may wait for memory as long as its fetch may take. */
const spareOfSitemapMs = 30_000

export const openSitemaps = (bus: Bus): Sitemaps => ({
  list: request => call(bus, sitemapsRpc.listSitemaps, request, { timeoutMs: request.timeoutMs + spareMs }),
  read: request =>
    call(bus, sitemapsRpc.readSitemap, request, { timeoutMs: 2 * request.timeoutMs + spareOfSitemapMs }),
  probe: request => call(bus, sitemapsRpc.probePage, request, { timeoutMs: request.timeoutMs + spareMs }),
})
