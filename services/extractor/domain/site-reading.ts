/**
 * The requests for the texts of a run's site, derived from the run's events: which texts, when, and with which delay. A
 * run that respects robots.txt has fetched it itself, and other texts are requested only if it allows them. The fetcher
 * shares that robots.txt with the reading. If the client of the run has its own settings for requests, the file is not
 * shared, and the reading requests it again.
 */

import { type ClientRequestSettings, defaultDelayMs } from '@tidemark/contracts/rpc/fetch'
import type { RunEventData } from '@tidemark/contracts/run'
import type { RunSettings } from '@tidemark/contracts/run-settings'
import type { RunSiteEvent } from '@tidemark/contracts/run-site'
import type { SiteFile } from '@tidemark/contracts/site-file'
import { crawlDelayMs } from '@tidemark/robots/crawl-delay'
import { judgePath } from '@tidemark/robots/judge'
import { normalForm } from '@tidemark/url/normal-form'
import { siteFiles } from './site-file.ts'
import { sitePolicyOf } from './site-policy.ts'

/** `origin` is null if the seed has none. */
export type Queued = {
  origin: string | null
  delayMs: number
  respectsRobots: boolean
  /** Null: the client has no settings for requests. */
  own: ClientRequestSettings | null
}
export type Robots = { origin: string; delayMs: number; readsLlms: boolean; readsLlmsFull: boolean }

export function queuedOf({ url, settings }: Pick<RunEventData<'RunQueued'>, 'url' | 'settings'>): Queued {
  const { delayMs, respectRobots } = settings
  const normal = normalForm(url)
  return {
    origin: normal === null ? null : new URL(normal).origin,
    delayMs: Math.max(defaultDelayMs, delayMs),
    respectsRobots: respectRobots,
    own: ownOf(settings),
  }
}

function ownOf({ headers, cookies, proxy, proxyPool, userAgent }: RunSettings): ClientRequestSettings | null {
  const own = {
    ...(headers && { headers }),
    ...(cookies && { cookies }),
    ...(proxy ? { proxy: proxy.sealed } : proxyPool && { proxyPool }),
    ...(userAgent && { userAgent }),
  }
  return Object.keys(own).length === 0 ? null : own
}

export function robotsOf({ origin, verdict, group }: RunEventData<'RobotsRead'>): Robots {
  const allows = (path: string): boolean =>
    verdict === 'rules' ? judgePath(group, path).allowed : verdict === 'allow_all'
  return {
    origin,
    delayMs: crawlDelayMs(group),
    readsLlms: allows(siteFiles.llms.path),
    readsLlmsFull: allows(siteFiles.llmsFull.path),
  }
}

/** The texts that were read; null if not requested. */
export type Read = { robots: SiteFile; llms: SiteFile | null; llmsFull: SiteFile | null }

/** Maximum bytes of a text in an event. */
const maxTextBytes = 64 * 1024

export function sitePolicyEvent(origin: string, { robots, llms, llmsFull }: Read): RunSiteEvent {
  const { aiBotPolicy } = sitePolicyOf(origin, { robots, llms: llms ?? robots, llmsFull })
  const [llmsTxt, llmsTxtTruncated] = startOfText(llms)
  const [llmsFullTxt, llmsFullTxtTruncated] = startOfText(llmsFull)
  const texts = { llmsTxt, llmsTxtTruncated, llmsFullTxt, llmsFullTxtTruncated }
  return { type: 'SitePolicyRead', data: { origin, robotsStatus: robots.status, aiBotPolicy, ...texts } }
}

/** Returns at most 64 KiB of a text, truncated after a complete line, or at least a complete character. */
export function startOfText(
  file: Pick<SiteFile, 'text' | 'truncated'> | null,
): [text: string | null, truncated: boolean] {
  if (file === null || file.text === null) return [null, false]
  const bytes = new TextEncoder().encode(file.text)
  if (bytes.length <= maxTextBytes) return [file.text, file.truncated]
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes.subarray(0, maxTextBytes), {
    stream: true,
  })
  return [text.slice(0, text.lastIndexOf('\n') + 1) || text, true]
}
