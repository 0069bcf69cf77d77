/** Part of the wiring: what is asked of the fetcher at once: pages, by whatever means, searches, and what it can. */
import { answer } from '@tidemark/bus/ask'
import { jsonParser } from '@tidemark/bus/codec'
import { FetchNow } from '@tidemark/contracts/ask/fetch'
import { SearchWeb } from '@tidemark/contracts/ask/search'
import { asks, type Lane } from '@tidemark/contracts/subjects'
import { lendBodies } from '../adapters/lent-bodies.ts'
import type { Means } from '../backends/open.ts'
import { answerFetch, encodeAnswer } from '../handlers/answer-fetch.ts'
import { answerSearch } from '../handlers/answer-search.ts'
import type { TakeTurn } from '../turns/turns.ts'
import type { Work } from './consuming.ts'

const queue = 'fetcher'

type Answering = Work & {
  means: Means
  lanes: ReadonlySet<Lane>
  /** Of pages that are rendered: they take long, and nothing else should wait for them. */
  takeRenderTurn: TakeTurn
}

/** From this call on, until the signal aborts and what was asked is answered. */
export async function answerAsks({ means, lanes, takeRenderTurn, ...work }: Answering): Promise<void> {
  const { bus, settings, bulky, fit, reading, takeTurn, signal, hardStop, insistence, report } = work
  const ports = {
    chooseBackend: means.chooseBackend,
    fit,
    lentBodies: lendBodies({ bulky, ...insistence }),
    dropped: work.endedRuns,
    reading,
    maxBytes: Math.max(settings.MAX_BODY_BYTES, settings.MAX_SITEMAP_BYTES),
    hardStop,
  }
  const fetchNow = answerFetch({ ...ports, takeTurn })
  const renderNow = answerFetch({ ...ports, takeTurn: takeRenderTurn })
  const pages = { parse: jsonParser(FetchNow), encode: encodeAnswer, signal, report }
  const searches = { parse: jsonParser(SearchWeb), signal, report }
  const ofHttp = () => [
    answer(bus, asks.fetchNow, queue, fetchNow, pages),
    answer(bus, asks.searchWeb, queue, answerSearch(means.search, hardStop), searches),
    answer(bus, asks.cloudState, queue, means.tellState, { parse: () => null, signal, report }),
  ]
  await Promise.all([
    ...(lanes.has('http') ? ofHttp() : []),
    ...(lanes.has('browser') ? [answer(bus, asks.renderNow, queue, renderNow, pages)] : []),
  ])
}
