/** Sends the requests of the actors to the extractor. */
import type { Bus } from '@tidemark/bus/connection'
import { call } from '@tidemark/bus/rpc'
import type { PageRead, ReadPageAs, RenderDiff } from '@tidemark/contracts/rpc/actors'
import * as actorsRpc from '@tidemark/contracts/rpc/actors'
import type { CheckLink, LinkChecked } from '@tidemark/contracts/rpc/check-link'
import * as checkLinkRpc from '@tidemark/contracts/rpc/check-link'
import type { RankedLinks, RankLinks } from '@tidemark/contracts/rpc/link-graph'
import * as linkGraphRpc from '@tidemark/contracts/rpc/link-graph'
import type {
  AuditPages,
  AuditRules,
  LinksMapped,
  MapLinks,
  PagesAudited,
} from '@tidemark/contracts/rpc/site-audit'
import * as siteAuditRpc from '@tidemark/contracts/rpc/site-audit'

/** All methods throw the `Refusal` of the responding service, or `unavailable` if it is unavailable. */
export type Actors = {
  readPage(request: ReadPageAs): Promise<PageRead>
  renderDiff(request: RenderDiff): Promise<PageRead>
  checkLink(request: CheckLink): Promise<LinkChecked>
  rankLinks(request: RankLinks): Promise<RankedLinks>
  auditRules(): Promise<AuditRules>
  auditPages(request: AuditPages): Promise<PagesAudited>
  mapLinks(request: MapLinks): Promise<LinksMapped>
}

/** Extra time after the page timeout: the request may wait in a queue, and the extractor reads the page. */
const spareMs = 15_000
/** Timeout of a request for a link graph: longer than its wait in the queue and its processing take. */
const graphMs = 135_000
const rulesMs = 5_000
/** Timeout of a request for a few pages: longer than its wait in the queue and its processing take. */
const auditMs = 60_000

export function openActors(bus: Bus): Actors {
  return {
    readPage: request => call(bus, actorsRpc.readPageAs, request, { timeoutMs: request.timeoutMs + spareMs }),
    renderDiff: request =>
      call(bus, actorsRpc.renderDiff, request, { timeoutMs: request.timeoutMs + spareMs }),
    checkLink: request =>
      call(bus, checkLinkRpc.checkLink, request, { timeoutMs: request.timeoutMs + spareMs }),
    rankLinks: request => call(bus, linkGraphRpc.linkGraph, request, { timeoutMs: graphMs }),
    auditRules: () => call(bus, siteAuditRpc.auditRules, null, { timeoutMs: rulesMs }),
    auditPages: request => call(bus, siteAuditRpc.auditPages, request, { timeoutMs: auditMs }),
    mapLinks: request => call(bus, siteAuditRpc.mapLinks, request, { timeoutMs: graphMs }),
  }
}
