/**
 * Reads the pages of a small crawl with their metadata for its llms.txt, and names the pages that the llms.txt never
 * lists.
 */
import { readMetadata } from '@tidemark/content/page-batches'
import type { LeftOut, LeftOutReason } from '@tidemark/contracts/http/llms-txt'
import { metadataOf } from '@tidemark/contracts/http/page-metadata'
import type { OfProject } from '@tidemark/db/of-project'
import { hasPassed, robotsRules } from '@tidemark/html/signals/robots-tag'
import { isObject } from '@tidemark/schema/bounds'
import { breadcrumbsOf } from '../domain/llms-txt/breadcrumbs.ts'
import type { ListedPage } from '../domain/llms-txt/listed-page.ts'

type Row = {
  url: string
  url_key: string
  title: string | null
  status: number
  blocked: boolean
  is_html: boolean
}

/** A page without its text, with the key of its stored content. */
export type DescribedPage = Omit<ListedPage, 'main' | 'whole'> & { urlKey: string; status: number }
export type DescribedPages = { pages: DescribedPage[]; leftOut: LeftOut[] }

const pagesOfRun = `select url, url_key, title, status, blocked,
    content_type is null or content_type ilike '%html%' as is_html
  from read.page where run_id = $1 and project_id = $2 order by id limit $3`

/** The requested URL of the crawl, and the maximum number of pages to read. */
type Wanted = { url: string; max: number }
type Indexing = {
  /** The product token by which X-Robots-Tag may address this crawler. */
  robotsToken: string
  /** Returns milliseconds since 1970. */
  now: () => number
}

/** Returns the pages of a crawl in the order of their discovery, and those left out. */
export const describedPagesOf =
  (reads: OfProject, { robotsToken, now }: Indexing) =>
  async (projectId: number, runId: number, { url: requested, max }: Wanted): Promise<DescribedPages> => {
    const { rows } = await reads(projectId).query<Row>(pagesOfRun, [runId, projectId, max])
    const keys = rows.map(row => row.url_key)
    const stored = readMetadata(reads(projectId), runId, keys)
    const candidates: Candidate[] = []
    for (const row of rows) {
      const metadata = (await stored.next()).value
      const known = isObject(metadata) ? metadata : {}
      const { description, canonical, robots, og, json_ld } = metadataOf(known)
      const rules = indexingRules(robots, known.x_robots_tag, robotsToken)
      const fault = faultOf(row) ?? (forbidsIndexing(rules, now()) ? 'noindex' : null)
      const stated = { description, siteName: og.site_name ?? null, breadcrumbs: breadcrumbsOf(json_ld) }
      candidates.push({ row, canonical, fault, stated })
    }
    const listable = candidates.filter(({ fault }) => fault === null)
    const canonicals = new Map(listable.map(({ row, canonical }) => [row.url, canonical]))
    const found: DescribedPages = { pages: [], leftOut: [] }
    for (const { row, stated, fault } of candidates) {
      const { url, url_key: urlKey, title, status } = row
      const reason = fault ?? (listedFor(url, canonicals, requested) === url ? null : 'duplicate')
      if (reason !== null) found.leftOut.push({ url, reason, sentence: sentenceOf(reason, status) })
      else found.pages.push({ url, urlKey, status, title, ...stated })
    }
    return found
  }

/** A page of the crawl, with the few values of its metadata that are needed. All pages are in memory at once. */
type Candidate = {
  row: Row
  canonical: string | null
  fault: Fault | null
  stated: Pick<ListedPage, 'description' | 'siteName' | 'breadcrumbs'>
}

type Fault = Extract<LeftOutReason, 'http_error' | 'challenge' | 'not_html' | 'noindex' | 'duplicate'>

/** Returns why a page is not listed, or null: only HTML with a 2xx status is listed. */
function faultOf({ status, blocked, is_html }: Row): Fault | null {
  if (blocked) return 'challenge'
  if (status < 200 || status > 299) return 'http_error'
  return is_html ? null : 'not_html'
}

/** Returns the directives in the robots metas of a page and in its X-Robots-Tag that apply to this crawler. */
function indexingRules(robots: readonly string[], header: unknown, token: string): string[] {
  const ofHeader = typeof header === 'string' ? robotsRules([header]) : {}
  const ofMetas = robotsRules([robots.join(',')])
  return [ofMetas['*'], ofHeader['*'], ofHeader[token.toLowerCase()]].flatMap(rules => rules ?? [])
}

const forbidsIndexing = (rules: readonly string[], now: number): boolean =>
  rules.some(rule => rule === 'noindex' || rule === 'none' || hasPassed(rule, now))

/**
 * Returns the page that is listed for a page: the end of its chain of canonicals. If the canonicals form a loop, it is
 * the requested page if that is in the loop, else the first page of the loop.
 * @param canonicals canonicals of the pages that may be listed, in the order of the pages
 */
function listedFor(url: string, canonicals: ReadonlyMap<string, string | null>, requested: string): string {
  const chain = new Set<string>()
  let at = url
  while (!chain.has(at)) {
    chain.add(at)
    const next = canonicals.get(at) ?? at
    if (next === at || !canonicals.has(next)) return at
    at = next
  }
  const steps = [...chain]
  const loop = new Set(steps.slice(steps.indexOf(at)))
  if (loop.has(requested)) return requested
  return canonicals.keys().find(key => loop.has(key)) ?? at
}

const sentenceOf = (fault: Fault, status: number): string =>
  fault === 'http_error'
    ? `The response has the HTTP status ${status} instead of a 2xx status.`
    : sentences[fault]

const sentences: Record<Exclude<Fault, 'http_error'>, string> = {
  challenge: 'The site returned a challenge instead of the page.',
  not_html: 'The response is not HTML.',
  noindex: 'The page states noindex.',
  duplicate: 'The canonical of the page leads to another listed page.',
}
