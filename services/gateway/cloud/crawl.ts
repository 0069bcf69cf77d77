/** `POST /v1/cloud/crawl`: crawls a small site within one request. */
import { CloudCrawl, CloudCrawlRequest } from '@tidemark/contracts/http/cloud/crawl'
import { priceText } from '@tidemark/contracts/prices'
import type { App } from '../app.ts'
import { ApiProblem } from '../http/domain/problem.ts'
import { disconnectSignal } from '../http/responses/disconnect-signal.ts'
import { sendMade } from '../http/responses/send-made.ts'
import type { SlotHook } from '../http/responses/slot-hook.ts'
import { costFields } from '../live-pages/domain/page-fields.ts'
import { usd } from '../live-pages/domain/price-of.ts'
import { judgeSeed } from '../live-pages/judge-seed.ts'
import type { CloudPorts } from './ports.ts'
import { type Walked, walkSite } from './walk-site.ts'

export function cloudCrawlRoutes(app: App, ports: CloudPorts, acquireSlot: SlotHook): void {
  app.post(
    '/v1/cloud/crawl',
    {
      onRequest: acquireSlot,
      schema: {
        operationId: 'cloudCrawl',
        summary: 'Crawl a small site while you wait',
        description: `Crawls breadth first from \`url\`, on its host, as its robots.txt allows. After about two minutes it returns the pages found so far, with a warning. ${priceText('cloud_crawl')}`,
        tags: ['Cloud'],
        body: CloudCrawlRequest,
        response: { 200: CloudCrawl },
      },
    },
    async ({ body, caller, id: requestId, warnings: ignored }, reply) => {
      const { url, limit, chrome, return_format: format } = body
      const start = performance.now()
      const operation = 'cloud_crawl'
      const { metering, cloudCrawlMs } = ports
      await judgeSeed(ports, url)
      const { granted } = await metering.reserve(caller, { requestId, kind: 'cloud_page', units: limit })
      const late = AbortSignal.timeout(cloudCrawlMs)
      const walked = await walkSite(ports, {
        projectId: caller.projectId,
        url,
        limit: granted,
        format,
        means: { is: 'auto', from: chrome ? 'browser' : 'http', country: null },
        signal: AbortSignal.any([disconnectSignal(reply), late]),
        timeoutMs: cloudCrawlMs,
      })
        .then(withPages)
        .catch(error => {
          metering.failed(caller, { requestId, operation, what: url, error })
          throw error
        })
      const costUsd = usd(walked.costUsd)
      await metering.served(caller, { requestId, operation, costUsd, tried: walked.tried })
      const warnings = [...ignored, ...warningsOf(walked, { isLate: late.aborted, granted, limit })]
      const { items, failed } = walked
      const rest = { failed, ...costFields(costUsd, performance.now() - start, warnings) }
      return sendMade(reply, items.json('items', rest))
    },
  )
}

/** Returns the results. Throws `ApiProblem` if the time was over before the first one. */
function withPages(walked: Walked): Walked {
  if (walked.items.count > 0 || walked.failed.length > 0) return walked
  throw new ApiProblem('fetch_failed', {
    reason: 'timeout',
    message: 'The first page was not fetched in time.',
  })
}

type End = { isLate: boolean; granted: number; limit: number }

function* warningsOf({ items, moreFailed }: Walked, { isLate, granted, limit }: End): Generator<string> {
  if (granted < limit) yield `the daily cap of cloud pages allowed ${granted} of ${limit} pages`
  if (isLate) yield 'the time limit was reached before all pages were read'
  if (items.isFull) yield 'the response reached its maximum size; request fewer pages at once'
  if (moreFailed > 0) yield `${moreFailed} more addresses could not be fetched`
}
