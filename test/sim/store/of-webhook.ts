/** The statements of webhook that decide deliveries. Runs of the simulation have no monitor, and select no notices. */
import type { Statement } from './pool.scene.ts'

const runs = 'webhook.run'
const deliveries = 'webhook.delivery'

export const ofWebhook: readonly Statement[] = [
  {
    text: 'insert into webhook.run (run_id, project_id, url, target, events',
    run(view, values) {
      const [runIds, projects, urls, targets, events, changed, monitored, previous] = values as unknown[][]
      for (const [n, run_id] of ((runIds ?? []) as number[]).entries()) {
        view.lock(`${runs}/${run_id}`)
        if (view.get(runs, run_id) !== undefined) continue
        view.put(runs, run_id, {
          ...{ run_id, project_id: projects?.[n], url: urls?.[n], target: targets?.[n] },
          events: JSON.parse(String(events?.[n])),
          ...{ only_changed: changed?.[n], is_monitored: monitored?.[n], previous_run_id: previous?.[n] },
          ...{ started_at: null, is_compared: false, has_intent: false, only_matching: false, notices: [] },
        })
      }
      return []
    },
  },
  {
    text: 'update webhook.run set started_at = start.at',
    run(view, [runIds, times]) {
      return (runIds as number[]).flatMap((run_id, n) => {
        const row = view.get(runs, run_id)
        if (row === undefined || row.started_at !== null) return []
        view.update(runs, run_id, { started_at: new Date(times[n] ?? 0) })
        return [{ run_id, is_selected: false }]
      })
    },
  },
  {
    text: `select run_id from webhook.run where run_id = any($1) and 'page.fetched' = any(notices)`,
    run: () => [],
  },
  {
    text: `from webhook.run where run_id = any($1) and target <> ''`,
    run: (view, [runIds]) =>
      (runIds as number[])
        .flatMap(runId => view.get(runs, runId) ?? [])
        .filter(({ target }) => target !== ''),
  },
  {
    text: 'insert into webhook.delivery as d',
    run(view, values) {
      const [runIds, projects, urls, hosts, events, webhookIds, states, facts, , reopenings] =
        values as never[][]
      return (runIds ?? []).flatMap((run_id, n) => {
        view.lock(`${deliveries}/${run_id}`)
        const before = view.get(deliveries, run_id)
        const decided = { reopenings: reopenings?.[n] ?? 0, facts: facts?.[n], state: states?.[n] }
        const row = {
          run_id,
          project_id: projects?.[n],
          url: urls?.[n],
          host: hosts?.[n],
          event: events?.[n],
        }
        if (before !== undefined && (before.reopenings >= decided.reopenings || before.facts === null))
          return []
        const round = (before?.round ?? 0) + 1
        view.put(deliveries, run_id, { ...row, ...decided, webhook_id: webhookIds?.[n], round })
        return [{ run_id, round }]
      })
    },
  },
  {
    text: `update webhook.run set url = '', target = '', ending = null`,
    run(view, [runIds]) {
      for (const runId of runIds as number[])
        if (view.get(runs, runId) !== undefined) view.update(runs, runId, { url: '', target: '' })
      return []
    },
  },
  {
    text: `update webhook.delivery set url = '', facts = null`,
    run(view, [runIds]) {
      for (const runId of runIds as number[]) {
        const row = view.get(deliveries, runId)
        if (row === undefined) continue
        const state = row.state === 'pending' ? 'deleted' : row.state
        view.update(deliveries, runId, { url: '', facts: null, state })
      }
      return []
    },
  },
  {
    text: 'delete from webhook.outbox where subject = any($1)',
    run(view, [subjects]) {
      for (const { id, subject } of view.all('webhook.outbox'))
        if ((subjects as string[]).includes(subject)) view.remove('webhook.outbox', id)
      return []
    },
  },
  { text: 'delete from webhook.page_batching where run_id = any($1)', run: () => [] },
  { text: 'with notice as (delete from webhook.notice', run: () => [] },
  { text: 'delete from webhook.attempt where run_id = any($1)', run: () => [] },
  {
    text: 'select from webhook.delivery where run_id = any($1::bigint[] ||',
    run(view, [runIds]) {
      for (const runId of runIds as number[]) view.lock(`${deliveries}/${runId}`)
      return []
    },
  },
  { text: 'select run_id from webhook.run where waits_until < clock_timestamp()', run: () => [] },
  { text: 'select run_id from webhook.page_batching where waits_until <= clock_timestamp()', run: () => [] },
  {
    text: 'update webhook.run as r set ending = null, waits_until = null, is_compared = true',
    run: () => [],
  },
]
