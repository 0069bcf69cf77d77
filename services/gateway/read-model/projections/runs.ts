/**
 * RUNS → `read.run`, `read.page` and `read.pageless`. Only a run's first event creates its row. All others update it, and do
 * nothing without it, so late events cannot restore a deleted run.
 */
import type { StreamMessage } from '@tidemark/bus/read'
import { textOf } from '@tidemark/contracts/plain-text'
import { RunEvent } from '@tidemark/contracts/run'
import { type Facet, runOfSubject } from '@tidemark/contracts/subjects'
import { emptyBatch, fold, needs, type RunChange } from '../domain/run-fold.ts'
import { fieldsToCheck, urlsWithoutPage } from '../domain/without-page.ts'
import { commitReader, type Report } from './commits.ts'
import { deleteRuns } from './deleted-runs.ts'
import { deliveriesProjection } from './deliveries.ts'
import { diffsProjection } from './diffs.ts'
import { insertUrlsWithoutPage, type NewUrlWithoutPage } from './pageless.ts'
import { insertPages } from './pages.ts'
import { runSitesProjection } from './run-sites.ts'
import { type Client, columns, type Table, unnest } from './table.ts'

/** Returns the function that applies a batch in a few statements. Call it in the transaction of the checkpoint. */
export function runsProjection(report: Report) {
  const read = commitReader<RunEvent>(RunEvent, { ...needs, ...fieldsToCheck }, report)
  const applyDeliveries = deliveriesProjection(report)
  const applySites = runSitesProjection(report)
  const applyDiffs = diffsProjection(report)
  return async (client: Client, messages: readonly StreamMessage[]): Promise<void> => {
    const batch = emptyBatch()
    const withoutPage: NewUrlWithoutPage[] = []
    for (const { subject, sequence, at, trace, event } of read(messages.filter(isOf('crawl')))) {
      const { runId } = runOfSubject(subject)
      fold(batch, runId, event, at, trace)
      for (const reported of urlsWithoutPage(event)) withoutPage.push({ ...reported, runId, sequence })
    }
    const { deleted = [], kept: changes = [] } = Object.groupBy(batch.runs.values(), change =>
      change.deleted ? 'deleted' : 'kept',
    )
    const begun = changes.filter(isBegun)
    const others = changes.filter(change => change.queued === null)
    if (begun.length > 0) await client.query(insertRuns, columns(begunTable, begun))
    if (others.length > 0) await client.query(updateRuns, columns(changeTable, others))
    if (batch.pages.length > 0) await insertPages(client, batch.pages)
    if (withoutPage.length > 0) await insertUrlsWithoutPage(client, withoutPage)
    const deletedIds = deleted.map(({ runId }) => runId)
    if (deletedIds.length > 0) await deleteRuns(client, deletedIds)
    await applyDeliveries(client, messages.filter(isOf('webhook')))
    await applySites(client, messages.filter(isOf('site')))
    await applyDiffs(client, messages.filter(isOf('diff')))
  }
}

const isOf =
  (facet: Facet) =>
  ({ subject }: StreamMessage): boolean =>
    runOfSubject(subject).facet === facet

type Begun = RunChange & { queued: NonNullable<RunChange['queued']> }

const isBegun = (change: RunChange): change is Begun => change.queued !== null

const changeTable: Table<RunChange> = [
  ['id', 'bigint', run => run.runId],
  ['status', 'text', run => run.status],
  ['pages', 'integer', run => run.pages],
  ['errors', 'integer', run => run.errors],
  ['reused', 'integer', run => run.reused],
  ['started_at', 'timestamptz', run => run.startedAt],
  ['paused_at', 'timestamptz', run => run.pausedAt ?? null],
  ['pause_changed', 'boolean', run => run.pausedAt !== undefined],
  ['finished_at', 'timestamptz', run => run.finishedAt],
  ['error_message', 'text', run => textOf(run.errorMessage)],
  ['error_reason', 'text', run => textOf(run.errorReason)],
  ['stop_reason', 'text', run => run.stopReason],
  ['discovered', 'integer', run => run.totals?.discovered ?? null],
  ['skipped', 'integer', run => run.totals?.skipped ?? null],
  ['duplicate', 'integer', run => run.totals?.duplicate ?? null],
  ['not_reached', 'integer', run => run.totals?.notReached ?? null],
  ['pending', 'integer', run => run.totals?.pending ?? null],
  ['is_reopened', 'boolean', run => run.isReopened],
  ['wide_scope', 'text', run => textOf(run.wideScope ?? null)],
  ['scope_changed', 'boolean', run => run.wideScope !== undefined],
]

const begunTable: Table<Begun> = [
  ...changeTable,
  ['project_id', 'bigint', run => run.queued.projectId],
  ['url', 'text', run => textOf(run.queued.url)],
  ['enqueued_at', 'timestamptz', run => run.queued.at],
  ['previous_run_id', 'bigint', run => run.queued.previousRunId],
  ['forked_from', 'bigint', run => run.queued.forkedFrom],
  ['proxy_url', 'text', run => textOf(run.queued.proxyUrl)],
  ['trace_id', 'text', run => run.queued.traceId],
  ['comparison', 'jsonb', run => run.queued.comparison],
  ['min_changed_words', 'integer', run => run.queued.minChangedWords],
  ['intent', 'text', run => textOf(run.queued.intent)],
]

const insertRuns = `
  insert into read.run (id, project_id, url, status, page_count, error_count, enqueued_at, started_at, paused_at, finished_at,
    error_message, error_reason, stop_reason, discovered, skipped, duplicate, not_reached, pending, previous_run_id,
    proxy_url, trace_id, comparison, min_changed_words, intent, forked_from, pages_reused, was_reopened,
    wide_scope)
  select id, project_id, url, status, pages, errors, enqueued_at, started_at, paused_at, finished_at,
    error_message, error_reason, stop_reason, discovered, skipped, duplicate, not_reached, pending, previous_run_id,
    proxy_url, trace_id, comparison, min_changed_words, intent, forked_from, reused, is_reopened,
    wide_scope
  from ${unnest(begunTable, 'begun')}
  on conflict (id) do nothing`

/** Returns SQL for a value of the last end. A reopened run loses the value of its earlier end. */
const later = (column: string): string =>
  `coalesce(change.${column}, case when change.is_reopened then null else run.${column} end)`

const updateRuns = `
  update read.run set
    status = coalesce(change.status, run.status),
    page_count = run.page_count + change.pages,
    error_count = run.error_count + change.errors,
    pages_reused = run.pages_reused + change.reused,
    was_reopened = run.was_reopened or change.is_reopened,
    started_at = coalesce(change.started_at, run.started_at),
    paused_at = case when change.pause_changed then change.paused_at else run.paused_at end,
    wide_scope = case when change.scope_changed then change.wide_scope else run.wide_scope end,
    finished_at = ${later('finished_at')},
    error_message = ${later('error_message')},
    error_reason = ${later('error_reason')},
    stop_reason = ${later('stop_reason')},
    discovered = ${later('discovered')},
    skipped = ${later('skipped')},
    duplicate = ${later('duplicate')},
    not_reached = ${later('not_reached')},
    pending = ${later('pending')}
  from ${unnest(changeTable, 'change')}
  where run.id = change.id`
