/** Commands about the account: login, usage, keys and monitors. */
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { Tidemark } from '@tidemark/sdk'
import {
  addressOf,
  argument,
  type Command,
  type Context,
  exitCodes,
  idArgument,
  numberOption,
  present,
  textOption,
  UsageError,
} from './command.ts'
import { readConfig, writeConfig } from './config.ts'
import { fields, table } from './print.ts'
import { enteredLine } from './progress.ts'

const login: Command = {
  summary: 'store an API key and the address of the service for later commands',
  usage: '',
  examples: ['tidemark login --base-url https://tidemark.example', 'echo "$KEY" | tidemark login'],
  async run(context) {
    const baseUrl = textOption(context, 'base-url') || process.env.TIDEMARK_BASE_URL || storedAddress(context)
    const apiKey = (await enteredKey())?.trim()
    if (apiKey === undefined) return exitCodes.interrupted[0]
    if (apiKey === '') throw new UsageError('No key was entered.')
    const usage = await new Tidemark({ apiKey, baseUrl }).account.usage()
    const file = await writeConfig(present({ api_key: apiKey, base_url: baseUrl }))
    const result = { file, base_url: baseUrl ?? null, tier: usage.tier }
    context.print(result, () => [`The API key is stored in ${file}. Its project has the tier ${usage.tier}.`])
  },
}

/** Returns the address of the last login. A broken file does not prevent a login, which replaces it. */
function storedAddress(context: Context): string | undefined {
  try {
    return readConfig().base_url
  } catch (error) {
    context.note(`${(error as Error).message} The default address is used, unless --base-url names another.`)
    return undefined
  }
}

/** Reads the key from a pipe, or from the terminal without showing it. Null: the user entered none (Ctrl-C, Ctrl-D). */
async function enteredKey(): Promise<string | null> {
  if (!process.stdin.isTTY) return text(process.stdin)
  process.stderr.write('API key: ')
  const lines = createInterface({ input: process.stdin, terminal: true })
  const key = await enteredLine(lines, '')
  process.stderr.write('\n')
  return key
}

const usage: Command = {
  summary: 'show the used pages and the limits of the project',
  usage: '',
  examples: ['tidemark usage', 'tidemark usage --json | jq .today.pages'],
  async run(context) {
    const used = await context.client().account.usage()
    const { today, month, caps } = used
    context.print(used, () => [
      `Tier ${used.tier}, ${today.date} (UTC)`,
      ...table(
        ['', 'USED', 'LIMIT'],
        [
          ['pages today', today.pages, caps.pages_per_day ?? 'none'],
          ['pages this month', month.pages, caps.pages_per_month ?? 'none'],
          ['cloud pages today', today.cloud_pages, caps.cloud_pages_per_day ?? 'none'],
        ],
      ),
    ])
  },
}

const keys: Command = {
  summary: 'list, rotate and revoke API keys',
  usage: 'list | rotate | revoke PREFIX',
  options: {
    label: { value: 'TEXT', description: 'of rotate: the purpose of the new key' },
    grace: {
      value: 'SECONDS',
      description: 'of rotate: time for which the other keys stay valid',
    },
  },
  examples: ['tidemark keys list', 'tidemark keys rotate --label laptop --grace 3600'],
  async run(context) {
    const client = context.client()
    const action = context.args[0] ?? 'list'
    if (action === 'list') {
      const { items } = await client.keys.list()
      const rows = items.map(key => [key.prefix, key.label, key.last_used_at, key.expires_at, key.revoked_at])
      context.print(items, () => table(['PREFIX', 'LABEL', 'LAST USED', 'EXPIRES', 'REVOKED'], rows))
    } else if (action === 'rotate') {
      const grace_seconds = numberOption(context, 'grace')
      const made = await client.keys.rotate(present({ label: textOption(context, 'label'), grace_seconds }))
      context.print(made, () => [made.api_key])
      context.note(
        `Other keys stay valid for ${made.grace_seconds} seconds. Store this key now: it is never shown again.`,
      )
    } else if (action === 'revoke') {
      const prefix = argument(context, 1, 'PREFIX')
      await client.keys.revoke(prefix)
      context.print({ revoked: prefix }, () => [`The key ${prefix} is revoked.`])
    } else throw unknownAction(action)
  },
}

const unknownAction = (action: string): UsageError => new UsageError(`There is no action '${action}'.`)

const monitor: Command = {
  summary: 'repeat crawls on a schedule',
  usage: 'list | create URL | run ID | pause ID | resume ID | delete ID',
  options: {
    cron: {
      value: 'CRON',
      description: 'of create: the schedule, five fields of crontab in UTC',
    },
    'webhook-url': {
      value: 'URL',
      description: 'of create: receives a webhook at the end of each crawl',
    },
    'only-changed': { description: 'of create: send a webhook only after changes' },
    'max-pages': {
      value: 'N',
      description: 'of create: maximum number of pages of each crawl',
    },
  },
  examples: [
    'tidemark monitor create https://example.com/ --cron "0 3 * * *" --max-pages 100',
    'tidemark monitor pause 7',
  ],
  async run(context) {
    const action = context.args[0] ?? 'list'
    const act = Object.hasOwn(actions, action) ? actions[action] : undefined
    if (act === undefined) throw unknownAction(action)
    await act(context)
  },
}

const actions: Record<string, (context: Context) => Promise<void>> = {
  async list(context) {
    const { items } = await context.client().monitors.list()
    const rows = items.map(one => [
      one.id,
      one.enabled ? 'on' : 'paused',
      one.schedule,
      one.next_fires_at,
      one.last_status,
      one.url,
    ])
    context.print(items, () => table(['ID', 'STATE', 'SCHEDULE', 'NEXT', 'LAST', 'URL'], rows))
  },
  async create(context) {
    const cron = textOption(context, 'cron')
    if (cron === undefined) throw new UsageError('--cron is missing, such as --cron "0 3 * * *".')
    const made = await context.client().monitors.create(
      present({
        url: addressOf(argument(context, 1, 'URL')),
        cron,
        webhook_url: textOption(context, 'webhook-url'),
        return_only_changed: context.values['only-changed'] === true ? true : undefined,
        max_pages: numberOption(context, 'max-pages'),
      }),
    )
    const { monitor_id, url, schedule, next_fires_at } = made
    context.print(made, () => fields({ monitor: monitor_id, url, schedule, next: next_fires_at }))
  },
  async run(context) {
    const started = await context.client().monitors.run(idArgument(context, 1, 'ID'))
    context.print(started, () => [`Crawl ${started.id} of ${started.url} is ${started.status}.`])
  },
  pause: context => enable(context, false),
  resume: context => enable(context, true),
  async delete(context) {
    const id = idArgument(context, 1, 'ID')
    await context.client().monitors.delete(id)
    context.print({ deleted: id }, () => [`Monitor ${id} is deleted.`])
  },
}

async function enable(context: Context, enabled: boolean): Promise<void> {
  const changed = await context.client().monitors.change(idArgument(context, 1, 'ID'), { enabled })
  context.print(changed, () => [`Monitor ${changed.id} is ${changed.enabled ? 'on' : 'paused'}.`])
}

export const accountCommands = { login, usage, keys, monitor }
