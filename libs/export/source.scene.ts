/** Runs in memory for the tests of the formats. The pages of a large run are created only when they are read. */

import { hash } from 'node:crypto'
import zlib from 'node:zlib'
import { metadataOf as storedMetadataOf } from '@tidemark/contracts/http/page-metadata'
import type { ExportedAddress, ExportedPage, ExportedRun, ExportSource, Part } from './page.ts'

export const run: ExportedRun = {
  id: 42,
  url: 'https://example.com/',
  startedAt: '2026-11-20T08:00:00.000Z',
  finishedAt: '2026-11-20T09:30:10.000Z',
  software: 'Tidemark/0.5.0',
}

/** Returns a page with these fields and a small HTML body. */
export function pageOf(id: number, url: string, fields: Partial<ExportedPage> = {}): ExportedPage {
  const html = fields.html ?? `<title>Page ${id}</title><p>Text of page ${id}.</p>`
  const data = Buffer.from(html)
  return {
    id,
    url,
    requestedUrl: null,
    status: 200,
    fetchedAt: '2026-11-20T09:00:00.123Z',
    depth: 1,
    title: `Page ${id}`,
    contentType: 'text/html; charset=utf-8',
    contentHash: hash('sha256', `content ${id}`),
    rawHash: hash('sha256', data),
    bytes: data.length,
    blocked: false,
    rendered: false,
    body: { encodings: [], data },
    headers: null,
    html,
    markdown: `# Page ${id}\n`,
    chunks: null,
    embeddings: null,
    article: { text: `Text of page ${id}.`, html: `<p>Text of page ${id}.</p>` },
    warnings: [],
    metadata: null,
    links: [],
    ...fields,
  }
}

export const metadataOf = (fields: Partial<NonNullable<ExportedPage['metadata']>> = {}) => ({
  ...storedMetadataOf(null),
  ...fields,
})

/** Returns a source over pages in memory. It leaves out the parts of pages that were not requested. */
export const sourceOf = (pages: readonly ExportedPage[]): ExportSource => sourceFrom(() => pages)

export function sourceFrom(pages: () => Iterable<ExportedPage>): ExportSource {
  return {
    run,
    async *addresses(): AsyncGenerator<ExportedAddress> {
      for (const { id, url, requestedUrl } of pages()) yield { id, url, requestedUrl }
    },
    async *pages(parts: readonly Part[]): AsyncGenerator<ExportedPage> {
      for (const page of pages()) yield onlyParts(page, parts)
    },
    decode: ({ data, encodings }) => encodings.reduceRight(decoded, data),
    normalize: url => URL.parse(url)?.href.replace(/#.*$/s, '') ?? null,
  }
}

const hidden = {
  body: null,
  headers: null,
  html: null,
  markdown: null,
  chunks: null,
  embeddings: null,
  article: null,
  metadata: null,
  links: [],
}

function onlyParts(page: ExportedPage, parts: readonly Part[]): ExportedPage {
  const shown = Object.entries(page).filter(([name]) => parts.includes(name as Part))
  return { ...page, ...hidden, ...Object.fromEntries(shown) }
}

function decoded(data: Buffer, coding: string): Buffer {
  if (coding === 'gzip') return zlib.gunzipSync(data)
  if (coding === 'br') return zlib.brotliDecompressSync(data)
  if (coding === 'zstd') return zlib.zstdDecompressSync(data)
  throw new Error(`unknown coding ${coding}`)
}
