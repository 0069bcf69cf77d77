/** Generates the lines of all findings as NDJSON or CSV: by page, and then those of the earlier run only. */
import { findingColumns, type SiteFinding } from '@tidemark/contracts/http/actors/audit-site'
import { csvLine, defused } from '@tidemark/contracts/http/csv'
import type { ListFormat } from '../../http/domain/list-format.ts'
import type { Comparison } from './domain/comparison.ts'
import type { DescribedRules } from './domain/described-rules.ts'
import type { Finding } from './domain/finding-log.ts'
import type { Site } from './domain/site.ts'
import type { NameUrls } from './name-urls.ts'

export type RowParts = {
  now: Site
  earlier: Site | null
  comparison: Comparison | null
  rules: DescribedRules
  names: NameUrls
  earlierNames: NameUrls | null
}

type Row = Finding & { page: number; change: SiteFinding['change'] }

/** Rows whose URLs are read at once. */
const rowsAtOnce = 500

export async function* findingRows(
  format: Exclude<ListFormat, 'json'>,
  { now, earlier, comparison, rules, names, earlierNames }: RowParts,
): AsyncGenerator<string> {
  if (format === 'csv') yield csvLine(findingColumns)
  for (const rows of inPieces(rowsOf(now, comparison)))
    yield await lines(format, rows, { site: now, rules, names, hasRank: true })
  if (earlier === null || comparison === null || earlierNames === null) return
  for (const rows of inPieces(goneRows(earlier, comparison)))
    yield await lines(format, rows, { site: earlier, rules, names: earlierNames, hasRank: false })
}

function* rowsOf({ pages, log }: Site, comparison: Comparison | null): Generator<Row> {
  for (let page = 0; page < pages.length; page++)
    for (const finding of log.of(page))
      yield { ...finding, page, change: comparison?.changeOf(page, finding.rule) ?? null }
}

function* goneRows({ pages, log }: Site, comparison: Comparison): Generator<Row> {
  for (let page = 0; page < pages.length; page++) {
    const gone = new Set(comparison.goneAt(page))
    for (const finding of gone.size > 0 ? log.of(page) : [])
      if (gone.has(finding.rule)) yield { ...finding, page, change: 'gone' }
  }
}

function* inPieces(rows: Iterable<Row>): Generator<Row[]> {
  let piece: Row[] = []
  for (const row of rows) {
    piece.push(row)
    if (piece.length < rowsAtOnce) continue
    yield piece
    piece = []
  }
  if (piece.length > 0) yield piece
}

type Source = { site: Site; rules: DescribedRules; names: NameUrls; hasRank: boolean }

/** A page that has been deleted meanwhile is left out. */
async function lines(
  format: Exclude<ListFormat, 'json'>,
  rows: readonly Row[],
  { site, rules, names, hasRank }: Source,
): Promise<string> {
  const urlAt = await names(rows)
  return rows
    .flatMap(({ page, rule, count, related, change }) => {
      const url = urlAt(page)
      if (url === undefined) return []
      const severity = rules.get(rule)?.severity ?? 'info'
      const samples = related.flatMap(position => urlAt(position) ?? [])
      const pagerank = hasRank ? (site.links.scores[page] ?? null) : null
      const page_id = site.pages.ids[page] as number
      const row: SiteFinding = { change, rule, severity, url, page_id, count, samples, pagerank }
      return [format === 'ndjson' ? `${JSON.stringify(row)}\n` : csvOf(row)]
    })
    .join('')
}

const csvOf = (row: SiteFinding): string =>
  csvLine(findingColumns.map(column => (column === 'samples' ? defused(row.samples.join(' ')) : row[column])))
