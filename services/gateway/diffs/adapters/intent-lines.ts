/**
 * Reads the changed lines of a run for the judgement of its intent. Pages, lines and time are bounded: `isPart` says that
 * more has changed.
 */
import { Refusal } from '@tidemark/bus/refusal'
import type { JudgeChange } from '@tidemark/contracts/rpc/model'
import type { OfProject } from '@tidemark/db/of-project'
import type { Contents } from '../../live-pages/adapters/contents.ts'
import type { Difference } from '../domain/difference.ts'
import type { DiffReads } from './diff-reads.ts'
import type { RunRules } from './run-rules.ts'

export type IntentLines = Pick<JudgeChange, 'pages' | 'isPart'>

type Page = IntentLines['pages'][number]
type Line = Page['lines'][number]
type Runs = { projectId: number; oldRun: number; newRun: number }
type Row = { url: string; urlKey: string; oldUrl: string; oldStatus: number; newStatus: number }

type Ports = {
  reads: OfProject
  diffs: Pick<DiffReads, 'compare' | 'pages'>
  contents: Pick<Contents, 'compare'>
  rulesOf: RunRules
}

/** Changed pages whose lines are compared, and added and removed pages that are named. */
const limits = { pages: 20, named: 50, lines: 1_000 }
/** Milliseconds after which no further page is compared. */
const maxMs = 20_000

const pairs = `
  select after.url, after.url_key as "urlKey", before.url as "oldUrl", before.status as "oldStatus",
    after.status as "newStatus"
  from unnest($2::bigint[], $3::bigint[]) with ordinality as changed (old_id, new_id, position)
  join read.page before on before.id = old_id join read.page after on after.id = new_id
  where before.project_id = $1 and after.project_id = $1
  order by position`

/** Returns a function that reads the lines. It rejects if the extractor is unavailable. */
export function openIntentLines({ reads, diffs, contents, rulesOf }: Ports) {
  return async (runs: Runs, signal: AbortSignal): Promise<IntentLines> => {
    const { projectId, oldRun, newRun } = runs
    const difference = await diffs.compare(projectId, oldRun, newRun, signal)
    const changed = await changedPages(runs, difference, signal)
    const [added, removed] = await Promise.all([
      named(projectId, difference.added, 'added'),
      named(projectId, difference.removed, 'removed'),
    ])
    // The lines of added and removed pages are not read.
    const isWhole = changed.isWhole && difference.added.length + difference.removed.length === 0
    return { pages: [...changed.pages, ...added, ...removed], isPart: !isWhole }
  }

  async function changedPages(
    runs: Runs,
    { changedOld, changedNew }: Difference,
    signal: AbortSignal,
  ): Promise<{ pages: Page[]; isWhole: boolean }> {
    const { projectId, oldRun, newRun } = runs
    const [oldIds, newIds] = [changedOld, changedNew].map(ids => ids.slice(0, limits.pages))
    const [{ rows }, { rules }] = await Promise.all([
      reads(projectId).query<Row>(pairs, [projectId, oldIds, newIds]),
      rulesOf(projectId, oldRun, newRun),
    ])
    const endsAt = performance.now() + maxMs
    const pages: Page[] = []
    let [isWhole, left] = [rows.length === changedNew.length, limits.lines]
    for (const row of rows) {
      signal.throwIfAborted()
      const { url, urlKey, oldUrl, oldStatus, newStatus } = row
      const old = { runId: oldRun, urlKey, url: oldUrl, status: oldStatus }
      const fresh = { runId: newRun, urlKey, url, status: newStatus }
      const request = { projectId, old, new: fresh, mode: 'text' as const, ...(rules && { rules }) }
      const isLate = performance.now() > endsAt || left <= 0
      const found = isLate ? null : await contents.compare(request).catch(whenUnreadable)
      const lines = [...statusLines(row), ...(found?.lines ?? []).flatMap(changedLine)].slice(0, left)
      left -= lines.length
      // A page without changed lines has changed in its links or attributes.
      if (found === null || found.truncated || left <= 0 || lines.length === 0) isWhole = false
      if (lines.length > 0) pages.push({ url, lines })
    }
    return { pages, isWhole }
  }

  async function named(projectId: number, ids: readonly number[], change: Line['change']): Promise<Page[]> {
    const found: Page[] = []
    for await (const pages of diffs.pages(projectId, ids.slice(0, limits.named)))
      for (const { url } of pages) found.push({ url, lines: [{ change, text: url }] })
    return found
  }
}

const changedLine = ({ change, text }: { change: Line['change'] | 'same'; text: string }): Line[] =>
  change === 'same' ? [] : [{ change, text }]

const statusLines = ({ oldStatus, newStatus }: Row): Line[] =>
  oldStatus === newStatus
    ? []
    : [
        { change: 'removed', text: `HTTP status ${oldStatus}` },
        { change: 'added', text: `HTTP status ${newStatus}` },
      ]

/** A page that cannot be read has no lines. The others are judged without it. */
function whenUnreadable(error: unknown): null {
  if (error instanceof Refusal) return null
  throw error
}
