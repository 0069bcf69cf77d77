/** The stored pages of a run as the formats read them. The caller reads the store and implements `ExportSource`. */
import type { Chunk } from '@tidemark/contracts/http/chunks'
import type { PageMetadata } from '@tidemark/contracts/http/pages'

/** Parts of a page that cost a read. A page has a part only if it was requested and is stored. */
export type Part =
  | 'body'
  | 'headers'
  | 'html'
  | 'markdown'
  | 'chunks'
  | 'embeddings'
  | 'article'
  | 'metadata'
  | 'links'

/** A body in its stored form. `encodings` are the content codings of `data` in the order applied. */
export type ExportedBody = { encodings: string[]; data: Buffer }

/** A link in document order. `href` is absolute and in normal form; `rel` is null if the attribute is absent. */
export type ExportedLink = { href: string; anchor: string; rel: string | null; nofollow: boolean }

export type ExportedArticle = { text: string; html: string }

/** A header of a response, with the name as received. */
export type Header = [name: string, value: string]

/** Returns the values of a header. @param name In lower case. */
export const valuesOf = (headers: readonly Header[], name: string): string[] =>
  headers.filter(([key]) => key.toLowerCase() === name).map(([, value]) => value)

/** The URLs of a page, without its content. `requestedUrl` is null without a redirect. */
export type ExportedAddress = { id: number; url: string; requestedUrl: string | null }

/** A page. Parts that were not requested or are not stored are null, and `links` is then empty. */
export type ExportedPage = ExportedAddress & {
  status: number
  /** ISO 8601 in UTC. */
  fetchedAt: string
  depth: number
  title: string | null
  contentType: string | null
  /** SHA-256 in hex of the content that readers see. */
  contentHash: string
  /** SHA-256 in hex of the decoded body. */
  rawHash: string
  /** Length of the decoded body. */
  bytes: number
  /** Whether the origin returned a challenge instead of its page. */
  blocked: boolean
  /** Whether a browser rendered the page. */
  rendered: boolean
  /** IP address of the host that sent the page, if it is known. */
  hostAddress?: string
  body: ExportedBody | null
  /** Headers of the response in their order, as received from the origin. */
  headers: Header[] | null
  /** The decoded body as text. */
  html: string | null
  markdown: string | null
  /** The Markdown in chunks. */
  chunks: Chunk[] | null
  /** A vector for each chunk, in their order. */
  embeddings: Float32Array[] | null
  article: ExportedArticle | null
  /** Parts that the Markdown and the article lack, for example the end of a very long page. */
  warnings: string[]
  metadata: PageMetadata | null
  links: ExportedLink[]
}

/** The run of an export. Times are ISO 8601 in UTC. */
export type ExportedRun = {
  id: number
  /** The seed. */
  url: string
  startedAt: string
  finishedAt: string
  /** Name and version of the software that crawled, for example `Tidemark/0.5.0`. */
  software: string
}

/**
 * A finished run, or the selected pages of one. A format may call `pages` and `addresses` more than once, and each call
 * must yield the same pages in ascending id. Both read ahead only as far as the consumer has capacity.
 */
export type ExportSource = {
  run: ExportedRun
  addresses(): AsyncIterable<ExportedAddress>
  /** Yields every page with these parts. */
  pages(parts: readonly Part[]): AsyncIterable<ExportedPage>
  /** Returns the decoded body. Throws if the stored bytes are not in their codings. */
  decode(body: ExportedBody): Buffer
  /** Returns the normal form of an absolute URL, in which the URLs of all pages are, or null if it has none. */
  normalize(url: string): string | null
}
