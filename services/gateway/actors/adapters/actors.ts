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
  readPage(question: ReadPageAs): Promise<PageRead>
  renderDiff(question: RenderDiff): Promise<PageRead>
  checkLink(question: CheckLink): Promise<LinkChecked>
  rankLinks(question: RankLinks): Promise<RankedLinks>
  auditRules(): Promise<AuditRules>
  auditPages(question: AuditPages): Promise<PagesAudited>
  mapLinks(question: MapLinks): Promise<LinksMapped>
}

/** Time beyond the timeout of a page: for its queue and for reading it. */
const spareMs = 15_000
/** Longer than a link graph and its queue take at most. */
const graphMs = 135_000
const rulesMs = 5_000
/** Longer than a few pages and their queue take. */
const auditMs = 60_000

export function openActors(bus: Bus): Actors {
  return {
    readPage: question =>
      call(bus, actorsRpc.readPageAs, question, { timeoutMs: question.timeoutMs + spareMs }),
    renderDiff: question =>
      call(bus, actorsRpc.renderDiff, question, { timeoutMs: question.timeoutMs + spareMs }),
    checkLink: question =>
      call(bus, checkLinkRpc.checkLink, question, { timeoutMs: question.timeoutMs + spareMs }),
    rankLinks: question => call(bus, linkGraphRpc.linkGraph, question, { timeoutMs: graphMs }),
    auditRules: () => call(bus, siteAuditRpc.auditRules, null, { timeoutMs: rulesMs }),
    auditPages: question => call(bus, siteAuditRpc.auditPages, question, { timeoutMs: auditMs }),
    mapLinks: question => call(bus, siteAuditRpc.mapLinks, question, { timeoutMs: graphMs }),
  }
}
