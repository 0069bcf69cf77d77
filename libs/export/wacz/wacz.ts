/**
 * WACZ 1.1.1: a zip with the WARC, a list of its documents and an index, which replay software reads by ranges. The
 * index is collected while the WARC is written. Files that replay software reads by ranges are not compressed again.
 */
import { createHash, hash } from 'node:crypto'
import { buffered } from '../buffered.ts'
import type { ExportOptions, Format } from '../format.ts'
import type { ExportSource } from '../page.ts'
import { warcParts, warcRecords } from '../warc/warc.ts'
import { type ZipFile, zipOf } from '../zip/zip.ts'
import { CaptureIndex } from './capture-index.ts'
import { documentLines } from './documents.ts'
import { IndexBlocks } from './index-blocks.ts'

export const wacz: Format = {
  fileType: () => ({ extension: 'wacz', mediaType: 'application/wacz' }),
  needs: options => warcParts(options),
  write: (source, options) => buffered(zipOf(source, files(source, options))),
}

/** An entry of `resources` in the description of the package. */
type Resource = { name: string; path: string; hash: string; bytes: number }

async function* files(source: ExportSource, options: ExportOptions): AsyncGenerator<ZipFile> {
  const resources: Resource[] = []
  let mainUrl = source.run.url
  const file = (path: string, pieces: AsyncIterable<string | Buffer>, isDeflated: boolean): ZipFile => ({
    name: path,
    stream: measured(path, buffered(pieces), resources),
    isDeflated,
  })
  const documents = documentLines(source, url => {
    mainUrl = url
  })
  yield file('pages/pages.jsonl', documents, true)
  const captures = new CaptureIndex()
  yield file('archive/data.warc.gz', archive(source, options, captures), false)
  const blocks = new IndexBlocks()
  yield file('indexes/index.cdx.gz', blocks.pack(captures.sorted()), false)
  yield file('indexes/index.idx', blocks.summary(), true)
  const description = Buffer.from(descriptionOf(source, mainUrl, resources))
  yield { name: 'datapackage.json', data: description }
  const digest = { path: 'datapackage.json', hash: `sha256:${hash('sha256', description)}` }
  yield { name: 'datapackage-digest.json', data: Buffer.from(`${JSON.stringify(digest)}\n`) }
}

async function* archive(
  source: ExportSource,
  options: ExportOptions,
  captures: CaptureIndex,
): AsyncGenerator<Buffer> {
  let offset = 0
  for await (const { data, capture } of warcRecords(source, options)) {
    if (capture !== null) captures.add(capture, offset, data.length)
    offset += data.length
    yield data
  }
}

/** Passes a file on, and adds its hash and length to the resources at its end. */
async function* measured(
  path: string,
  pieces: AsyncIterable<Buffer>,
  resources: Resource[],
): AsyncGenerator<Buffer> {
  const digest = createHash('sha256')
  let bytes = 0
  for await (const piece of pieces) {
    digest.update(piece)
    bytes += piece.length
    yield piece
  }
  const name = path.slice(path.lastIndexOf('/') + 1)
  resources.push({ name, path, hash: `sha256:${digest.digest('hex')}`, bytes })
}

/** Returns the Frictionless data package. Its time is that of the run. */
function descriptionOf({ run }: ExportSource, mainPageUrl: string, resources: readonly Resource[]): string {
  const description = {
    profile: 'data-package',
    wacz_version: '1.1.1',
    title: `Crawl ${run.id} of ${run.url}`,
    created: run.finishedAt,
    software: run.software,
    mainPageURL: mainPageUrl,
    resources,
  }
  return `${JSON.stringify(description, null, 2)}\n`
}
