/** `POST /v1/scan`: reads one page while the client waits. */
import { Scan, type ScanRequest, ScanRequest as ScanRequestSchema } from '@tidemark/contracts/http/scan'
import { priceText } from '@tidemark/contracts/prices'
import type { App } from '../app.ts'
import { refusal } from '../http/domain/refusal.ts'
import { disconnectSignal } from '../http/responses/disconnect-signal.ts'
import type { Models } from '../live-pages/adapters/models.ts'
import { assertModel, reserveModelCall } from '../live-pages/assert-model.ts'
import { assertOverlap } from '../live-pages/domain/chunk-request.ts'
import { type ExtractRequest, extractOf } from '../live-pages/domain/extract-request.ts'
import type { Found } from '../live-pages/domain/found-page.ts'
import { pageWarnings } from '../live-pages/domain/page-fields.ts'
import { sumOf } from '../live-pages/domain/price-of.ts'
import type { ProxyPrices } from '../live-pages/domain/proxy-prices.ts'
import { assertUserAgent } from '../live-pages/domain/user-agent.ts'
import { judgeSeed } from '../live-pages/judge-seed.ts'
import { newWork, type Reading, type ReadPorts, readOne } from '../live-pages/read-one.ts'
import type { Metering } from '../metering/adapters/metering.ts'
import { modelUsed } from '../metering/domain/metering.ts'
import { releaseIfDisconnected } from '../metering/reserve-unless-disconnected.ts'
import { endingOf, pageOf, wantedOf, withoutEffect } from './domain/scan.ts'
import {
  cloudFields,
  cloudTried,
  cloudWanted,
  type ScanPlan,
  scanPlanOf,
  scanTries,
} from './domain/scan-plan.ts'
import { reserveCloud } from './reserve-cloud.ts'

export type ScanPorts = ReadPorts & { metering: Metering; models: Models; proxyPrices: ProxyPrices }

export function scanRoutes(app: App, ports: ScanPorts): void {
  app.post(
    '/v1/scan',
    {
      schema: {
        operationId: 'scanPage',
        summary: 'Read one page now',
        description: `Returns markdown, metadata and signals of a page, and the rules of its site for AI bots. ${priceText('scan')}`,
        tags: ['Scans'],
        body: ScanRequestSchema,
        response: { 200: Scan },
      },
    },
    async ({ body, caller, id: requestId, warnings: ignored }, reply) => {
      const disconnected = disconnectSignal(reply)
      const extract = body.extract && (await extractOf(body.extract))
      assertChunks(body)
      assertUserAgent(body.user_agent)
      await judgeSeed(ports, body.url)
      const { metering, models } = ports
      const byModel = extract && 'schema' in extract ? extract.byModel : null
      if (byModel) await assertModel(models, caller.projectId, byModel, 'extract.')
      const planned = scanPlanOf(body, caller.cloudMode)
      await metering.reserve(caller, { requestId, kind: 'page', units: 1 })
      const { plan, warnings } = await reserveCloud(ports, caller, requestId, planned)
      if (byModel)
        await reserveModelCall(models, { projectId: caller.projectId, requestId }, () =>
          metering.release(caller, requestId),
        )
      releaseIfDisconnected(metering, caller, requestId, disconnected)
      const reading = readingOf(body, plan, extract, caller.tier)
      const drop = () => ports.contents.drop(reading.work.workId)
      disconnected.addEventListener('abort', drop, { once: true })
      const found = await readOne(ports, caller.projectId, reading).catch(error => {
        metering.failed(caller, {
          requestId,
          operation: 'scan',
          what: body.url,
          error,
          also: cloudWanted(plan),
        })
        throw error
      })
      const ending = endingOf(found)
      const tried = [...cloudTried(body.url, found, ending), { what: body.url, ending }]
      const tries = scanTries(found, ports.proxyPrices)
      const costUsd = sumOf(tries)
      const model = modelUsed(found.content.extraction, body.url)
      await metering.served(caller, { requestId, operation: 'scan', costUsd, tried, ...model })
      const scan = scanOf(body.url, found, [
        ...ignored,
        ...withoutEffect(body),
        ...warnings,
        ...pageWarnings(found),
      ])
      return { ...scan, ...cloudFields(found, tries, costUsd) }
    },
  )
}

/** Returns the request for the page. A scan with a screenshot is always fetched, because stored pages have none. */
const readingOf = (
  body: ScanRequest,
  { means, picture }: ScanPlan,
  extract: ExtractRequest | undefined,
  tier: Reading['tier'],
): Reading => ({
  url: body.url,
  maxAgeSeconds: picture ? undefined : body.max_age_seconds,
  userAgent: body.user_agent,
  wanted: wantedOf(body, extract),
  site: 'policy',
  work: newWork(1),
  delayMs: 0,
  tier,
  ...(means !== undefined && { means }),
  ...(picture && { picture }),
})

function scanOf(url: string, found: Found, warnings: string[]): Scan {
  const { markdown, chunks, article, anchors, extracted, extraction } = found.content
  return {
    ...pageOf(url, found),
    ...(markdown !== undefined && { markdown }),
    ...(chunks && { chunks }),
    ...(article && { article_text: article.text, article_html: article.html }),
    ...(anchors && { anchors }),
    ...(extracted && { extracted }),
    ...(extraction && { extraction }),
    ...(warnings.length > 0 && { warnings }),
  }
}

/** Throws ApiProblem for chunks of a scan without Markdown, and for too long an overlap. */
function assertChunks({ chunks, metadata_only }: ScanRequest): void {
  if (chunks === undefined) return
  if (metadata_only)
    throw refusal(
      'chunks',
      'conflicting_fields',
      'chunks are made of Markdown, which metadata_only leaves out. Leave out one of them.',
    )
  assertOverlap(chunks, 'chunks.overlap')
}
