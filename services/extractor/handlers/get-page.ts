/** Fetches one page for a waiting client by any backend that works, and makes the requested content. */
import { decodeJson, encodeJson } from '@tidemark/bus/codec'
import type { GetPage, GotPage } from '@tidemark/contracts/rpc/cloud'
import type { Content } from '@tidemark/contracts/rpc/content'
import { type Escalated, type EscalatePorts, type Escalation, escalate } from './escalate.ts'
import { requireRobotsAllow } from './may-fetch.ts'
import { type Picture, pictureOf } from './picture.ts'
import type { ReadSiteFile } from './site-files.ts'

type Ports = EscalatePorts & {
  readSiteFile: ReadSiteFile
  robotsToken: string
}

/** The result without the content, the content as JSON, and the warnings in it that are about the fetch. */
export type Got = { page: Omit<GotPage, 'content'>; content: Uint8Array; warnings: readonly string[] }

/** Share of the total time for the site's robots.txt. */
const robotsShare = 0.25

/**
 * The handler throws a `Refusal` if every backend failed: 502, 400 for a private address, 503
 * `not_configured` without any backend.
 */
export function getPage(ports: Ports) {
  return async (request: GetPage): Promise<Got> => {
    const { url, workId, projectId, userAgent, timeoutMs } = request
    const endsAt = performance.now() + timeoutMs
    ports.thread.expect()
    await insist(url)
    const escalation = { ...request, owner: `project ${projectId}`, endsAt }
    const escalated = await escalate(ports, escalation)
    const { page } = escalated.response
    // A redirect must not lead around the rules. Its target is known only by its response.
    if (page.url !== url) await insist(page.url)
    const picture = request.picture ? await pictureOf(ports, escalation, escalated) : null
    return gotOf(escalation, escalated, picture)

    async function insist(url: string): Promise<void> {
      if (!request.respectRobots) return
      const leftMs = Math.max(1, endsAt - performance.now())
      const robotsMs = Math.ceil(Math.min(timeoutMs * robotsShare, leftMs))
      await requireRobotsAllow(ports, { url, workId, projectId, userAgent, timeoutMs: robotsMs })
    }
  }
}

function gotOf({ means }: Escalation, { response, tried }: Escalated, picture: Picture | null): Got {
  const { step, page, made, fetchedAt } = response
  const warnings = [
    ...(page.warnings ?? []),
    ...(picture?.error === undefined
      ? (picture?.warnings ?? [])
      : [`there is no screenshot: ${picture.error}`]),
  ]
  const byAnother = step.backend === 'proxy' || step.backend === 'vendor'
  return {
    page: {
      url: page.url,
      status: page.status,
      fetchedAt,
      backend: step.backend,
      pool: step.pool ?? null,
      country: byAnother && 'country' in means ? means.country : null,
      tried,
      moved: page.moved ?? null,
      costUsd: costOf(tried),
      picture: picture?.png?.toString('base64') ?? null,
      ...(picture?.error !== undefined && { pictureError: picture.error }),
    },
    content: warned(made.json, warnings),
    warnings,
  }
}

/** Total price of all attempts in USD. */
export const costOf = (tried: Escalated['tried']): number =>
  tried.reduce((sum, { costUsd }) => sum + costUsd, 0)

/** Adds warnings about the fetch of the page to its content. */
export function warned(json: Uint8Array, warnings: readonly string[]): Uint8Array {
  if (warnings.length === 0) return json
  const content = decodeJson(json) as Content
  return encodeJson({ ...content, warnings: [...content.warnings, ...warnings] })
}
