/** Generates the lines of all findings as NDJSON or CSV: by page, and then those of the earlier run only. */
import { setImmediate as breathe } from 'node:timers/promises'
import { findingColumns, type SiteFinding } from '@tidemark/contracts/http/actors/audit-site'
import { type RowFormat, type RowShape, rowsText } from '../../http/domain/list-rows.ts'
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

/** Pages between two pauses: a comparison may find nothing on many pages. */
const pagesAtOnce = 500

const shape: RowShape = { columns: findingColumns, freeText: ['samples'] }

/** Yields the findings as rows. In CSV the samples are one cell, separated by spaces because URLs may contain commas. */
export const findingRows = (format: RowFormat, parts: RowParts): AsyncGenerator<string> =>
  rowsText(format, shape, format === 'csv' ? joined(findingsOf(parts)) : findingsOf(parts))

async function* joined(pieces: AsyncIterable<readonly SiteFinding[]>): AsyncGenerator<object[]> {
  for await (const rows of pieces) yield rows.map(row => ({ ...row, samples: row.samples.join(' ') }))
}

async function* findingsOf({
  now,
  earlier,
  comparison,
  rules,
  names,
  earlierNames,
}: RowParts): AsyncGenerator<SiteFinding[]> {
  for await (const rows of inPieces(rowsOf(now, comparison)))
    yield await named(rows, { site: now, rules, names, hasRank: true })
  if (earlier === null || comparison === null || earlierNames === null) return
  for await (const rows of inPieces(missingRows(earlier, comparison)))
    yield await named(rows, { site: earlier, rules, names: earlierNames, hasRank: false })
}

async function* rowsOf({ pages, log }: Site, comparison: Comparison | null): AsyncGenerator<Row> {
  for (let page = 0; page < pages.length; page++) {
    if (page % pagesAtOnce === 0) await breathe()
    for (const finding of log.of(page))
      yield { ...finding, page, change: comparison?.changeOf(page, finding.rule) ?? null }
  }
}

async function* missingRows({ pages, log }: Site, comparison: Comparison): AsyncGenerator<Row> {
  for (let page = 0; page < pages.length; page++) {
    if (page % pagesAtOnce === 0) await breathe()
    const missing = new Set(comparison.missingAt(page))
    for (const finding of missing.size > 0 ? log.of(page) : [])
      if (missing.has(finding.rule)) yield { ...finding, page, change: 'gone' }
  }
}

async function* inPieces(rows: AsyncIterable<Row>): AsyncGenerator<Row[]> {
  let piece: Row[] = []
  for await (const row of rows) {
    piece.push(row)
    if (piece.length < rowsAtOnce) continue
    yield piece
    piece = []
  }
  if (piece.length > 0) yield piece
}

type Source = { site: Site; rules: DescribedRules; names: NameUrls; hasRank: boolean }

/** Leaves out pages that have been deleted meanwhile. */
async function named(rows: readonly Row[], { site, rules, names, hasRank }: Source): Promise<SiteFinding[]> {
  const urlAt = await names(rows)
  return rows.flatMap(({ page, rule, count, related, change }) => {
    const url = urlAt(page)
    if (url === undefined) return []
    const severity = rules.get(rule)?.severity ?? 'info'
    const samples = related.flatMap(position => urlAt(position) ?? [])
    const pagerank = hasRank ? (site.links.scores[page] ?? null) : null
    const page_id = site.pages.ids[page] as number
    return [{ change, rule, severity, url, page_id, count, samples, pagerank }]
  })
}
