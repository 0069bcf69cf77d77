/** `POST /v1/scan`: one page, read while the client waits. */
import { Scan, type ScanRequest, ScanRequest as ScanRequestSchema } from '@tidemark/contracts/http/scan'
import type { Metering } from '../adapters/metering.ts'
import type { App } from '../app.ts'
import { ApiProblem } from '../domain/problem.ts'
import { endingOf, type Found, pageOf, wantedOf, warningsOf } from '../domain/scan.ts'
import { assertSelectors } from '../domain/selectors.ts'
import { assertUserAgent } from '../domain/user-agent.ts'
import { goneOf } from './gone-of.ts'
import { judgeSeed } from './judge-seed.ts'
import { newWork, type Reading, type ReadPorts, readOne } from './read-one.ts'

export type ScanPorts = ReadPorts & { metering: Metering }

export function scanRoutes(app: App, ports: ScanPorts): void {
  app.post(
    '/v1/scan',
    {
      schema: {
        operationId: 'scanPage',
        summary: 'Read one page now',
        description: 'Markdown, metadata and signals of a page, and what its site tells AI bots.',
        tags: ['Scans'],
        body: ScanRequestSchema,
        response: { 200: Scan },
      },
    },
    async ({ body, caller, id: requestId, warnings: ignored }, reply) => {
      assertPossible(body)
      await judgeSeed(ports, body.url)
      const { metering } = ports
      await metering.reserve(caller, { requestId, kind: 'page', units: 1 })
      const reading = readingOf(body)
      const drop = () => ports.contents.drop(reading.work.workId)
      goneOf(reply).addEventListener('abort', drop, { once: true })
      const found = await readOne(ports, caller.projectId, reading).catch(error => {
        metering.failed(caller, { requestId, operation: 'scan', what: body.url })
        throw error
      })
      const tried = [{ what: body.url, ending: endingOf(found) }]
      await metering.served(caller, { requestId, operation: 'scan', tried })
      return scanOf(body.url, found, [...ignored, ...warningsOf(found)])
    },
  )
}

const readingOf = (body: ScanRequest): Reading => ({
  url: body.url,
  maxAgeSeconds: body.max_age_seconds,
  userAgent: body.user_agent,
  wanted: wantedOf(body),
  site: 'policy',
  work: newWork(1),
  delayMs: 0,
})

function scanOf(url: string, found: Found, warnings: string[]): Scan {
  const { markdown, article, anchors, extracted } = found.content
  return {
    ...pageOf(url, found),
    ...(markdown !== undefined && { markdown }),
    ...(article && { article_text: article.text, article_html: article.html }),
    ...(anchors && { anchors }),
    ...(extracted && { extracted }),
    ...(warnings.length > 0 && { warnings }),
  }
}

/** Throws `ApiProblem` for what no backend here can do, and for selectors and a user agent that are none. */
function assertPossible({ cloud_mode, screenshot_inline, extract, user_agent }: ScanRequest): void {
  if (cloud_mode === 'unblocker' || cloud_mode === 'browser') {
    throw new ApiProblem('not_configured', {
      message: `This installation has no backend for cloud_mode "${cloud_mode}"; leave it out, or say "none" or "auto".`,
      field: 'cloud_mode',
    })
  }
  if (screenshot_inline) {
    throw new ApiProblem('not_configured', {
      message: 'This installation has no browser that could take a picture; leave screenshot_inline out.',
      field: 'screenshot_inline',
    })
  }
  assertSelectors(extract)
  assertUserAgent(user_agent)
}
