/** Audits the stored pages of a crawl, and compares them with those of an earlier one. Bills one page a call. */
import { setImmediate as breathe } from 'node:timers/promises'
import type { AuditFinding } from '@tidemark/contracts/http/actors/audit-onpage'
import {
  type AuditSiteRequest,
  examples as exampleLimits,
  type SiteAudit,
} from '@tidemark/contracts/http/actors/audit-site'
import type { AuditRules } from '@tidemark/contracts/rpc/site-audit'
import { prefersEvents } from '../../http/domain/accept.ts'
import { formatOf, type ListFormat } from '../../http/domain/list-format.ts'
import { refusal } from '../../http/domain/refusal.ts'
import { retryWhileUnavailable } from '../../live-pages/retry-while-unavailable.ts'
import { whileExist } from '../../read-model/existing-run.ts'
import type { ActorOrder } from '../actor-routes.ts'
import type { ActorOutcome, ActorWork } from '../answer-actor.ts'
import type { ActorPorts } from '../ports.ts'
import { billedRuns, type ReadRuns } from '../read-billed.ts'
import { auditRows } from './audit-rows.ts'
import { chosenExamples } from './domain/chosen-examples.ts'
import { Comparison } from './domain/comparison.ts'
import { describedRules } from './domain/described-rules.ts'
import type { Site } from './domain/site.ts'
import { siteAnswer } from './domain/site-answer.ts'
import { findingRows } from './finding-rows.ts'
import { urlNamer } from './name-urls.ts'
import { readSite } from './read-site.ts'

type Order = ActorOrder<AuditSiteRequest>

export const subjectOfAudit = ({ crawl_id }: AuditSiteRequest): string => `crawl:${crawl_id}`

/** Time for all pages of both crawls. */
const pagesMs = 11 * 60_000
/** Time for everything: a reservation of units expires after 15 minutes. */
const totalMs = 14 * 60_000

/**
 * Audits the crawl and bills one page. A crawl without stored bodies costs nothing. Throws `ApiProblem` (400) for a
 * comparison of a crawl with itself, and the errors of `billedRuns`.
 */
export function auditSite(ports: ActorPorts, order: Order, at: ActorWork): Promise<ActorOutcome> {
  const { body, payer, requestId } = order
  const { crawl_id: runId, against } = body
  if (against === runId)
    throw refusal('against', 'bad_value', `against is crawl ${runId} itself. Name an earlier crawl.`)
  const billed = { payer, requestId, operation: 'audit_site', what: subjectOfAudit(body) } as const
  return billedRuns(ports, billed, runsOf(payer.projectId, body), at.signal, () => auditOf(ports, order, at))
}

const runsOf = (projectId: number, { crawl_id, against }: AuditSiteRequest) =>
  [crawl_id, against].flatMap(runId => (runId === undefined ? [] : [{ projectId, runId }]))

async function auditOf(ports: ActorPorts, { body, payer, accept }: Order, at: ActorWork): Promise<ReadRuns> {
  const startedAt = performance.now()
  const { projectId } = payer
  const { crawl_id: runId, against } = body
  at.progress({ stage: 'listing the pages' })
  const ofRun = (runId: number) => ({ projectId, runId })
  const rules = await retryWhileUnavailable(at.signal, () => ports.actors.auditRules())
  const isKept = await ports.keepsLinks(ofRun(runId))
  const isCompared = isKept && against !== undefined && (await ports.keepsLinks(ofRun(against)))
  const reading = { at, rules, isKept }
  const deadline = startedAt + (isCompared ? pagesMs / 2 : pagesMs)
  const now = await readSite(ports, { ...reading, run: ofRun(runId), deadline, stage: 'auditing the pages' })
  const warnings = isKept ? now.warnings : [notKept]
  if (isKept && against !== undefined && !isCompared)
    warnings.push(`crawl ${against} was started with store_html: false, so nothing was compared`)
  if (isCompared && against > runId)
    warnings.push(`crawl ${against} is newer than crawl ${runId}, so new and gone are swapped`)
  const earlier = isCompared ? await earlierSite(against) : null
  const comparison = earlier && (await Comparison.of(now, earlier, breathe))
  const notCompared = comparison?.notCompared ?? 0
  if (notCompared > 0)
    warnings.push(
      `${notCompared} findings were not compared: the other crawl has no complete audit of their page, or their rule does not apply to it`,
    )
  const parts = { now, earlier, comparison }
  const { format, warning } = formatFor(body, accept)
  if (warning !== null) warnings.push(warning)
  const endsAt = startedAt + totalMs
  const outcome = await outcomeOf(ports, { projectId, body, rules, format, warnings, endsAt, ...parts }, at)
  return { isBilled: isKept && now.pages.length > 0, outcome }

  /** Reads the crawl to compare with, in the time that is left. */
  async function earlierSite(runId: number): Promise<Site> {
    const stage = 'auditing the earlier crawl'
    const deadline = startedAt + pagesMs
    const site = await readSite(ports, { ...reading, run: ofRun(runId), deadline, stage })
    warnings.push(...site.warnings.map(warning => `crawl ${runId}: ${warning}`))
    return site
  }
}

