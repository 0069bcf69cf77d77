/** Computes the link graph of one run: pages from the read model, links from the extractor, and the bill. */

import type { LinkGraphRequest } from '@tidemark/contracts/http/actors/internal-link-graph'
import { maxPagesOfGraph, maxRedirectsOfGraph } from '@tidemark/contracts/rpc/link-graph'
import { ApiProblem } from '../../http/domain/problem.ts'
import type { Payer } from '../../metering/adapters/metering.ts'
import type { OfRun } from '../../read-model/adapters/crawled-pages.ts'
import type { ActorOutcome, ActorWork } from '../answer-actor.ts'
import type { ActorPorts } from '../ports.ts'
import { billedRuns, type ReadRuns } from '../read-billed.ts'
import type { PagesOfGraph } from './adapters/graph-pages.ts'
import { packedKeys, packedRedirects, positionBehind, positionsOf } from './domain/graph-positions.ts'
import { linkGraphOf, noLinks, positionsIn } from './domain/link-graph.ts'
import { readForwards } from './read-forwards.ts'

type GraphOrder = { body: LinkGraphRequest; payer: Payer; requestId: string }

export const subjectOfRun = ({ crawl_id }: LinkGraphRequest): string => `crawl:${crawl_id}`

/** Returns the link graph of the run and bills one page. A run without readable links costs nothing. */
export function rankRun(
  ports: ActorPorts,
  { body, payer, requestId }: GraphOrder,
  at: ActorWork,
): Promise<ActorOutcome> {
  const run = { projectId: payer.projectId, runId: body.crawl_id }
  const order = { payer, requestId, operation: 'internal_link_graph', what: subjectOfRun(body) } as const
  return billedRuns(ports, order, [run], at.signal, () => graphOf(ports, run, body.top_n, at))
}

async function graphOf(
  { graphPages, keepsLinks, actors, siteReads }: ActorPorts,
  run: OfRun,
  topN: number,
  { workId, signal, progress }: ActorWork,
): Promise<ReadRuns> {
  progress({ stage: 'listing the pages' })
  const pages = await graphPages.list(run)
  const { keys, redirects } = pages
  const isKept = await keepsLinks(run)
  if (!isKept || keys.length === 0)
    return {
      isBilled: false,
      outcome: { data: noLinks(keys.length), warnings: [...warningsOf(pages, { isKept })] },
    }
  const positions = positionsOf(keys)
  const start = pages.starts
    .map(key => positionBehind(key, positions, redirects))
    .find(position => position !== undefined)
  const { packed, isCut } = packedRedirects(positions, redirects)
  if (signal.aborted) throw new ApiProblem('unavailable')
  progress({ stage: 'reading the links', total: keys.length })
  const forwarding = start === undefined ? null : { run, pages, positions, start }
  const forwards = forwarding && (await readForwards({ actors, siteReads }, forwarding, { workId, signal }))
  const request = { workId, ...run, topN, keys: packedKeys(keys), redirects: packed }
  const ranked = await actors.rankLinks({
    ...{ ...request, start: start ?? -1 },
    ...(forwards && forwards.length > 0 && { forwards }),
  })
  progress({ stage: 'naming the pages', done: keys.length, total: keys.length })
  const urls = await graphPages.urls(
    run,
    positionsIn(ranked).flatMap(position => keys[position] ?? []),
  )
  const data = linkGraphOf(ranked, keys.length, position => urls.get(keys[position] ?? ''))
  const warnings = [
    ...warningsOf(pages, { isKept, hasStart: start !== undefined, isCut }),
    ...ranked.warnings,
  ]
  return { isBilled: true, outcome: { data, warnings } }
}

type Circumstances = { isKept: boolean; hasStart?: boolean; isCut?: boolean }

function* warningsOf(
  pages: PagesOfGraph,
  { isKept, hasStart = true, isCut = false }: Circumstances,
): Generator<string> {
  if (!isKept)
    yield 'the links of this crawl cannot be read, because it was started with store_html: false; nothing is billed'
  if (!pages.hasEnded) yield 'the crawl has not ended: only the pages that it has read so far were used'
  if (pages.isCut) yield `only the first ${maxPagesOfGraph} pages by id were analysed`
  if (!hasStart)
    yield 'neither the seed nor the root of its host is a page of the crawl: no page is reached from there'
  if (isCut) yield `only ${maxRedirectsOfGraph} redirects were followed`
}
