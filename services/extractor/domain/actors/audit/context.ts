/** What an audit knows of an answer and its site besides the page itself: plain data, made where the page is fetched. */
import type { AiBotPolicy } from '@tidemark/robots/ai-bot-policy'

export type AuditContext = {
  /** The redirects on the way from the address that was asked for, in order. */
  hops: { url: string; status: number }[]
  /** From the first request to the last byte, all redirects included. */
  elapsedMs: number
  /** When it was fetched; ISO 8601. */
  fetchedAt: string
  /** Whether the fields are known by which the answer was packed, cached and made safe. */
  knowsDelivery: boolean
  /** Null where nothing is known of the site. */
  site: AuditedSite | null
}

export type AuditedSite = {
  /** Status of robots.txt, null where the site gave no answer. */
  robotsStatus: number | null
  /** What robots.txt lets Googlebot do with this address, and the rule that decides. */
  googlebot: { allowed: boolean; rule: string | null }
  /** Status of llms.txt, null where there was no answer; and its beginning, null where there is no such text. */
  llms: { status: number | null; text: string | null }
  /** By the token of the bot. */
  aiBots: Record<string, AiBotPolicy>
}