const notKept =
  'the pages of this crawl cannot be read, because it was started with store_html: false; nothing is billed'

type Audited = {
  projectId: number
  body: AuditSiteRequest
  rules: AuditRules
  format: ListFormat
  warnings: string[]
  /** Time after which further examples are left out, in milliseconds of `performance.now()`. */
  endsAt: number
  now: Site
  earlier: Site | null
  comparison: Comparison | null
}

async function outcomeOf(
  ports: ActorPorts,
  { projectId, body, rules, format, warnings, endsAt, ...sites }: Audited,
  at: ActorWork,
): Promise<ActorOutcome> {
  const { now, earlier, comparison } = sites
  const described = describedRules(rules)
  const ofRun = ({ runId }: Site) => ({ projectId, runId })
  const names = urlNamer(ports, ofRun(now), now)
  if (format !== 'json') {
    if (body.examples !== exampleLimits.default)
      warnings.push('examples was ignored, because csv and ndjson list every finding')
    const earlierNames = earlier && urlNamer(ports, ofRun(earlier), earlier)
    const findings = findingRows(format, { ...sites, rules: described, names, earlierNames })
    const rows = whileExist(findings, ports.hasRun, ...runsOf(projectId, body))
    return { lines: { format, rows, path: `/v1/crawls/${now.runId}/audit-site` }, warnings }
  }
  at.progress({ stage: 'reading the examples' })
  const examples = await chosenExamples(now, comparison, body.examples, breathe)
  const chosen = [...examples.values()].flat()
  const urlAt = await names(chosen)
  const ofPages = chosen.filter(({ rule }) => described.get(rule)?.ofSite === null)
  const pages = new Set(ofPages.map(({ page }) => page))
  const detailed = { run: ofRun(now), now, pages: [...pages], urlAt, deadline: endsAt }
  const { details, late } = await detailsOf(ports, detailed, at)
  if (late > 0) warnings.push(`the examples on ${late} pages are left out: the time limit was reached`)
  const data: SiteAudit = siteAnswer({
    ...sites,
    rules: described,
    examples,
    urlAt,
    detailsOf: page => details.get(page) ?? [],
  })
  return { data, warnings }
}

type Detailed = {
  run: { projectId: number; runId: number }
  now: Site
  pages: readonly number[]
  urlAt: (position: number) => string | undefined
  deadline: number
}

/** The findings by position, and the number of pages that were left at the deadline. */
type Details = { details: Map<number, readonly AuditFinding[]>; late: number }

/** Audits the pages of the examples again, with messages and samples. */
async function detailsOf(
  { actors, siteReads }: ActorPorts,
  { run, now, pages, urlAt, deadline }: Detailed,
  at: ActorWork,
): Promise<Details> {
  const keyOf = (page: number) => now.pages.keys[page] as string
  const stored = await siteReads.named(run, pages.map(keyOf))
  const wanted = pages.flatMap(page => {
    const row = urlAt(page) === undefined ? undefined : stored.get(keyOf(page))
    return row === undefined ? [] : [{ page, row }]
  })
  const rows = wanted.map(({ row }) => row)
  const answers = await auditRows(actors, { run, rows, inDetail: true, deadline }, at)
  const details: Details['details'] = new Map()
  for (const { page, row } of wanted) {
    const answer = answers.get(row.id)
    if (answer !== undefined && 'details' in answer) details.set(page, answer.details)
  }
  return { details, late: rows.length - answers.size }
}

/** Server-sent events end with the JSON answer, whatever the format. */
function formatFor(
  { format }: AuditSiteRequest,
  accept: string | undefined,
): { format: ListFormat; warning: string | null } {
  if (!prefersEvents(accept)) return { format: formatOf(format, accept), warning: null }
  const isIgnored = format !== undefined && format !== 'json'
  return {
    format: 'json',
    warning: isIgnored ? 'format was ignored, because server-sent events end with JSON' : null,
  }
}
