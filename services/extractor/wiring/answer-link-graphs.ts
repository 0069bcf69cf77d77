/** Part of the wiring: the link graphs of runs, each from the stored links. */
import { answer } from '@tidemark/bus/ask'
import { atMost } from '@tidemark/bus/at-most'
import { jsonParser } from '@tidemark/bus/codec'
import { encodeCompact } from '@tidemark/bus/compact'
import type { Bus } from '@tidemark/bus/connection'
import { openPackedLinks } from '@tidemark/content/packed-links'
import { RankLinks } from '@tidemark/contracts/ask/link-graph'
import { asks } from '@tidemark/contracts/subjects'
import type { Database } from '@tidemark/db/database'
import { listenForDroppedWork } from '../adapters/dropped-work.ts'
import { createGraphThread } from '../adapters/graph-thread.ts'
import { forbidsFollowing } from '../domain/robots-directives.ts'
import { rankLinks } from '../handlers/actors/rank-links.ts'

type Parts = {
  pool: Database['pool']
  /** By which X-Robots-Tag may name us. */
  robotsToken: string
  bus: Bus
  queue: string
  signal: AbortSignal
  report: (error: unknown) => void
}

/** Each holds a few megabytes of names, and all but one wait. */
const graphsAtOnce = 32

/** Resolves when the signal has aborted and what was asked is answered. */
export async function answerLinkGraphs({ pool, robotsToken, bus, queue, ...parts }: Parts): Promise<void> {
  await using graphs = createGraphThread()
  using dropped = listenForDroppedWork(bus)
  const packedLinks = openPackedLinks(pool, (directives, header) =>
    forbidsFollowing(directives, header, robotsToken),
  )
  const rank = atMost(graphsAtOnce, rankLinks({ graphs, packedLinks, dropped }))
  await answer(bus, asks.linkGraph, queue, rank, {
    ...parts,
    parse: jsonParser(RankLinks),
    encode: encodeCompact,
  })
}
