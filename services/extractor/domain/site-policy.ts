/** What a site says to AI bots, put together from its texts, and what it says of one address (RFC 9309). */
import type { SiteFile } from '@tidemark/contracts/site-file'
import { type AiBotPolicy, aiBotPolicy, type Verdict, verdictFor } from '@tidemark/robots/ai-bot-policy'
import { type ContentSignals, contentSignals } from '@tidemark/robots/content-signals'
import { meaningOf } from './site-file.ts'

/** What is known of a site; a text is null where the site has none that could be read. */
export type SitePolicy = {
  /** Without a slash at the end. */
  origin: string
  /** When its robots.txt was asked for; ISO 8601. */
  fetchedAt: string
  /** HTTP status of robots.txt; null where there was no answer. */
  robotsStatus: number | null
  /** Why there was no answer: a stable code and a sentence; null where there was one. */
  robotsError: SiteFile['error']
  robotsTxt: string | null
  /** Whether the text goes on beyond what is kept of it. */
  robotsTruncated: boolean
  /** HTTP status of llms.txt; null where there was no answer. */
  llmsStatus: number | null
  llmsTxt: string | null
  llmsTruncated: boolean
  /** Null too where it was not asked for. */
  llmsFullTxt: string | null
  llmsFullTruncated: boolean
  /** By the token of the bot. */
  aiBotPolicy: Record<string, AiBotPolicy>
  /** By product token in lower case, `*` for everybody. */
  contentSignals: Record<string, ContentSignals>
}

export type SiteTexts = { robots: SiteFile; llms: SiteFile; llmsFull: SiteFile | null }

/** What robots.txt says to AI bots. */
export type RobotsSays = Pick<SitePolicy, 'aiBotPolicy' | 'contentSignals'>

/** Without rules every bot is `unspecified`, and `disallowed` where nobody can say whether there are any. */
export const robotsSays = ({ status, text }: SiteFile): RobotsSays => ({
  aiBotPolicy: aiBotPolicy(rulesOf(status, text)),
  contentSignals: contentSignals(text ?? ''),
})

/** @param says what is known of `robots` */
export function sitePolicyOf(
  origin: string,
  { robots, llms, llmsFull }: SiteTexts,
  says: RobotsSays = robotsSays(robots),
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
    ...says,
  }
}

/** @param pathAndQuery As in the URL, from the first slash on. */
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
