/** The statements of webhook that decide deliveries. Runs of the simulation have no monitor, and select no notices. */
import type { Statement } from './pool.scene.ts'

const runs = 'webhook.run'
const deliveries = 'webhook.delivery'
const outbox = 'webhook.outbox'
/** Returns a row with the names of its columns as the statement returns them. */
const inCamelCase = (row: object) =>
  Object.fromEntries(
    Object.entries(row).map(([name, value]) => [name.replace(/_(.)/g, (_, c) => c.toUpperCase()), value]),
  )
const none: Statement['run'] = () => ({ rowCount: 0 })

export const ofWebhook: readonly Statement[] = [
  {
    text: 'insert into webhook.run (run_id, project_id, url, target, events',
    run(view, values) {
      const [
        runIds = [],
        projects,
        urls,
        targets,
        events,
        changed,
        monitored,
        previous,
        intents,
        matching,
        notices,
      ] = values as unknown[][]
      const stored = runIds.filter((run_id, n) =>
        view.insert(runs, run_id, {
          ...{ run_id, project_id: projects?.[n], url: urls?.[n], target: targets?.[n] },
          ...{ events: JSON.parse(String(events?.[n])), notices: JSON.parse(String(notices?.[n])) },
          ...{ only_changed: changed?.[n], is_monitored: monitored?.[n], previous_run_id: previous?.[n] },
          ...{ started_at: null, is_compared: false, has_intent: intents?.[n], only_matching: matching?.[n] },
        }),
      )
      return { rowCount: stored.length }
    },
  },
  {
    text: 'update webhook.run set started_at = start.at',
    run(view, [runIds, times]) {
      return (runIds as number[]).flatMap((run_id, n) => {
        if (view.lockRow(runs, run_id, ({ started_at }) => started_at === null) === undefined) return []
        view.update(runs, run_id, { started_at: new Date(times[n] ?? 0) })
        return [{ run_id, is_selected: false }]
      })
    },
  },
  {
    text: `select run_id from webhook.run where run_id = any($1) and 'page.fetched' = any(notices)`,
    run: none,
  },
  {
    text: `from webhook.run where run_id = any($1) and target <> ''`,
    run: (view, [runIds]) =>
      [...new Set(runIds as number[])]
        .flatMap(runId => view.get(runs, runId) ?? [])
        .filter(({ target }) => target !== '')
        .map(inCamelCase),
  },
  {
    text: 'insert into webhook.delivery as d',
    run(view, values) {
      const [runIds = [], projects, urls, hosts, events, webhookIds, states, facts, , reopenings] =
        values as unknown[][]
      return runIds.flatMap((run_id, n) => {
        const decided = {
          ...{ url: urls?.[n], host: hosts?.[n], event: events?.[n], webhook_id: webhookIds?.[n] },
          ...{ state: states?.[n], facts: facts?.[n], reopenings: Number(reopenings?.[n]) },
        }
        const first = { run_id, project_id: projects?.[n], ...decided, round: 1 }
        const written = view.upsert(deliveries, run_id, first, before =>
          before.reopenings < decided.reopenings && before.facts !== null
            ? { ...decided, round: before.round + 1 }
            : null,
        )
        return written === null ? [] : [written]
      })
    },
  },
  {
    text: `update webhook.run set url = '', target = '', ending = null`,
    run(view, [runIds]) {
      const deleted = view.lockRows(runs, ({ run_id }) => (runIds as number[]).includes(run_id))
      for (const [runId] of deleted) view.update(runs, runId, { url: '', target: '' })
      return { rowCount: deleted.length }
    },
  },
  {
    text: `update webhook.delivery set url = '', facts = null`,
    run(view, [runIds]) {
      const deleted = view.lockRows(deliveries, ({ run_id }) => (runIds as number[]).includes(run_id))
      for (const [runId, row] of deleted) {
        const state = row.state === 'pending' ? 'deleted' : row.state
        view.update(deliveries, runId, { url: '', facts: null, state })
      }
      return { rowCount: deleted.length }
    },
  },
  {
    text: 'delete from webhook.outbox where subject = any($1)',
    run(view, [subjects]) {
      const unsent = view.lockRows(outbox, ({ subject }) => (subjects as string[]).includes(subject))
      for (const [id] of unsent) view.remove(outbox, id)
      return { rowCount: unsent.length }
    },
  },
  { text: 'delete from webhook.page_batching where run_id = any($1)', run: none },
  { text: 'with notice as (delete from webhook.notice', run: none },
  { text: 'delete from webhook.attempt where run_id = any($1)', run: none },
  {
    text: 'select from webhook.delivery where run_id = any($1::bigint[] ||',
    run: (view, [runIds]) =>
      [...(runIds as number[])]
        .sort((a, b) => a - b)
        .flatMap(runId => (view.lockRow(deliveries, runId) === undefined ? [] : [{}])),
  },
  { text: 'select run_id from webhook.run where waits_until < clock_timestamp()', run: none },
  { text: 'select run_id from webhook.page_batching where waits_until <= clock_timestamp()', run: none },
  {
    text: 'update webhook.run as r set ending = null, waits_until = null, is_compared = true',
    run: none,
  },
]
