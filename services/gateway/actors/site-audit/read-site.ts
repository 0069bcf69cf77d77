/** Reads one run for an audit: its pages by way of the extractor, its other URLs, and its links. */
import { setImmediate as breathe } from 'node:timers/promises'
import type { AuditedPage } from '@tidemark/contracts/rpc/site-audit'
import { ApiProblem } from '../../http/domain/problem.ts'
import type { OfRun } from '../../read-model/adapters/crawled-pages.ts'
import type { Actors } from '../adapters/actors.ts'
import type { ActorWork } from '../answer-actor.ts'
import { outlasting } from '../outlasting.ts'
import type { RunFacts, SiteReads, StoredPage } from './adapters/site-reads.ts'
import { FindingLog } from './domain/finding-log.ts'
import { packedSite } from './domain/packed-site.ts'
import { applySiteRules } from './domain/rules/table.ts'
import { noLinks, positionsOf, type Site, siteLinksOf } from './domain/site.ts'
import { SitePages } from './domain/site-pages.ts'

export type ReadSitePorts = { actors: Actors; siteReads: SiteReads }

type Reading = {
  run: OfRun
  at: ActorWork
  /** In milliseconds of `performance.now()`; pages that are left then are not audited. */
  deadline: number
  /** Whether the run keeps bodies. If not, no page is audited and no rule applies. */
  isKept: boolean
  /** The stage in the progress. */
  stage: string
}

const pagesAtOnce = 50
/** Requests under way, so that each process of the extractor has work. */
const requestsAtOnce = 3

/** Throws the `Refusal` of the extractor, and `ApiProblem` when the client has left. */
export async function readSite(ports: ReadSitePorts, reading: Reading): Promise<Site> {
  const { run, at, isKept } = reading
  const facts = await ports.siteReads.facts(run)
  const { hasTimes, ...audited } = await auditAll(ports, reading, facts)
  const { pages } = audited
  const byKey = new Map(pages.keys.map((key, page) => [key, page]))
  const positionOf = (key: string) => byKey.get(key)
  const { others, hasSitemaps, isCut } = facts
  others.resolve(positionOf)
  const start = facts.starts.map(key => others.pageBehind(key, positionOf)).find(page => page >= 0) ?? -1
  const site = { runId: run.runId, ...audited, isCut, others, start, hasSitemaps, hasTimes, links: noLinks }
  const known: Site = {
    ...site,
    positions: positionsOf(pages, others),
    warnings: said(facts, audited.unread),
  }
  if (!isKept || pages.length === 0) return known
  at.progress({ stage: 'reading the links', total: pages.length })
  const question = { workId: at.workId, ...run, ...packedSite(pages, others), start }
  const mapped = await outlasting(at.signal, () => ports.actors.mapLinks(question))
  at.progress({ stage: 'comparing the pages', total: pages.length })
  const links = siteLinksOf(mapped)
  const linked = { ...known, links, warnings: [...known.warnings, ...mapped.warnings] }
  await applySiteRules(linked, breathe)
  return { ...linked, warnings: [...linked.warnings, ...cut(linked)] }
}

function cut({ pages, log }: Site): string[] {
  return [
    ...(pages.isCut ? ['some alternates (hreflang) were not compared: the crawl exceeds the limit'] : []),
    ...(log.isCut
      ? ['not all findings are listed: the crawl exceeds the limit; the counts are complete']
      : []),
  ]
}

type Audited = Pick<Site, 'pages' | 'log' | 'unread' | 'hasTimes'>

async function auditAll(
  { actors, siteReads }: ReadSitePorts,
  { run, at, deadline, isKept, stage }: Reading,
  { pages: total }: RunFacts,
): Promise<Audited> {
  const found: Audited = {
    ...{ pages: new SitePages(), log: new FindingLog() },
    ...{ unread: new Map(), hasTimes: false },
  }
  const missing = { unread: isKept ? 'time_limit' : 'not_stored' }
  const underWay: { batch: StoredPage[]; answers: Promise<Map<number, AuditedPage>> }[] = []
  at.progress({ stage, done: 0, total })
  for await (const batch of siteReads.pages(run, pagesAtOnce)) {
    const isInTime = isKept && performance.now() < deadline
    const answers = isInTime ? auditBatch(actors, run, batch, at) : Promise.resolve(none)
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
    for (const page of first.batch) record(found, page, answers.get(page.id) ?? missing)
    at.progress({ stage, done: found.pages.length, total })
  }
}

const none: Map<number, AuditedPage> = new Map()

/** Audits all pages of the batch, in several requests if one takes too long. Returns the results by page id. */
async function auditBatch(
  actors: Actors,
  run: OfRun,
  batch: readonly StoredPage[],
  { workId, signal }: ActorWork,
): Promise<Map<number, AuditedPage>> {
  const found = new Map<number, AuditedPage>()
  for (const { id, isBlocked } of batch) if (isBlocked) found.set(id, { unread: 'blocked' })
  for (let left = batch.filter(({ id }) => !found.has(id)); left.length > 0 && !signal.aborted; ) {
    const pages = left.map(({ key, url, status, fetchedAt }) => ({ key, url, status, fetchedAt }))
    const question = { workId, ...run, pages, inDetail: false }
    const { pages: audited } = await outlasting(signal, () => actors.auditPages(question))
    for (const [n, page] of audited.entries()) found.set((left[n] as StoredPage).id, page)
    left = left.slice(Math.max(1, audited.length))
  }
  return found
}

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

function said(facts: RunFacts, unread: ReadonlyMap<string, number>): string[] {
  const late = unread.get('time_limit') ?? 0
  const warnings: [boolean, string][] = [
    [!facts.hasEnded, 'the crawl has not ended: only the pages that it has read so far were audited'],
    [facts.isCut, `only the first ${facts.pages} pages by id were audited`],
    [late > 0, `${late} pages were not audited within the time limit`],
    [facts.others.isCut, `only ${facts.others.all.length} URLs without a page were compared`],
  ]
  return warnings.flatMap(([is, text]) => (is ? [text] : []))
}
