/** Fetches one page for one request: reserves a unit, fetches the page, and bills it. */
import type { Operation } from '@tidemark/contracts/prices'
import { fetchFailureOf } from '@tidemark/contracts/problems'
import type { GetPage, GotPage } from '@tidemark/contracts/rpc/cloud'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { ApiProblem } from '../http/domain/problem.ts'
import { disconnectSignal } from '../http/responses/disconnect-signal.ts'
import { assertActions } from '../live-pages/domain/page-actions.ts'
import { billedTries, endingOfPage, sumOf } from '../live-pages/domain/price-of.ts'
import { judgeSeed } from '../live-pages/judge-seed.ts'
import { backendsTimeoutMs, newWork } from '../live-pages/read-one.ts'
import { reserveUnlessDisconnected } from '../metering/reserve-unless-disconnected.ts'
import type { CloudPorts } from './ports.ts'

/** The fields of a request for a page that differ between endpoints. */
export type PageOptions = Pick<GetPage, 'url' | 'means' | 'wanted'> &
  Partial<Pick<GetPage, 'waitFor' | 'picture' | 'actions'>>
/** A fetched page. Its `tried` contains the billed costs. `elapsedMs` is the time since the request for the page. */
export type Billed = { got: GotPage; costUsd: number; elapsedMs: number }
export type BilledRequest = {
  request: Pick<FastifyRequest, 'caller' | 'id'>
  reply: FastifyReply
  operation: Operation
}

/**
 * Returns the page after its bill is stored. Throws `ApiProblem`, or the `Refusal` of the service that could not fetch
 * the page. Then nothing is billed. The exception is `unavailable` because the storage of the bill was not confirmed:
 * then it is unknown whether the page is billed.
 */
export async function fetchAndBillPage(
  ports: CloudPorts,
  { request, reply, operation }: BilledRequest,
  options: PageOptions,
): Promise<Billed> {
  const { caller, id: requestId } = request
  const { metering, cloud, contents, proxyPrices } = ports
  const { url: what } = options
  const start = performance.now()
  const disconnected = disconnectSignal(reply)
  await judgeSeed(ports, what)
  assertActions(options.actions ?? [], what, options.picture ?? false)
  await reserveUnlessDisconnected(metering, caller, { requestId, kind: 'cloud_page', units: 1 }, disconnected)
  const pageRequest = requestOf(caller.projectId, options)
  const drop = () => contents.drop(pageRequest.workId)
  disconnected.addEventListener('abort', drop, { once: true })
  const got = await cloud
    .getPage(pageRequest)
    .then(withPicture(pageRequest))
    .catch(error => {
      metering.failed(caller, { requestId, operation, what, error })
      throw error
    })
  const tries = billedTries(got, proxyPrices)
  const costUsd = sumOf(tries)
  await metering.served(caller, {
    requestId,
    operation,
    costUsd,
    tried: [{ what, ending: endingOfPage(got) }],
  })
  return { got: { ...got, tried: tries }, costUsd, elapsedMs: performance.now() - start }
}

const requestOf = (projectId: number, { url, ...options }: PageOptions): GetPage => ({
  ...newWork(1),
  projectId,
  url: new URL(url).href,
  waitFor: 'load',
  picture: false,
  timeoutMs: backendsTimeoutMs,
  delayMs: 0,
  respectRobots: false,
  ...options,
})

const withPicture =
  ({ picture }: GetPage) =>
  (got: GotPage): GotPage => {
    if (!picture || got.picture !== null) return got
    const { pictureError: error = '' } = got
    const because = error === '' ? '' : `: ${error}`
    throw new ApiProblem('fetch_failed', {
      reason: fetchFailureOf(error),
      message: `The page was fetched, but its screenshot failed${because}.`,
    })
  }
