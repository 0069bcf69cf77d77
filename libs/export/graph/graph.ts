/** The link graph: one GEXF file, or a zip of two CSV files with the columns that Gephi imports. */
import { csvLine, defused } from '@tidemark/contracts/http/csv'
import { chunked } from '../chunks.ts'
import type { Format } from '../format.ts'
import type { ExportSource } from '../page.ts'
import { type ZipFile, zipOf, zipType } from '../zip/zip.ts'
import { edgesOf } from './edges.ts'
import { gexf } from './gexf.ts'

export const graph: Format = {
  fileType: options =>
    options.graph === 'gexf' ? { extension: 'gexf', mediaType: 'application/gexf+xml' } : zipType,
  needs: () => ['links'],
  write: (source, options) =>
    chunked(options.graph === 'gexf' ? gexf(source) : zipOf(source, csvFiles(source))),
}

function* csvFiles(source: ExportSource): Generator<ZipFile> {
  yield { name: 'nodes.csv', stream: chunked(nodes(source)), isDeflated: true }
  yield { name: 'edges.csv', stream: chunked(edges(source)), isDeflated: true }
}

async function* nodes(source: ExportSource): AsyncGenerator<string> {
  yield csvLine(['Id', 'Label', 'url', 'status', 'depth', 'content_type'])
  for await (const { id, url, title, status, depth, contentType } of source.pages([])) {
    const type = contentType === null ? null : cellOf(contentType)
    yield csvLine([id, cellOf(title ?? url), url, status, depth, type])
  }
}

/** Many readers of CSV stop at NUL. */
const cellOf = (text: string): string => defused(text.replaceAll('\0', '\ufffd'))

async function* edges(source: ExportSource): AsyncGenerator<string> {
  yield csvLine(['Source', 'Target', 'Weight', 'Type'])
  for await (const { source: from, target, weight } of edgesOf(source))
    yield csvLine([from, target, weight, 'Directed'])
}
