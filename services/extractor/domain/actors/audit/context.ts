/**
 * Data about a response and its site that the page itself does not contain. Plain data, created where the page is
 * fetched.
 */
import type { AiBotPolicy } from '@tidemark/robots/ai-bot-policy'

export type AuditContext = {
  /** Redirects from the requested URL to the page, in order. */
  hops: { url: string; status: number }[]
  /** Milliseconds from the first request to the last byte, including all redirects. */
  elapsedMs: number
  /** Time of the fetch, ISO 8601. */
  fetchedAt: string
  /** Whether the headers about compression, caching and security are known. */
  knowsDelivery: boolean
  /** Null if no facts about the site are known. */
  site: AuditedSite | null
}

export type AuditedSite = {
  /** Status of robots.txt, or null if the site did not respond. */
  robotsStatus: number | null
  /** The decision of robots.txt for Googlebot and this URL, with the matching rule. */
  googlebot: { allowed: boolean; rule: string | null }
  /** Status of llms.txt, or null without a response, and the beginning of its text, or null if it is not text. */
  llms: { status: number | null; text: string | null }
  /** Key: the bot's user-agent token. */
  aiBots: Record<string, AiBotPolicy>
}
