/** JSON Lines: a page per line, with its metadata and the chosen content, under the names of the API. */
import { buffered } from './buffered.ts'
import type { Content, ExportOptions, Format } from './format.ts'
import { jsonPieces } from './json-pieces.ts'
import type { ExportedPage, ExportSource } from './page.ts'

export const jsonl: Format = {
  fileType: () => ({ extension: 'jsonl', mediaType: 'application/x-ndjson' }),
  needs: options => [
    ...contentOf(options),
    ...(options.embeddings && options.include.includes('chunks') ? (['embeddings'] as const) : []),
  ],
  write: (source, options) => buffered(lines(source, options)),
}

const contentOf = ({ include }: ExportOptions): Content[] => [...new Set<Content>(['metadata', ...include])]

async function* lines(source: ExportSource, options: ExportOptions): AsyncGenerator<string> {
  const chosen = contentOf(options).map(part => contentFields[part])
  for await (const page of source.pages(jsonl.needs(options))) {
    const content = chosen.map(fields => fields(page))
    const { warnings } = page
    yield* jsonPieces(Object.assign(pageFields(page), ...content, warnings.length > 0 && { warnings }))
    yield '\n'
  }
}

const pageFields = (page: ExportedPage) => ({
  id: page.id,
  url: page.url,
  requested_url: page.requestedUrl,
  status: page.status,
  fetched_at: page.fetchedAt,
  depth: page.depth,
  title: page.title,
  content_type: page.contentType,
  content_hash: page.contentHash,
  raw_hash: page.rawHash,
  bytes: page.bytes,
  blocked: page.blocked,
  rendered: page.rendered,
})

/** The fields of each content. A part that is not stored is null; links are then an empty list. */
const contentFields: Record<Content, (page: ExportedPage) => object> = {
  html: ({ html }) => ({ html }),
  markdown: ({ markdown }) => ({ markdown }),
  chunks: ({ chunks, embeddings }) => ({ chunks: embeddings ? withEmbeddings(chunks, embeddings) : chunks }),
  article: ({ article }) => ({ article_text: article?.text ?? null, article_html: article?.html ?? null }),
  metadata: ({ metadata }) => ({ metadata }),
  headers: ({ headers }) => ({ headers }),
  links: ({ links }) => ({
    links: links.map(({ href, anchor, rel, nofollow }) => ({ to: href, anchor, rel, nofollow })),
  }),
}

/** The numbers become text chunk by chunk, because a page may have thousands of chunks. */
const withEmbeddings = (chunks: ExportedPage['chunks'], embeddings: readonly Float32Array[]) =>
  chunks?.map((chunk, n) => ({
    ...chunk,
    embedding: { toJSON: () => Array.from(embeddings[n] ?? [], shortest) },
  })) ?? null

/** Digits that some, most and all 32-bit numbers need. */
const precisions = [7, 8, 9]

/** Returns the number with the fewest digits that is the same in 32 bits. */
function shortest(value: number): number {
  for (const precision of precisions) {
    const short = Number(value.toPrecision(precision))
    if (Math.fround(short) === value) return short
  }
  return value
}
