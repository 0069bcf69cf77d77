/** Commands that start crawls, and follow them. */
import { mkdir } from 'node:fs/promises'
import type { CrawlAccepted, Run, Tidemark } from '@tidemark/sdk'
import {
  addressOf,
  amountOption,
  argument,
  type Command,
  type Context,
  exitCodes,
  idArgument,
  numberOption,
  present,
  refuseTogether,
  textOption,
  UsageError,
} from './command.ts'
import { clean, counted } from './print.ts'
import { ProgressLine, promptAtInterrupt } from './progress.ts'
import { formatOption, save, saving } from './save.ts'

/** The options of a crawl that a fork can change, without their defaults. */
const limits = {
  'max-pages': { value: 'N', description: 'stop after this number of pages' },
  'max-cost': { value: 'USD', description: 'never bill more than this amount in US dollars' },
  'max-bytes': { value: 'N', description: 'stop before the pages have more bytes together' },
  depth: { value: 'N', description: 'maximum number of links from URL to a page' },
  delay: { value: 'MS', description: 'milliseconds between requests to a host' },
  include: {
    multiple: true,
    value: 'REGEX',
    description: 'crawl only paths that match; repeatable',
  },
  exclude: {
    multiple: true,
    value: 'REGEX',
    description: 'skip paths that match; repeatable',
  },
  subdomains: { description: 'follow links to subdomains' },
} as const

const following = {
  detach: { description: 'start the crawl and return at once' },
  ...saving,
} as const

const withDefault = <T extends { description: string }>(option: T, value: number): T => ({
  ...option,
  description: `${option.description}. Default: ${value}`,
})

const crawl: Command = {
  summary: 'crawl a site and follow it to its end',
  usage: 'URL',
  options: {
    ...limits,
    'max-pages': withDefault(limits['max-pages'], 1000),
    depth: withDefault(limits.depth, 5),
    delay: withDefault(limits.delay, 250),
    sitemap: { description: 'URL is a sitemap: crawl its URLs and follow no links' },
    render: {
      value: 'MODE',
      description:
        'render pages in a browser: none, auto (those that are empty without scripts) or always. Default: none',
    },
    ...following,
  },
  examples: [
    'tidemark crawl https://example.com/ --max-pages 500 --out pages',
    'tidemark crawl example.com --format warc --out archive --exclude ^/drafts/',
    'tidemark crawl https://example.com/ --detach --json',
  ],
  async run(context) {
    const request = requestOf(context)
    return startAndFollow(context, client => client.crawls.start(request))
  },
}

const fork: Command = {
  summary:
    'crawl again from the stored pages of a crawl, with other limits; only new pages are fetched and billed',
  usage: 'CRAWL',
  options: { ...limits, ...following },
  examples: [
    'tidemark fork 12 --max-pages 5000',
    'tidemark fork 12 --exclude ^/archive/ --max-cost 0.5 --out pages',
  ],
  async run(context) {
    const id = idArgument(context, 0, 'CRAWL')
    const changes = changesOf(context)
    return startAndFollow(context, client => client.crawls.fork(id, changes))
  },
}

/** Starts a crawl, follows it unless `--detach` is set, and saves its pages with `--out`. Returns the exit code. */
async function startAndFollow(
  context: Context,
  start: (client: Tidemark) => Promise<CrawlAccepted>,
): Promise<number> {
  const format = formatOption(context)
  const out = textOption(context, 'out')
  refuseTogether(context, 'detach', 'out')
  if (out === undefined && textOption(context, 'format') !== undefined)
    throw new UsageError('--format needs --out DIR, because pages are saved in this format.')
  const client = context.client()
  // The folder is created first, so that no crawl is billed whose pages cannot be saved.
  if (out !== undefined) await mkdir(out, { recursive: true })
  const started = await start(client)
  for (const warning of started.warnings ?? []) context.note(`Warning: ${warning}`)
  if (context.values.detach) {
    context.print(started, () => [`Crawl ${started.id} of ${started.url} is ${started.status}.`])
    return exitCodes.done[0]
  }
  const run = await followed(context, client, started)
  if (run === null) return exitCodes.interrupted[0]
  const saved = out === undefined || run.page_count === 0 ? null : await save(client, run.id, format, out)
  context.print({ ...run, ...(out !== undefined && { saved }) }, () => [
    `Crawl ${run.id} is ${stateOf(run)}: ${counted(run.page_count, 'page')}, ${counted(run.error_count, 'error')}.`,
    ...(run.error_message ? [clean(run.error_message)] : []),
    ...(saved ? [`${counted(saved.files, 'file')} in ${saved.path}`] : []),
  ])
  return run.status === 'done' ? exitCodes.done[0] : exitCodes.unsuccessful[0]
}

/** Returns the status of a crawl, and why it ended if the status does not say that. */
const stateOf = ({ status, stop_reason }: Run): string =>
  stop_reason === null || stop_reason === status ? status : `${status} (${stop_reason})`

const requestOf = (context: Context) =>
  present({
    url: addressOf(argument(context, 0, 'URL')),
    ...changesOf(context),
    seed_kind: context.values.sitemap === true ? ('sitemap' as const) : undefined,
    render: textOption(context, 'render') as 'none' | 'auto' | 'always' | undefined,
  })

/** Returns the fields of the options that are set. */
function changesOf(context: Context) {
  const { values } = context
  return present({
    max_pages: numberOption(context, 'max-pages'),
    max_cost_usd: amountOption(context, 'max-cost'),
    max_bytes: numberOption(context, 'max-bytes'),
    depth: numberOption(context, 'depth'),
    delay_ms: numberOption(context, 'delay'),
    include_paths: values.include as string[] | undefined,
    exclude_paths: values.exclude as string[] | undefined,
    subdomains: values.subdomains === true ? true : undefined,
  })
}

/** Returns the crawl after its end; null: the user leaves it running. */
async function followed(
  context: Context,
  client: Tidemark,
  { id, url }: { id: number; url: string },
): Promise<Run | null> {
  const progress = new ProgressLine()
  const leaving = new AbortController()
  const ended = new AbortController()
  let isPrompting = false
  const interrupted = async () => {
    if (isPrompting) return leaving.abort()
    isPrompting = true
    const answer = await promptAtInterrupt(ended.signal)
    isPrompting = false
    if (answer === 'leave') leaving.abort()
    if (answer === 'cancel')
      await client.crawls
        .cancel(id)
        .catch((error: Error) => context.note(`Crawl ${id} could not be cancelled: ${error.message}`))
  }
  process.on('SIGINT', interrupted)
  context.note(`Crawl ${id} of ${url}`)
  try {
    return await client.crawls.wait(id, {
      signal: leaving.signal,
      onProgress: counts => {
        progress.add(counts, Date.now())
        if (!isPrompting) progress.draw(Date.now())
      },
    })
  } catch (error) {
    if (!leaving.signal.aborted) throw error
    context.note(`Crawl ${id} continues. 'tidemark export ${id} --out DIR' saves its pages after its end.`)
    return null
  } finally {
    ended.abort()
    progress.clear()
    process.off('SIGINT', interrupted)
  }
}

export const crawlCommands = { crawl, fork }
