/** Answers what the links of a run make of its pages: read from the store, and reckoned on a thread of its own. */
import { refuse } from '@tidemark/bus/ask'
import type { PackedLinksReader } from '@tidemark/content/packed-links'
import type { RankedLinks, RankLinks } from '@tidemark/contracts/ask/link-graph'
import type { DroppedWork } from '../../adapters/dropped-work.ts'
import type { GraphThread } from '../../adapters/graph-thread.ts'

export type RankLinksPorts = {
  graphs: Pick<GraphThread, 'rank'>
  packedLinks: PackedLinksReader
  dropped: Pick<DroppedWork, 'watch'>
}

/** The handler throws a `Refusal`: 502 for a graph that is too much, 503 where too much waits. */
export function rankLinks({ graphs, packedLinks, dropped }: RankLinksPorts) {
  return async ({ workId, projectId, runId, topN, start, ...sent }: RankLinks): Promise<RankedLinks> => {
    using work = dropped.watch(workId)
    const question = {
      keys: Buffer.from(sent.keys, 'base64'),
      redirects: Buffer.from(sent.redirects, 'base64'),
      start,
      topN,
    }
    const links = {
      all: () => packedLinks.all(runId),
      at: (urlKeys: readonly string[]) => packedLinks.at(runId, urlKeys),
    }
    const { signal } = work
    return await graphs.rank(question, links, `project ${projectId}`, signal).catch(error => {
      throw signal.aborted ? refuse('unavailable') : error
    })
  }
}
