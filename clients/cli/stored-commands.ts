/** Commands that read stored crawls. */
import type { Replay, Tidemark } from '@tidemark/sdk'
import {
  addressOf,
  argument,
  type Command,
  exitCodes,
  idArgument,
  numberOption,
  textOption,
} from './command.ts'
import { clean, counted, fields, table } from './print.ts'
import { formatOption, save, saving } from './save.ts'

const crawls: Command = {
  summary: 'list the crawls, newest first',
  usage: '',
  options: { limit: { value: 'N', description: 'maximum number of crawls. Default: 20' } },
  examples: ['tidemark crawls --limit 5'],
  async run(context) {
    const { items } = await context.client().crawls.list({ limit: numberOption(context, 'limit') ?? 20 })
    context.print(items, () =>
      table(
        ['ID', 'STATUS', 'PAGES', 'ERRORS', 'URL'],
        items.map(run => [run.id, run.status, run.page_count, run.error_count, run.url]),
      ),
    )
  },
}

const exporting: Command = {
  summary: 'save the pages of a crawl that has ended',
  usage: 'CRAWL',
  options: {
    ...saving,
    out: { ...saving.out, description: `${saving.out.description}. Default: the current folder` },
  },
  examples: ['tidemark export 12 --format parquet --out data', 'tidemark export 12 --out pages'],
  async run(context) {
    const [id, format] = [idArgument(context, 0, 'CRAWL'), formatOption(context)]
    const saved = await save(context.client(), id, format, textOption(context, 'out') ?? '.')
    context.print(saved, () => [`${counted(saved.files, 'file')} in ${saved.path}`])
  },
}

const sums = [
  ['added', 'added'],
  ['removed', 'removed'],
  ['changed', 'changed'],
  ['unchanged', 'unchanged'],
  ['not_revisited', 'not revisited'],
  ['not_compared', 'not compared'],
] as const

const diff: Command = {
  summary: 'compare the pages of two crawls',
  usage: 'OLD NEW',
  options: { 'exit-code': { description: 'exit with 3 if the crawls differ' } },
  examples: ['tidemark diff 12 15', 'tidemark diff 12 15 --json | jq .changed'],
  async run(context) {
    const [before, after] = [idArgument(context, 0, 'OLD'), idArgument(context, 1, 'NEW')]
    const found = await context.client().crawls.diff(before, after)
    const rows = (['added', 'removed', 'changed'] as const).flatMap(kind =>
      found[kind].map(page => [kind, page.url]),
    )
    context.print(found, () => [
      ...(rows.length > 0 ? table(['CHANGE', 'URL'], rows) : []),
      sums.map(([count, words]) => `${found.summary[count]} ${words}`).join(', '),
    ])
    return context.values['exit-code'] && rows.length > 0 ? exitCodes.unsuccessful[0] : exitCodes.done[0]
  },
}

const replay: Command = {
  summary: 'show which stored pages of a crawl are read differently today; nothing is fetched',
  usage: 'CRAWL',
  options: { 'exit-code': { description: 'exit with 3 if a page differs' } },
  examples: ['tidemark replay 12', "tidemark replay 12 --json | jq '.items[].changes'"],
  async run(context) {
    const id = idArgument(context, 0, 'CRAWL')
    const parts = await partsOfReplay(context.client(), id)
    const sum = (of: 'pages_read' | 'pages_changed' | 'pages_not_stored' | 'pages_unreadable') =>
      parts.reduce((total, part) => total + part[of], 0)
    const found = {
      run_id: id,
      items: parts.flatMap(({ items }) => items),
      pages_read: sum('pages_read'),
      pages_changed: sum('pages_changed'),
      pages_not_stored: sum('pages_not_stored'),
      pages_unreadable: sum('pages_unreadable'),
      warnings: [...new Set(parts.flatMap(({ warnings = [] }) => warnings))],
    }
    for (const warning of found.warnings) context.note(`Warning: ${warning}`)
    const rows = found.items.map(({ id, url, changes, links }) => [
      id,
      [...changes.map(({ field }) => field), ...(links ? ['links'] : [])].join(', '),
      url,
    ])
    context.print(found, () => [
      ...(rows.length > 0 ? table(['PAGE', 'DIFFERS', 'URL'], rows) : []),
      `${counted(found.pages_read, 'page')} read, ${found.pages_changed} differ, ${found.pages_not_stored} not stored, ${found.pages_unreadable} unreadable`,
    ])
    return context.values['exit-code'] && rows.length > 0 ? exitCodes.unsuccessful[0] : exitCodes.done[0]
  },
}

async function partsOfReplay(client: Tidemark, id: number): Promise<Replay[]> {
  const parts: Replay[] = []
  for (let offset: number | null = 0; offset !== null; ) {
    const part: Replay = await client.crawls.replay(id, { offset })
    parts.push(part)
    offset = part.next_offset
  }
  return parts
}

const explain: Command = {
  summary: 'show why a URL was crawled or not',
  usage: 'CRAWL URL',
  examples: ['tidemark explain 12 https://example.com/drafts/1'],
  async run(context) {
    const [id, url] = [idArgument(context, 0, 'CRAWL'), addressOf(argument(context, 1, 'URL'))]
    const found = await context.client().crawls.explain(id, url)
    const decisive = found.rules.findLast(({ passed }) => !passed) ?? found.rules.at(-1)
    context.print(found, () => [
      ...fields({ url: found.url, verdict: found.verdict, rule: decisive?.rule, because: decisive?.because }),
      ...found.what_would_change.map(change => `  change: ${clean(change)}`),
    ])
  },
}

export const commandsForStoredCrawls = { crawls, export: exporting, diff, replay, explain }
