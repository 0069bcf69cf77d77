/**
 * Reads to which pages the start of a run forwards. The stored links do not contain meta refreshes, so the start page
 * is read again.
 */
import { numberOfKey } from '@tidemark/url/key'
import type { OfRun } from '../../read-model/adapters/crawled-pages.ts'
import type { ActorWork } from '../answer-actor.ts'
import type { ActorPorts } from '../ports.ts'
import { auditRows } from '../site-audit/audit-rows.ts'
import type { PagesOfGraph } from './adapters/graph-pages.ts'
import { type Positions, positionBehind } from './domain/graph-positions.ts'

/** Maximum number of meta refreshes to follow from the start, and the time for them. */
const maxForwards = 5
const maxMs = 20_000

type Forwarding = { run: OfRun; pages: PagesOfGraph; positions: Positions; start: number }

/** Returns the positions of the pages to which the start forwards by meta refreshes, directly or by redirects. */
export async function readForwards(
  { actors, siteReads }: Pick<ActorPorts, 'actors' | 'siteReads'>,
  { run, pages: { keys, redirects }, positions, start }: Forwarding,
  work: Pick<ActorWork, 'workId' | 'signal'>,
): Promise<number[]> {
  const found = new Set([start])
  const deadline = performance.now() + maxMs
  for (let at = start; found.size <= maxForwards; found.add(at)) {
    const rows = [...(await siteReads.named(run, keys.slice(at, at + 1))).values()]
    const [audited] = (await auditRows(actors, { run, rows, inDetail: false, deadline }, work)).values()
    const refresh = audited !== undefined && 'facts' in audited ? audited.facts?.refresh : undefined
    if (refresh === undefined) break
    const target = [...keys, ...redirects.keys()].find(key => numberOfKey(key) === refresh)
    const page = target === undefined ? undefined : positionBehind(target, positions, redirects)
    if (page === undefined || found.has(page)) break
    at = page
  }
  found.delete(start)
  return [...found]
}
