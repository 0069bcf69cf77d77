/** Commands that fetch pages now. */
import { addressOf, argument, type Command, exitCodes, numberOption, present, UsageError } from './command.ts'
import { clean, counted, fields, table } from './print.ts'

const scan: Command = {
  summary: 'fetch a page and print its Markdown, or check up to 100 pages',
  usage: 'URL…',
  options: {
    'main-content': { description: 'leave out menus, headers and footers (one URL only)' },
    metadata: { description: 'print title, description and counts instead of the Markdown (one URL only)' },
  },
  examples: ['tidemark scan https://example.com/ > page.md', 'tidemark scan a.example b.example --json'],
  async run(context) {
    const urls = context.args.map(addressOf)
    const [url, ...others] = urls
    if (url === undefined) throw new UsageError('URL is missing.')
    if (others.length > 0) {
      const ignored = ['main-content', 'metadata'].find(name => context.values[name] === true)
      if (ignored !== undefined) throw new UsageError(`--${ignored} is for a single URL.`)
      const { items } = await context.client().scanMany({ urls })
      const rows = items.map(item =>
        item.ok
          ? [item.url, item.result.status, item.result.bytes, null]
          : [item.url, 'failed', null, item.error],
      )
      context.print(items, () => table(['URL', 'STATUS', 'BYTES', 'ERROR'], rows))
      return items.every(({ ok }) => ok) ? exitCodes.done[0] : exitCodes.unsuccessful[0]
    }
    const main = context.values['main-content'] === true ? { only_main_content: true } : {}
    const page = await context.client().scan({ url, ...main })
    // The Markdown of an error page looks like a success, also in a file.
    if (page.status >= 400) context.note(`The site answered ${page.status}: ${page.final_url}`)
    const { title, description, word_count } = page.signals
    context.print(page, () =>
      context.values.metadata === true
        ? fields({ url: page.final_url, status: page.status, title, description, words: word_count })
        : [clean(page.markdown ?? '')],
    )
  },
}

const map: Command = {
  summary: 'list the URLs of a site without a crawl',
  usage: 'URL',
  options: {
    limit: { value: 'N', description: 'maximum number of URLs' },
    search: {
      value: 'WORDS',
      description: 'only URLs with one of these words in path or title, best match first',
    },
  },
  examples: ['tidemark map https://example.com/ --search "pricing docs"', 'tidemark map example.com | wc -l'],
  async run(context) {
    const { search } = context.values
    const body = { url: addressOf(argument(context, 0, 'URL')), limit: numberOption(context, 'limit') }
    const found = await context.client().map(present({ ...body, search: search as string | undefined }))
    context.print(found, () => found.items.map(({ url }) => clean(url)))
    if (found.truncated) context.note(`${found.items.length} of at least ${found.total} URLs`)
  },
}

const audit: Command = {
  summary: 'find the problems of a page',
  usage: 'URL',
  options: { 'exit-code': { description: 'exit with 3 if the page has an error' } },
  examples: ['tidemark audit https://example.com/', 'tidemark audit example.com --exit-code --json'],
  async run(context) {
    const answer = await context.client().actors.auditOnpage({ url: addressOf(argument(context, 0, 'URL')) })
    const { findings, summary } = answer.data
    const rows = findings.map(({ severity, rule, count, message }) => [severity, rule, count, message])
    context.print(answer, () => [
      ...(rows.length > 0 ? table(['SEVERITY', 'RULE', 'COUNT', 'MESSAGE'], rows) : []),
      [
        counted(summary.errors, 'error'),
        counted(summary.warnings, 'warning'),
        counted(summary.info, 'notice'),
      ].join(', '),
    ])
    const isFailed = context.values['exit-code'] === true && summary.errors > 0
    return isFailed ? exitCodes.unsuccessful[0] : exitCodes.done[0]
  },
}

export const siteCommands = { scan, map, audit }
