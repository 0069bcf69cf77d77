/** Asks the extractor for what the actors answer. */
import type { Bus } from '@tidemark/bus/connection'
import type { PageRead, ReadPageAs, RenderDiff } from '@tidemark/contracts/ask/actors'
import type { CheckLink, LinkChecked } from '@tidemark/contracts/ask/check-link'
import type { RankedLinks, RankLinks } from '@tidemark/contracts/ask/link-graph'
import { asks } from '@tidemark/contracts/subjects'
import { askCompactly } from './ask-compactly.ts'

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
  const compactly = askCompactly(bus)
  return {
    readPage: question => compactly(asks.readPageAs, question, question.timeoutMs + spareMs),
    renderDiff: question => compactly(asks.renderDiff, question, question.timeoutMs + spareMs),
    checkLink: question => compactly(asks.checkLink, question, question.timeoutMs + spareMs),
    rankLinks: question => compactly(asks.linkGraph, question, graphMs),
  }
}
