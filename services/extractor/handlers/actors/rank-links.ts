/** Ranks or maps the links of a run: reads them from the store, and computes on a separate thread. */
import { refuse } from '@tidemark/bus/refusal'
import type { PackedLinksReader } from '@tidemark/content/packed-links'
import type { RankedLinks, RankLinks } from '@tidemark/contracts/rpc/link-graph'
import type { LinksMapped, MapLinks } from '@tidemark/contracts/rpc/site-audit'
import type { DroppedWork } from '../../adapters/dropped-work.ts'
import type { GraphThread, LinksOfRun } from '../../adapters/graph-thread.ts'

export type RankLinksPorts = {
  graphs: Pick<GraphThread, 'rank' | 'map'>
  packedLinks: PackedLinksReader
  dropped: Pick<DroppedWork, 'watch'>
}

/**
 * The handler of `RankLinks` throws a `Refusal`: 502 for a graph that exceeds the limits, 503 when too many requests
 * wait.
 */
export function rankLinks({ graphs, packedLinks, dropped }: RankLinksPorts) {
  return async ({
    workId,
    projectId,
    runId,
    topN,
    start,
    forwards,
    ...sent
  }: RankLinks): Promise<RankedLinks> => {
    using work = dropped.watch(workId)
    const bytes = { keys: bytesOf(sent.keys), redirects: bytesOf(sent.redirects) }
    const request = { ...bytes, start, topN, ...(forwards && { forwards }) }
    const { signal } = work
    return await graphs
      .rank(request, linksOf(packedLinks, runId), `project ${projectId}`, signal)
      .catch(orAbandoned(signal))
  }
}

/** The handler of `MapLinks` throws the same refusals. */
export function mapStoredLinks({ graphs, packedLinks, dropped }: RankLinksPorts) {
  return async ({ workId, projectId, runId, start, forwards, ...sent }: MapLinks): Promise<LinksMapped> => {
    using work = dropped.watch(workId)
    const { keys, others, watched } = sent
    const bytes = { keys: bytesOf(keys), others: bytesOf(others), watched: bytesOf(watched) }
    const request = { ...bytes, start, ...(forwards && { forwards }) }
    const { signal } = work
    return await graphs
      .map(request, linksOf(packedLinks, runId), `project ${projectId}`, signal)
      .catch(orAbandoned(signal))
  }
}

const bytesOf = (base64: string): Buffer => Buffer.from(base64, 'base64')

const linksOf = (packedLinks: PackedLinksReader, runId: number): LinksOfRun => ({
  all: () => packedLinks.all(runId),
  at: urlKeys => packedLinks.at(runId, urlKeys),
})

/** Replaces the error of an abandoned request, which no client receives. */
const orAbandoned =
  (signal: AbortSignal) =>
  (error: unknown): never => {
    throw signal.aborted ? refuse('unavailable') : error
  }
