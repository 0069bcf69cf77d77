/** The policy of a site for AI bots, assembled from its texts, and its decision for one URL (RFC 9309). */
import type { SiteFile } from '@tidemark/contracts/site-file'
import { type AiBotPolicy, aiBotPolicy, type Verdict, verdictFor } from '@tidemark/robots/ai-bot-policy'
import { type ContentSignals, contentSignals } from '@tidemark/robots/content-signals'
import { meaningOf } from './site-file.ts'

/** Facts about a site. A text is null if the site has no readable one. */
export type SitePolicy = {
  /** The origin without a trailing slash. */
  origin: string
  /** Time of the request for robots.txt, ISO 8601. */
  fetchedAt: string
  /** HTTP status of robots.txt; null without a response. */
  robotsStatus: number | null
  /** The error without a response: a stable code and a sentence; null otherwise. */
  robotsError: SiteFile['error']
  robotsTxt: string | null
  /** Whether the stored text is truncated. */
  robotsTruncated: boolean
  /** HTTP status of llms.txt; null without a response. */
  llmsStatus: number | null
  llmsTxt: string | null
  llmsTruncated: boolean
  /** Null also if llms-full.txt was not requested. */
  llmsFullTxt: string | null
  llmsFullTruncated: boolean
  /** Key: the bot's user-agent token. */
  aiBotPolicy: Record<string, AiBotPolicy>
  /** Content signals by product token in lower case. `*` stands for all crawlers. */
  contentSignals: Record<string, ContentSignals>
}

export type SiteTexts = { robots: SiteFile; llms: SiteFile; llmsFull: SiteFile | null }

/** The decisions of robots.txt for AI bots. */
export type RobotsFacts = Pick<SitePolicy, 'aiBotPolicy' | 'contentSignals'>

/**
 * Returns the decisions. A robots.txt without rules makes every bot `unspecified`, and an unreachable one
 * `disallowed`.
 */
export const robotsFacts = ({ status, text }: SiteFile): RobotsFacts => ({
  aiBotPolicy: aiBotPolicy(rulesOf(status, text)),
  contentSignals: contentSignals(text ?? ''),
})

/** @param facts facts about `robots` */
export function sitePolicyOf(
  origin: string,
  { robots, llms, llmsFull }: SiteTexts,
  facts: RobotsFacts = robotsFacts(robots),
): SitePolicy {
  return {
    origin,
    fetchedAt: robots.fetchedAt,
    robotsStatus: robots.status,
    robotsError: robots.error,
    robotsTxt: robots.text,
    robotsTruncated: robots.truncated,
    llmsStatus: llms.status,
    llmsTxt: llms.text,
    llmsTruncated: llms.truncated,
    llmsFullTxt: llmsFull?.text ?? null,
    llmsFullTruncated: llmsFull?.truncated ?? false,
    ...facts,
  }
}

/** @param pathAndQuery as in the URL, from the first slash */
export const verdictOn = (
  { robotsStatus, robotsTxt }: Pick<SitePolicy, 'robotsStatus' | 'robotsTxt'>,
  userAgent: string,
  pathAndQuery: string,
): Verdict =>
  isClosed(robotsStatus)
    ? { allowed: pathAndQuery === '/robots.txt', rule: null, agent: null }
    : verdictFor(robotsTxt ?? '', userAgent, pathAndQuery)

const rulesOf = (status: number | null, text: string | null): string =>
  isClosed(status) ? 'User-agent: *\nDisallow: /' : (text ?? '')

const isClosed = (status: number | null): boolean => meaningOf(status) === 'disallow_all'
