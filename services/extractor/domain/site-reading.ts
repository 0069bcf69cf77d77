/**
 * What the events of a run say about the reading of its site: whose texts are read, when that may begin, and how
 * slowly. A run that respects robots.txt has read it itself, and its texts are asked for only where that allows it.
 */
import type { RunEvent } from '@tidemark/contracts/run'
import type { RunSiteEvent } from '@tidemark/contracts/run-site'
import type { SiteFile } from '@tidemark/contracts/site-file'
import { judgePath } from '@tidemark/robots/judge'
import { normalForm } from '@tidemark/url/normal-form'
import { siteFiles } from './site-file.ts'
import { sitePolicyOf } from './site-policy.ts'

type Data<Name extends RunEvent['type']> = Extract<RunEvent, { type: Name }>['data']

/** `origin` is null for a seed that has none. */
export type Queued = { origin: string | null; delayMs: number; respectsRobots: boolean }
export type Robots = { origin: string; delayMs: number; readsLlms: boolean; readsLlmsFull: boolean }

/** Between two requests of one piece of work to a host, at the least. */
const leastDelayMs = 100
/** More is a mistake of the site. */
const longestCrawlDelayMs = 30_000

export function queuedOf({ url, settings }: Pick<Data<'RunQueued'>, 'url' | 'settings'>): Queued {
  const { delayMs, respectRobots } = settings
  const normal = normalForm(url)
  return {
    origin: normal === null ? null : new URL(normal).origin,
    delayMs: Math.max(leastDelayMs, delayMs),
    respectsRobots: respectRobots,
  }
}

export function robotsOf({ origin, verdict, group }: Data<'RobotsRead'>): Robots {
  const allows = (path: string): boolean =>
    verdict === 'rules' ? judgePath(group, path).allowed : verdict === 'allow_all'
  return {
    origin,
    delayMs: Math.min(Math.round((group.crawlDelay ?? 0) * 1000), longestCrawlDelayMs),
    readsLlms: allows(siteFiles.llms.path),
    readsLlmsFull: allows(siteFiles.llmsFull.path),
  }
}

/** What was read; null where it was not asked for. */
export type Read = { robots: SiteFile; llms: SiteFile | null; llmsFull: SiteFile | null }

/** Bytes of a text in an event. */
const mostTold = 64 * 1024

export function toldOf(origin: string, { robots, llms, llmsFull }: Read): RunSiteEvent {
  const { aiBotPolicy } = sitePolicyOf(origin, { robots, llms: llms ?? robots, llmsFull })
  const [llmsTxt, llmsTxtTruncated] = startOf(llms)
  const [llmsFullTxt, llmsFullTxtTruncated] = startOf(llmsFull)
  const texts = { llmsTxt, llmsTxtTruncated, llmsFullTxt, llmsFullTxtTruncated }
  return { type: 'SitePolicyRead', data: { origin, robotsStatus: robots.status, aiBotPolicy, ...texts } }
}

/** Ends with a whole line, or at least with a whole character. */
function startOf(file: SiteFile | null): [text: string | null, truncated: boolean] {
  if (file === null || file.text === null) return [null, false]
  const bytes = new TextEncoder().encode(file.text)
  if (bytes.length <= mostTold) return [file.text, file.truncated]
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes.subarray(0, mostTold), {
    stream: true,
  })
  return [text.slice(0, text.lastIndexOf('\n') + 1) || text, true]
}
