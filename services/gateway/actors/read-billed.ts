/** Reads one page, or stored runs, for an actor: reserves, reads, and bills one page. */

import type { Operation } from '@tidemark/contracts/prices'
import type { PageRead, Reading, ReadPageAs } from '@tidemark/contracts/rpc/actors'
import { ApiProblem } from '../http/domain/problem.ts'
import { judgeSeed } from '../live-pages/judge-seed.ts'
import type { Payer } from '../metering/adapters/metering.ts'
import { reserveUnlessDisconnected } from '../metering/reserve-unless-disconnected.ts'
import type { OfRun } from '../read-model/adapters/crawled-pages.ts'
import { assertExist } from '../read-model/existing-run.ts'
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

export type RunsOrder = Omit<PageOrder, 'url' | 'stage'> & {
  /** The subject of the bill. */
  what: string
}

/** The result of stored runs. It costs nothing if the runs have nothing to read. */
export type ReadRuns = { isBilled: boolean; outcome: ActorOutcome }

/**
 * Throws `ApiProblem` (404 for a run of another project, or one that is deleted meanwhile), or the `Refusal` of the
 * service that could not read the runs; then nothing is billed.
 */
export async function billedRuns(
  { metering, hasRun }: Pick<ActorPorts, 'metering' | 'hasRun'>,
  { payer, requestId, operation, what }: RunsOrder,
  runs: readonly OfRun[],
  signal: AbortSignal,
  readRuns: () => Promise<ReadRuns>,
): Promise<ActorOutcome> {
  await assertExist(hasRun, ...runs)
  await reserveUnlessDisconnected(metering, payer, { requestId, kind: 'page', units: 1 }, signal)
  const readExisting = async () => {
    const read = await readRuns()
    await assertExist(hasRun, ...runs)
    return read
  }
  const { isBilled, outcome } = await readExisting().catch(error => {
    metering.failed(payer, { requestId, operation, what, error })
    throw error
  })
  const ending = isBilled ? 'billed' : 'failed'
  await metering.served(payer, { requestId, operation, tried: [{ what, ending }] })
  return outcome
}

export const challenged = (challenge: string) =>
  new ApiProblem('fetch_failed', {
    reason: 'blocked',
    message: `The site returned a challenge (${challenge}) instead of its page. POST /v1/cloud/scrape may fetch it.`,
  })

const outcomeOf = ({ data, url, status, warnings }: PageRead): ActorOutcome => ({
  data: data as object,
  page: { url, status },
  warnings,
})
