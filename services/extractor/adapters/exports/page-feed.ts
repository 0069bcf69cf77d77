/**
 * Reads the pages of a run for an export, batch by batch: rows from the projector, content from the store, and Markdown
 * and articles from a thread of their own. Batches are bounded in pages and bytes, so memory stays flat.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Bus } from '@tidemark/bus/connection'
import { Refusal } from '@tidemark/bus/refusal'
import { call } from '@tidemark/bus/rpc'
import type { BatchedPage, ReadPageBatch } from '@tidemark/content/page-batches'
import type { ExportSelection } from '@tidemark/contracts/http/exports'
import type { Wanted } from '@tidemark/contracts/rpc/content'
import type { ListedPage, ListedPages, ListedRun } from '@tidemark/contracts/rpc/exports'
import * as exportsRpc from '@tidemark/contracts/rpc/exports'
import type { Part } from '@tidemark/export/page'
import { FetchError } from '@tidemark/http/fetch-error'
import {
  ExportFault,
  type ExportJob,
  isMainOnly,
  runDeleted,
  runReopened,
} from '../../domain/exports/export-job.ts'
import type { Embed } from '../../handlers/exports/embed-texts.ts'
import { chunksIn, decoded, type SentPage } from '../../handlers/exports/export-pages.ts'
import type { ContentThread } from '../content-thread.ts'

export type PageFeed = {
  /** Throws `ExportFault` if the run was deleted, or has another end than at the first call. */
  run(): Promise<ListedRun>
  /** Yields all selected pages in ascending id, with the stored content that these parts need. Throws like `run`. */
  batches(parts: readonly Part[]): AsyncGenerator<SentPage[]>
}

/** `embed` is called only for exports with embeddings. */
type Ports = { bus: Bus; readBatch: ReadPageBatch; thread: ContentThread; embed: Embed }

const listedAtOnce = 500
const together = { pages: 50, bytes: 4 * 1024 ** 2 }
/** The vectors of a chunk are several times as large as its text. */
const embeddedTogether = { pages: 50, bytes: 512 * 1024 }
const answerMs = 20_000
/** Pause before another request to a busy thread. */
const busyMs = 500
/**
 * Maximum pages of one reading that are converted again after a timeout, because a busy machine may have caused it.
 * Further pages have no content (null) after a timeout, because a site could have any number of slow pages.
 */
const maxRepeats = 100

export function feedOf(
  { bus, readBatch, thread, embed }: Ports,
  job: ExportJob,
  signal: AbortSignal,
): PageFeed {
  const { projectId, runId, select } = job
  const list = listerOf(bus, job, signal)
  const form = { isMainOnly: isMainOnly(job), chunks: select.chunks }
  const contentOf = contentMaker({ thread, projectId, signal, ...form })
  return {
    run: async () => (await list(Number.MAX_SAFE_INTEGER, 1)).run,

    async *batches(parts) {
      for (let after = 0; ; ) {
        const listed = await list(after, listedAtOnce)
        const { url } = listed.run
        const isEmbedded = parts.includes('embeddings')
        for (const group of groupsOf(listed.pages, isEmbedded ? embeddedTogether : together)) {
          const pages = await filled(group, parts)
          yield isEmbedded ? await withVectors(pages, embed, url) : pages
        }
        const last = listed.pages.at(-1)
        if (last === undefined || listed.pages.length < listedAtOnce) return
        after = last.id
      }
    },
  }

  async function filled(pages: readonly ListedPage[], parts: readonly Part[]): Promise<SentPage[]> {
    const has = (...some: Part[]) => some.some(part => parts.includes(part))
    const makes = has('markdown', 'article', 'chunks')
    const wanted = {
      body: makes || has('body', 'html'),
      edges: has('links'),
      metadata: has('metadata'),
      headers: has('headers'),
    }
    if (!Object.values(wanted).includes(true))
      return pages.map(listed => ({ listed, stored: null, made: null, isUnread: false, vectors: null }))
    const keys = pages.map(({ urlKey }) => urlKey)
    const found = await readBatch(runId, keys, wanted)
    return Promise.all(
      pages.map(async listed => {
        const stored = found.get(listed.urlKey) ?? null
        // A challenge is not content of the site.
        const isMade = makes && listed.blocked !== true && stored?.body != null
        const made = isMade ? await contentOf(listed, stored, parts) : null
        const isUnread = isMade && made === null
        const sent = stored && !has('body', 'html') ? { ...stored, body: null } : stored
        return { listed, stored: sent, made, isUnread, vectors: null }
      }),
    )
  }
}

