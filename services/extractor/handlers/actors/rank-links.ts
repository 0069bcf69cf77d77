/** Ranks the links of a run: reads them from the store, and computes on a separate thread. */
import { refuse } from '@tidemark/bus/refusal'
import type { PackedLinksReader } from '@tidemark/content/packed-links'
import type { RankedLinks, RankLinks } from '@tidemark/contracts/rpc/link-graph'
import type { DroppedWork } from '../../adapters/dropped-work.ts'
import type { GraphThread } from '../../adapters/graph-thread.ts'

export type RankLinksPorts = {
  graphs: Pick<GraphThread, 'rank'>
  packedLinks: PackedLinksReader
  dropped: Pick<DroppedWork, 'watch'>
}

/** The handler throws a `Refusal`: 502 for a graph that exceeds the limits, 503 when too many requests wait. */
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
