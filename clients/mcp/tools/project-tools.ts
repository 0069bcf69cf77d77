/** Tools of `--tools all`: crawls and monitors of the project, and its account. */
import type { Facts } from '../answers/answer.ts'
import { readBefore, readCursor } from '../answers/cursor.ts'
import { forkCrawl } from './crawl-tools.ts'
import {
  count,
  crawlId,
  cursor,
  id,
  listOutput,
  maxTokens,
  notes,
  reads,
  type Tool,
  text,
  textOrNull,
  url,
  writes,
} from './tool.ts'

const listed = 50
const monitorId = { ...id, description: 'Returned by create_monitor; id of list_monitors.' }
const schedule = {
  type: 'string',
  maxLength: 255,
  description: 'Five fields of crontab(5) in UTC, such as 0 3 * * *.',
}

/** Returns an entry as a line of its values. */
const line = (entry: Facts): string =>
  Object.entries(entry)
    .filter(([, value]) => value !== null && value !== undefined)
    .map(([name, value]) => `${name} ${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(', ')

const pick = (from: Facts, names: readonly string[]): Facts =>
  Object.fromEntries(names.map(name => [name, from[name] ?? null]))

/** The input, output and hints of a tool that lists entries. */
const listing = {
  input: { max_tokens: maxTokens, cursor },
  required: [],
  output: listOutput,
  hints: reads(false),
}

/** Returns the `run` of a tool for a list that the API always returns as a whole. */
const unpaged =
  (path: string, names: readonly string[]): Tool['run'] =>
  async ({ api, args, signal }) => {
    const { offset } = readCursor(args.cursor, 'list')
    const answer = await api('GET', path, { signal })
    const entries = answer.body.items.slice(offset).map((item: Facts) => pick(item, names))
    return { facts: notes(answer), list: { entries, offset, isMore: false, line } }
  }

const keyFields = ['prefix', 'label', 'created_at', 'last_used_at', 'expires_at', 'revoked_at']

const crawlFields = ['id', 'url', 'status', 'page_count', 'error_count', 'enqueued_at']

const listCrawls: Tool = {
  title: 'List crawls',
  description: 'List the crawls of the project, newest first. Free.',
  ...listing,
  async run({ api, args, signal }) {
    const query = { limit: listed, before: readBefore(args.cursor) }
    const answer = await api('GET', '/v1/crawls', { query, signal })
    const entries = answer.body.items.map((item: Facts) => pick(item, crawlFields))
    const isMore = (answer.body.next_offset ?? null) !== null
    return { facts: notes(answer), list: { entries, offset: 0, isMore, isById: true, line } }
  },
}

const cancelCrawl: Tool = {
  title: 'Cancel a crawl',
  description: 'End a crawl now. Its pages stay readable. Free.',
  input: { crawl_id: crawlId },
  required: ['crawl_id'],
  output: { crawl_id: count, status: text },
  hints: writes({ idempotentHint: true, destructiveHint: true, openWorldHint: false }),
  async run({ api, args, signal }) {
    const answer = await api('POST', `/v1/crawls/${args.crawl_id}/cancel`, { signal })
    return { facts: { crawl_id: args.crawl_id, status: answer.body.status ?? 'cancelled', ...notes(answer) } }
  },
}

const monitorFields = ['id', 'schedule', 'url', 'enabled', 'last_run_id', 'last_status', 'next_fires_at']
const monitorOutput = { id: count, schedule: text, url: text, enabled: { type: 'boolean' } }

const listMonitors: Tool = {
  title: 'List monitors',
  description: 'List the monitors of the project. A monitor repeats a crawl on a schedule. Free.',
  ...listing,
  run: unpaged('/v1/crons', monitorFields),
}

const createMonitor: Tool = {
  title: 'Create a monitor',
  description: 'Repeat a crawl on a schedule. Costs 1 page per fetched page of each run, at most max_pages.',
  input: { url, schedule, max_pages: { type: 'integer', minimum: 1, maximum: 100_000 } },
  required: ['url', 'schedule', 'max_pages'],
  output: { monitor_id: count, schedule: text, next_fires_at: textOrNull },
  hints: writes(),
  async run({ api, args, signal }) {
    const body = { url: args.url, cron: args.schedule, max_pages: args.max_pages }
    const answer = await api('POST', '/v1/crawls', { body, signal })
    return {
      facts: { ...pick(answer.body, ['monitor_id', 'schedule', 'next_fires_at', 'url']), ...notes(answer) },
    }
  },
}

const changeMonitor: Tool = {
  title: 'Change a monitor',
  description: 'Change the schedule of a monitor, or pause and resume it. Free.',
  input: {
    monitor_id: monitorId,
    schedule,
    enabled: { type: 'boolean', description: 'false pauses the monitor, true resumes it.' },
  },
  required: ['monitor_id'],
  output: monitorOutput,
  hints: writes({ idempotentHint: true, openWorldHint: false }),
  async run({ api, args, signal }) {
    const { monitor_id: monitor, ...body } = args
    const answer = await api('PATCH', `/v1/crons/${monitor}`, { body, signal })
    return { facts: { ...pick(answer.body, monitorFields), ...notes(answer) } }
  },
}

const deleteMonitor: Tool = {
  title: 'Delete a monitor',
  description: 'Delete a monitor. The crawls that it started stay. Free.',
  input: { monitor_id: monitorId },
  required: ['monitor_id'],
  output: { monitor_id: count, deleted: { type: 'boolean' } },
  hints: writes({ idempotentHint: true, destructiveHint: true, openWorldHint: false }),
  async run({ api, args, signal }) {
    await api('DELETE', `/v1/crons/${args.monitor_id}`, { signal })
    return { facts: { monitor_id: args.monitor_id, deleted: true } }
  },
}

const runMonitor: Tool = {
  title: 'Run a monitor now',
  description: 'Start a crawl of a monitor now, besides its schedule. Costs 1 page per fetched page.',
  input: { monitor_id: monitorId },
  required: ['monitor_id'],
  output: { crawl_id: count, status: text },
  hints: writes(),
  async run({ api, args, signal }) {
    const answer = await api('POST', `/v1/crons/${args.monitor_id}/run`, { signal })
    return { facts: { crawl_id: answer.body.id, status: answer.body.status, ...notes(answer) } }
  },
}

const getUsage: Tool = {
  title: 'Usage and caps',
  description:
    'Return the pages and cloud pages that the project used today and this month, and its caps. Free.',
  input: {},
  required: [],
  output: { tier: text, caps: { type: 'object' }, today: { type: 'object' }, month: { type: 'object' } },
  hints: reads(false),
  async run({ api, signal }) {
    const { body } = await api('GET', '/v1/usage', { signal })
    return { facts: pick(body, ['tier', 'caps', 'today', 'month']) }
  },
}

const listKeys: Tool = {
  title: 'List API keys',
  description: 'List the API keys of the project by prefix, without secrets. Free.',
  ...listing,
  run: unpaged('/v1/keys', keyFields),
}

export const projectTools: Readonly<Record<string, Tool>> = {
  list_crawls: listCrawls,
  cancel_crawl: cancelCrawl,
  fork_crawl: forkCrawl,
  list_monitors: listMonitors,
  create_monitor: createMonitor,
  change_monitor: changeMonitor,
  delete_monitor: deleteMonitor,
  run_monitor: runMonitor,
  get_usage: getUsage,
  list_keys: listKeys,
}
