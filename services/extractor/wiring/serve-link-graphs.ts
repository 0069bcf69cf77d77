/** Part of the wiring: the link graphs of runs, from the stored links. */
import { inShares } from '@tidemark/bus/at-most'
import { serve } from '@tidemark/bus/rpc'
import { openPackedLinks } from '@tidemark/content/packed-links'
import * as linkGraphRpc from '@tidemark/contracts/rpc/link-graph'
import * as siteAuditRpc from '@tidemark/contracts/rpc/site-audit'
import { listenForDroppedWork } from '../adapters/dropped-work.ts'
import { createGraphThread } from '../adapters/graph-thread.ts'
import { forbidsFollowing } from '../domain/robots-directives.ts'
import { mapStoredLinks, rankLinks } from '../handlers/actors/rank-links.ts'
import type { ExtractorParts } from './parts.ts'

type Parts = Pick<ExtractorParts, 'db' | 'bus' | 'signal' | 'report'> & {
  /** The product token by which X-Robots-Tag may address this crawler. */
  robotsToken: string
}

/** Maximum concurrent requests. Each holds a few megabytes of names, and all but one wait. */
const graphsAtOnce = 32

/** Resolves when the signal has aborted and all pending requests are answered. */
export async function serveLinkGraphs({ db, robotsToken, bus, signal, report }: Parts): Promise<void> {
  await using graphs = createGraphThread()
  using dropped = listenForDroppedWork(bus)
  const packedLinks = openPackedLinks(db.pool, (directives, header) =>
    forbidsFollowing(directives, header, robotsToken),
  )
  const ports = { graphs, packedLinks, dropped }
  const rank = inShares(graphsAtOnce, rankLinks(ports))
  const map = inShares(graphsAtOnce, mapStoredLinks(ports))
  await Promise.all([
    serve(bus, linkGraphRpc.linkGraph, rank, { signal, report }),
    serve(bus, siteAuditRpc.mapLinks, map, { signal, report }),
  ])
}
