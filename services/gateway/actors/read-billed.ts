/** Reads one page for an actor: reserves, reads the page, and bills. */

import type { Operation } from '@tidemark/contracts/prices'
import type { PageRead, Reading, ReadPageAs } from '@tidemark/contracts/rpc/actors'
import { ApiProblem } from '../http/domain/problem.ts'
import { judgeSeed } from '../live-pages/judge-seed.ts'
import type { Payer } from '../metering/adapters/metering.ts'
import { reserveUnlessDisconnected } from '../metering/reserve-unless-disconnected.ts'
import type { ActorOutcome, ActorWork } from './answer-actor.ts'
import type { ActorPorts } from './ports.ts'

export type PageOrder = {
  payer: Payer
  requestId: string
  operation: Operation
  url: string
  /** The stage in the progress. */
  stage?: string
}

const fetchMs = 30_000

/** Does the same as `billedPage` for a page that is fetched without a browser. */
export const readBilled = (ports: ActorPorts, order: PageOrder, reading: Reading, at: ActorWork) =>
  billedPage(ports, order, at, page => ports.actors.readPage({ ...page, timeoutMs: fetchMs, reading }))

/**
 * Throws `ApiProblem`, or the `Refusal` of the service that could not fetch the page; then nothing is billed. A challenge
 * counts as a failure: 502 `blocked`.
 */
export async function billedPage(
  { metering, ...ports }: ActorPorts,
  { payer, requestId, operation, url, stage = 'reading the page' }: PageOrder,
  { workId, signal, progress }: ActorWork,
  readPage: (page: Pick<ReadPageAs, 'workId' | 'projectId' | 'url'>) => Promise<PageRead>,
): Promise<ActorOutcome> {
  await judgeSeed(ports, url)
  await reserveUnlessDisconnected(metering, payer, { requestId, kind: 'page', units: 1 }, signal)
  progress({ stage })
  const { projectId } = payer
  const read = await readPage({ workId, projectId, url: new URL(url).href }).catch(error => {
    metering.failed(payer, { requestId, operation, what: url, error })
    throw error
  })
  const ending = read.challenge === null ? 'billed' : 'blocked'
  await metering.served(payer, { requestId, operation, tried: [{ what: url, ending }] })
  if (read.challenge !== null) throw challenged(read.challenge)
  return outcomeOf(read)
}

export const challenged = (whose: string) =>
  new ApiProblem('fetch_failed', {
    reason: 'blocked',
    message: `The site returned a challenge (${whose}) instead of its page. POST /v1/cloud/scrape may fetch it.`,
  })

const outcomeOf = ({ data, url, status, warnings }: PageRead): ActorOutcome => ({
  data: data as object,
  page: { url, status },
  warnings,
})
