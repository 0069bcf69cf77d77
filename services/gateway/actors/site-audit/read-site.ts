/** Reads one run for an audit: its pages (the extractor audits them), its other URLs, and its links. */
import { setImmediate as breathe } from 'node:timers/promises'
import { type AuditedPage, type AuditRules, maxPagesOfBatch } from '@tidemark/contracts/rpc/site-audit'
import { ApiProblem } from '../../http/domain/problem.ts'
import { retryWhileUnavailable } from '../../live-pages/retry-while-unavailable.ts'
import type { OfRun } from '../../read-model/adapters/crawled-pages.ts'
import type { Actors } from '../adapters/actors.ts'
import type { ActorWork } from '../answer-actor.ts'
import type { SiteReads, StoredPage } from './adapters/site-reads.ts'
import { auditRows } from './audit-rows.ts'
import { lackingRules } from './domain/described-rules.ts'
import { FindingLog } from './domain/finding-log.ts'
import { packedSite } from './domain/packed-site.ts'
import { applySiteRules } from './domain/rules/table.ts'
import { forwardsOf, noLinks, positionsOf, type RunFacts, type Site, siteLinksOf } from './domain/site.ts'
import { SitePages } from './domain/site-pages.ts'

export type ReadSitePorts = { actors: Actors; siteReads: SiteReads }

type Reading = {
  run: OfRun
  at: ActorWork
  rules: AuditRules
  /** Time after which further pages are not audited, in milliseconds of `performance.now()`. */
  deadline: number
  /** Whether the run keeps bodies. If not, no page is audited. */
  isKept: boolean
  /** The stage in the progress. */
  stage: string
}

/** Number of concurrent requests, so that each process of the extractor has work. */
const requestsAtOnce = 3

/** Throws the `Refusal` of the extractor, and `ApiProblem` when the client has left. */
export async function readSite(ports: ReadSitePorts, reading: Reading): Promise<Site> {
  const { run, at, rules, isKept } = reading
  const facts = await ports.siteReads.facts(run)
  const audited = isKept ? await auditAll(ports, reading, facts) : notStored(facts)
  const { pages } = audited
  const byKey = new Map(pages.keys.map((key, page) => [key, page]))
  const positionOf = (key: string) => byKey.get(key)
  const { others } = facts
  others.resolve(positionOf)
  const start = facts.starts.map(key => others.pageBehind(key, positionOf)).find(page => page >= 0) ?? -1
  const known: Site = {
    ...facts,
    ...audited,
    runId: run.runId,
    start,
    links: noLinks,
    total: isKept ? pages.length : facts.pages,
    notApplied: new Map(),
    positions: positionsOf(pages, others),
    warnings: [...warningsOf(facts, audited.unread)],
  }
  if (!isKept || pages.length === 0) return { ...known, notApplied: lackingRules(rules, known) }
  at.progress({ stage: 'reading the links', total: pages.length })
  const request = {
    workId: at.workId,
    ...run,
    ...packedSite(pages, others),
    start,
    forwards: forwardsOf(known),
  }
  const mapped = await retryWhileUnavailable(at.signal, () => ports.actors.mapLinks(request))
  at.progress({ stage: 'comparing the pages', total: pages.length })
  const linked = { ...known, links: siteLinksOf(mapped) }
  const site = { ...linked, notApplied: lackingRules(rules, linked) }
  site.warnings.push(...mapped.warnings)
  await applySiteRules(site, breathe)
  site.warnings.push(...cut(site))
  return site
}

function* cut({ pages, log }: Site): Generator<string> {
  if (pages.isCut) yield 'some alternates (hreflang) were not compared: the crawl exceeds the limit'
  if (log.isCut) yield 'not all findings are listed: the crawl exceeds the limit; the counts are complete'
}

type Audited = Pick<Site, 'pages' | 'log' | 'unread' | 'hasTimes'>

const nothing = (): Audited => ({
  pages: new SitePages(),
  log: new FindingLog(),
  unread: new Map(),
  hasTimes: false,
})

/** The pages of a run without bodies: only their number is needed. */
const notStored = ({ pages }: RunFacts): Audited => ({
  ...nothing(),
  unread: new Map(pages > 0 ? [['not_stored', pages]] : []),
})

async function auditAll(
  { actors, siteReads }: ReadSitePorts,
  { run, at, deadline, stage }: Reading,
  { pages: total }: RunFacts,
): Promise<Audited> {
  const found = nothing()
  const underWay: { batch: StoredPage[]; answers: Promise<Map<number, AuditedPage>> }[] = []
  at.progress({ stage, done: 0, total })
  for await (const batch of siteReads.pages(run, maxPagesOfBatch)) {
    const rows = batch.filter(({ isBlocked }) => !isBlocked)
    const answers = auditRows(actors, { run, rows, inDetail: false, deadline }, at)
    answers.catch(() => {}) // the error is thrown when the batch is recorded
    underWay.push({ batch, answers })
    if (underWay.length >= requestsAtOnce) await recordFirst()
  }
  while (underWay.length > 0) await recordFirst()
  return found

  async function recordFirst(): Promise<void> {
    const first = underWay.shift()
    if (first === undefined) return
    const answers = await first.answers
    if (at.signal.aborted) throw new ApiProblem('unavailable')
    for (const page of first.batch)
      record(found, page, page.isBlocked ? blocked : (answers.get(page.id) ?? late))
    at.progress({ stage, done: found.pages.length, total })
  }
}

const late: AuditedPage = { unread: 'time_limit' }
const blocked: AuditedPage = { unread: 'blocked' }

function record(found: Audited, { id, key, status }: StoredPage, audited: AuditedPage): void {
  const { pages, log, unread } = found
  if ('unread' in audited) unread.set(audited.unread, (unread.get(audited.unread) ?? 0) + 1)
  const isAudited = 'findings' in audited
  const isChallenge = 'unread' in audited && audited.unread === 'blocked'
  const facts = isAudited ? audited.facts : null
  pages.add({ id, key, status: isChallenge ? 0 : status, facts, isAudited })
  log.addPage(isAudited ? audited.findings : [])
  if (isAudited && audited.isTimed) found.hasTimes = true
}

function* warningsOf(facts: RunFacts, unread: ReadonlyMap<string, number>): Generator<string> {
  const late = unread.get('time_limit') ?? 0
  if (!facts.hasEnded) yield 'the crawl has not ended: only the pages that it has read so far were audited'
  if (facts.isCut) yield `only the first ${facts.pages} pages by id were audited`
  if (late > 0) yield `${late} pages were not audited within the time limit`
  if (facts.others.isCut) yield `only ${facts.others.all.length} URLs without a page were compared`
}
