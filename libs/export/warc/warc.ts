/** WARC 1.1: a record that describes the run, then the records of each page. */
import { buffered } from '../buffered.ts'
import type { ExportOptions, Format } from '../format.ts'
import type { ExportedRun, ExportSource, Part } from '../page.ts'
import { type Packed, pageRecords } from './page-records.ts'
import { packedRecord, recordId } from './record.ts'

export const warc: Format = {
  fileType: () => ({ extension: 'warc.gz', mediaType: 'application/warc' }),
  needs: options => warcParts(options),
  write: (source, options) => buffered(bytesOf(warcRecords(source, options))),
}

export const warcParts = ({ include }: ExportOptions): readonly Part[] =>
  include.includes('markdown') ? ['body', 'headers', 'markdown'] : ['body', 'headers']

/** Yields the records of a file in order. */
export async function* warcRecords(source: ExportSource, options: ExportOptions): AsyncGenerator<Packed> {
  yield { data: await infoRecord(source.run), capture: null }
  const hasConversions = options.include.includes('markdown')
  for await (const page of source.pages(warcParts(options))) yield* pageRecords(page, source, hasConversions)
}

async function* bytesOf(records: AsyncIterable<Packed>): AsyncGenerator<Buffer> {
  for await (const { data } of records) yield data
}

function infoRecord({ id, url, startedAt, software }: ExportedRun): Promise<Buffer> {
  const lines = [
    `software: ${software}`,
    'format: WARC File Format 1.1',
    'conformsTo: https://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/',
    `isPartOf: crawl-${id}`,
    `description: Crawl ${id} of ${url}`,
  ]
  return packedRecord({
    type: 'warcinfo',
    id: recordId('warcinfo', id, url, startedAt),
    date: startedAt,
    contentType: 'application/warc-fields',
    fields: [],
    block: [Buffer.from(lines.map(line => `${line.replace(/[\r\n]/g, ' ')}\r\n`).join(''))],
  })
}
