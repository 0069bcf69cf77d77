/** Computes the link graph of one run: pages from the read model, links from the extractor, and the bill. */

import type { LinkGraphRequest } from '@tidemark/contracts/http/actors/internal-link-graph'
import { maxPagesOfGraph, maxRedirectsOfGraph } from '@tidemark/contracts/rpc/link-graph'
import { ApiProblem } from '../../http/domain/problem.ts'
import type { Payer } from '../../metering/adapters/metering.ts'
import { reserveUnlessDisconnected } from '../../metering/reserve-unless-disconnected.ts'
import { assertExist } from '../../read-model/existing-run.ts'
import type { ActorOutcome, ActorWork } from '../answer-actor.ts'
import type { ActorPorts } from '../ports.ts'
import type { PagesOfGraph } from './adapters/graph-pages.ts'
import { packedKeys, packedRedirects, positionBehind, positionsOf } from './domain/graph-positions.ts'
import { linkGraphOf, noLinks, positionsIn } from './domain/link-graph.ts'

type GraphOrder = { body: LinkGraphRequest; payer: Payer; requestId: string }

export const subjectOfRun = ({ crawl_id }: LinkGraphRequest): string => `crawl:${crawl_id}`

const operation = 'internal_link_graph'

/**
 * Returns the link graph's ranking and bills it. Throws `ApiProblem` (404 for a run of another project, or one that is deleted meanwhile), or the `Refusal`
 * of the service that stores the links; then nothing is billed. A run without readable links is not billed either.
 */
export async function rankRun(
  ports: ActorPorts,
  { body, payer, requestId }: GraphOrder,
  at: ActorWork,
): Promise<ActorOutcome> {
  const { metering, hasRun } = ports
  const { projectId } = payer
  const { crawl_id: runId, top_n: topN } = body
  const what = subjectOfRun(body)
  await assertExist(hasRun, { projectId, runId })
  await reserveUnlessDisconnected(metering, payer, { requestId, kind: 'page', units: 1 }, at.signal)
  const found = await graphOf(ports, { projectId, runId, topN }, at)
    .then(async found => {
      await assertExist(hasRun, { projectId, runId })
      return found
    })
    .catch(error => {
      metering.failed(payer, { requestId, operation, what, error })
      throw error
    })
  const ending = found.hasLinks ? 'billed' : 'failed'
  await metering.served(payer, { requestId, operation, tried: [{ what, ending }] })
  return found.outcome
}

type Found = { hasLinks: boolean; outcome: ActorOutcome }
type Wanted = { projectId: number; runId: number; topN: number }

async function graphOf(
  { graphPages, keepsLinks, actors }: ActorPorts,
  { projectId, runId, topN }: Wanted,
  { workId, signal, progress }: ActorWork,
): Promise<Found> {
  const run = { projectId, runId }
  progress({ stage: 'listing the pages' })
  const pages = await graphPages.list(run)
  const { keys, redirects } = pages
  const isKept = await keepsLinks(run)
  if (!isKept || keys.length === 0)
    return {
      hasLinks: false,
      outcome: { data: noLinks(keys.length), warnings: warningsOf(pages, { isKept }) },
    }

  const positions = positionsOf(keys)
  const start = pages.starts
    .map(key => positionBehind(key, positions, redirects))
    .find(position => position !== undefined)
  const { packed, isCut } = packedRedirects(positions, redirects)
  if (signal.aborted) throw new ApiProblem('unavailable')
  progress({ stage: 'reading the links', total: keys.length })
  const request = { workId, projectId, runId, topN, keys: packedKeys(keys), redirects: packed }
  const ranked = await actors.rankLinks({ ...request, start: start ?? -1 })
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
  return { hasLinks: true, outcome: { data, warnings } }
}

type Circumstances = { isKept: boolean; hasStart?: boolean; isCut?: boolean }

function warningsOf(
  pages: PagesOfGraph,
  { isKept, hasStart = true, isCut = false }: Circumstances,
): string[] {
  const warnings: [boolean, string][] = [
    [
      !isKept,
      'the links of this crawl cannot be read, because it was started with store_html: false; nothing is billed',
    ],
    [!pages.hasEnded, 'the crawl has not ended: only the pages that it has read so far were used'],
    [pages.isCut, `only the first ${maxPagesOfGraph} pages by id were analysed`],
    [
      !hasStart,
      'neither the seed nor the root of its host is a page of the crawl: no page is reached from there',
    ],
    [isCut, `only ${maxRedirectsOfGraph} redirects were followed`],
  ]
  return warnings.flatMap(([is, text]) => (is ? [text] : []))
}
