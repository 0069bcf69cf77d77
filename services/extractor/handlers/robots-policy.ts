/** The policy of a site for AI bots and one crawler on one URL, for a waiting client. */

import type { RobotsPolicy } from '@tidemark/contracts/http/robots-policy'
import type { ReadRobotsPolicy } from '@tidemark/contracts/rpc/policy'
import { siteFiles } from '../domain/site-file.ts'
import { verdictOn } from '../domain/site-policy.ts'
import { statusOrRefused } from './fetch-refusal.ts'
import type { ReadSitePolicy, SitePolicy } from './site-policy.ts'

type Ports = {
  sitePolicy: ReadSitePolicy
  /** This crawler's product token. */
  robotsToken: string
  /** Maximum milliseconds for the texts of a site. */
  timeoutMs: number
}

/** The handler throws a `Refusal` for an unreachable site: 502, or 400 for a private address. */
export function robotsPolicy({ sitePolicy, robotsToken, timeoutMs }: Ports) {
  return async ({ projectId, url: given, userAgent }: ReadRobotsPolicy): Promise<RobotsPolicy> => {
    const { origin, pathname, search } = new URL(given)
    const policy = await sitePolicy(origin, { timeoutMs, withFull: false, projectId })
    const status = statusOrRefused({ status: policy.robotsStatus, error: policy.robotsError })
    const agent = userAgent?.trim() || robotsToken
    const warnings = warningsOf(policy)
    return {
      url: given,
      robots_txt: policy.robotsTxt,
      llms_txt: policy.llmsTxt,
      ai_bot_policy: policy.aiBotPolicy,
      robots_status: status,
      content_signals: policy.contentSignals,
      fetched_at: policy.fetchedAt,
      verdict: { user_agent: agent, ...verdictOn(policy, agent, pathname + search) },
      ...(warnings.length > 0 && { warnings }),
    }
  }
}

function warningsOf({ robotsTruncated, llmsTruncated, llmsStatus }: SitePolicy): string[] {
  const cut = ({ path, maxBytes }: { path: string; maxBytes: number }) =>
    `${path} exceeds ${maxBytes / 1024} KiB: the rest of it is not shown`
  return [
    ...(robotsTruncated ? [cut(siteFiles.robots)] : []),
    ...(llmsTruncated ? [cut(siteFiles.llms)] : []),
    ...(isUnknown(llmsStatus) ? [unknownLlms] : []),
  ]
}

const unknownLlms = 'llms.txt could not be read, so it is unknown whether the site has one'

/** Whether the site may have the file although it was not read. */
const isUnknown = (status: number | null): boolean => status === null || status === 429 || status >= 500
