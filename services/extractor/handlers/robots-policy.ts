/** What a site says to AI bots and to one crawler of one address, for somebody who waits. */
import type { ReadRobotsPolicy } from '@tidemark/contracts/ask/policy'
import type { RobotsPolicy } from '@tidemark/contracts/http/robots-policy'
import { siteFiles } from '../domain/site-file.ts'
import { verdictOn } from '../domain/site-policy.ts'
import { refusalOf } from './fetch-refusal.ts'
import type { ReadSitePolicy, SitePolicy } from './site-policy.ts'

type Ports = {
  sitePolicy: ReadSitePolicy
  /** The product token that we are addressed by. */
  robotsToken: string
  /** In milliseconds. */
  timeoutMs: number
}

/** The handler throws a `Refusal` for a site that cannot be reached: 502, or 400 for an address inward. */
export function robotsPolicy({ sitePolicy, robotsToken, timeoutMs }: Ports) {
  return async ({ url: given, userAgent }: ReadRobotsPolicy): Promise<RobotsPolicy> => {
    const url = new URL(given)
    url.hash = ''
    const { href, origin, pathname, search } = url
    const policy = await sitePolicy(origin, { timeoutMs, withFull: false })
    const { robotsStatus, robotsError } = policy
    if (robotsStatus === null)
      throw refusalOf(robotsError ?? { reason: 'protocol', message: 'There was no answer.' })
    const asked = userAgent?.trim() || robotsToken
    const warnings = warningsOf(policy)
    return {
      url: href,
      robots_txt: policy.robotsTxt,
      llms_txt: policy.llmsTxt,
      ai_bot_policy: policy.aiBotPolicy,
      robots_status: robotsStatus,
      content_signals: policy.contentSignals,
      fetched_at: policy.fetchedAt,
      verdict: { user_agent: asked, ...verdictOn(policy, asked, pathname + search) },
      ...(warnings.length > 0 && { warnings }),
    }
  }
}

function warningsOf({ robotsTruncated, llmsTruncated }: SitePolicy): string[] {
  const cut = ({ path, most }: { path: string; most: number }) =>
    `${path} is longer than ${most / 1024} KiB: the rest of it is not shown`
  return [
    ...(robotsTruncated ? [cut(siteFiles.robots)] : []),
    ...(llmsTruncated ? [cut(siteFiles.llms)] : []),
  ]
}
