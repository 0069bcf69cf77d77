/** The link graph: one GEXF file, or a zip of two CSV files with the columns that Gephi imports. */
import { csvLine, defused } from '@tidemark/contracts/http/csv'
import { AddressIndex } from '../address-index.ts'
import { buffered } from '../buffered.ts'
import type { Format } from '../format.ts'
import type { ExportSource } from '../page.ts'
import { type ZipFile, zipOf, zipType } from '../zip/zip.ts'
import { edgesOf, nodesOf } from './edges.ts'
import { gexf } from './gexf.ts'

export const graph: Format = {
  fileType: options =>
    options.graph === 'gexf' ? { extension: 'gexf', mediaType: 'application/gexf+xml' } : zipType,
  needs: () => ['links'],
  write: (source, options) =>
    buffered(options.graph === 'gexf' ? gexf(source) : zipOf(source, csvFiles(source))),
}

function* csvFiles(source: ExportSource): Generator<ZipFile> {
  const pages = new AddressIndex()
  yield { name: 'nodes.csv', stream: buffered(nodes(source, pages)), isDeflated: true }
  yield { name: 'edges.csv', stream: buffered(edges(source, pages)), isDeflated: true }
}

async function* nodes(source: ExportSource, pages: AddressIndex): AsyncGenerator<string> {
  yield csvLine(['Id', 'Label', 'url', 'status', 'depth', 'content_type'])
  for await (const { id, url, title, status, depth, contentType } of nodesOf(source, pages)) {
    const type = contentType === null ? null : cellOf(contentType)
    yield csvLine([id, cellOf(title ?? url), url, status, depth, type])
  }
}

/** Many readers of CSV stop at NUL. */
const cellOf = (text: string): string => defused(text.replaceAll('\0', '\ufffd'))

async function* edges(source: ExportSource, pages: AddressIndex): AsyncGenerator<string> {
  yield csvLine(['Source', 'Target', 'Weight', 'Type'])
  for await (const { source: from, target, weight } of edgesOf(source, pages))
    yield csvLine([from, target, weight, 'Directed'])
}