/** Returns a function that lists pages. It throws like `run` of the feed. */
function listerOf(bus: Bus, { projectId, runId, select }: ExportJob, signal: AbortSignal) {
  let firstEnd: string | null = null
  return async (after: number, limit: number): Promise<ListedPages & { run: ListedRun }> => {
    signal.throwIfAborted()
    const request = { projectId, runId, after, limit, select }
    const listed = await call(bus, exportsRpc.listExportPages, request, { timeoutMs: answerMs })
    const run = runIn(listed)
    firstEnd ??= run.finishedAt
    // A reopened run gets further pages, but all readings of a file must have the same pages.
    if (run.finishedAt !== firstEnd) throw runReopened()
    return { ...listed, run }
  }
}

/** @param what the seed of the crawl, for the bill */
async function withVectors(pages: SentPage[], embed: Embed, what: string): Promise<SentPage[]> {
  const chunks = pages.map(({ made }) => chunksIn(made))
  const texts = chunks.flatMap(some => some ?? [])
  const vectors = await embed(texts, what)
  let at = 0
  return pages.map((page, n) => {
    const count = chunks[n]?.length
    if (count === undefined) return page
    at += count
    return { ...page, vectors: vectors.slice(at - count, at) }
  })
}

type Form = { isMainOnly: boolean; chunks: ExportSelection['chunks'] }
type Making = { thread: ContentThread; projectId: number; signal: AbortSignal } & Form

/**
 * Returns a function that makes the content of a page as JSON; null for a page that cannot be read within the limits.
 */
function contentMaker({ thread, projectId, signal, ...form }: Making) {
  let repeatsLeft = maxRepeats
  return async (
    { url, status, contentType }: ListedPage,
    stored: BatchedPage,
    parts: readonly Part[],
  ): Promise<Uint8Array | null> => {
    const body = decodedIn(stored)
    if (body === null) return null
    for (let isAgain = false; ; ) {
      signal.throwIfAborted()
      try {
        const request = { url, status, contentType, headers: {}, body, wanted: wantedOf(parts, form) }
        return (await thread.make(request, `project ${projectId}`)).json
      } catch (error) {
        if (!(error instanceof Refusal)) throw error
        if (error.code === 'unavailable') {
          await sleep(busyMs, undefined, { signal })
          continue
        }
        if (isAgain || error.reason !== 'timeout' || repeatsLeft === 0) return null
        repeatsLeft--
        isAgain = true
      }
    }
  }
}

/** Returns the decoded body; null if there is no body, or the stored bytes are damaged. */
function decodedIn({ body, encodings }: BatchedPage): Buffer | null {
  try {
    return body && decoded({ data: body, encodings })
  } catch (error) {
    if (error instanceof FetchError) return null
    throw error
  }
}

function runIn({ run }: ListedPages): ListedRun {
  if (run !== null) return run
  throw new ExportFault(runDeleted.reason, runDeleted.message)
}

function* groupsOf(pages: readonly ListedPage[], max: typeof together): Generator<ListedPage[]> {
  let group: ListedPage[] = []
  let bytes = 0
  for (const page of pages) {
    if (group.length > 0 && (group.length >= max.pages || bytes + page.bytes > max.bytes)) {
      yield group
      group = []
      bytes = 0
    }
    group.push(page)
    bytes += page.bytes
  }
  if (group.length > 0) yield group
}

const wantedOf = (parts: readonly Part[], { isMainOnly, chunks }: Form): Wanted => ({
  html: false,
  markdown: parts.some(part => part === 'markdown' || part === 'chunks')
    ? isMainOnly
      ? 'main'
      : 'page'
    : null,
  ...(chunks && parts.includes('chunks') && { chunks: chunkingOf(chunks) }),
  article: parts.includes('article'),
  signals: false,
  anchors: false,
})

/** Returns the choice of chunks without the field `embeddings`, which does not belong to it. */
const chunkingOf = ({ embeddings: _, ...chunking }: NonNullable<ExportSelection['chunks']>) => chunking
