/** Asks the extractor for what the actors answer. */
import type { Bus } from '@tidemark/bus/connection'
import { call } from '@tidemark/bus/rpc'
import type { PageRead, ReadPageAs, RenderDiff } from '@tidemark/contracts/rpc/actors'
import * as actorsRpc from '@tidemark/contracts/rpc/actors'
import type { CheckLink, LinkChecked } from '@tidemark/contracts/rpc/check-link'
import * as checkLinkRpc from '@tidemark/contracts/rpc/check-link'
import type { RankedLinks, RankLinks } from '@tidemark/contracts/rpc/link-graph'
import * as linkGraphRpc from '@tidemark/contracts/rpc/link-graph'

/** All throw the `Refusal` of whoever was asked, or `unavailable` when it is away. */
export type Actors = {
  readPage(question: ReadPageAs): Promise<PageRead>
  renderDiff(question: RenderDiff): Promise<PageRead>
  checkLink(question: CheckLink): Promise<LinkChecked>
  rankLinks(question: RankLinks): Promise<RankedLinks>
}

/** Beyond the time that a page may take: what waits before it, and its reading. */
const spareMs = 15_000
/** Longer than a link graph takes, and what waits before it, at the most. */
const graphMs = 135_000

export function openActors(bus: Bus): Actors {
  return {
    readPage: question =>
      call(bus, actorsRpc.readPageAs, question, { timeoutMs: question.timeoutMs + spareMs }),
    renderDiff: question =>
      call(bus, actorsRpc.renderDiff, question, { timeoutMs: question.timeoutMs + spareMs }),
    checkLink: question =>
      call(bus, checkLinkRpc.checkLink, question, { timeoutMs: question.timeoutMs + spareMs }),
    rankLinks: question => call(bus, linkGraphRpc.linkGraph, question, { timeoutMs: graphMs }),
  }
}
