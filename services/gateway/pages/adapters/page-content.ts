/**
 * Returns the requested parts of a stored page. It reads those that are stored, and the extractor computes the others.
 */
import { type ObjectBodies, openContent } from '@tidemark/content/store'
import { metadataOf } from '@tidemark/contracts/http/page-metadata'
import type { PagePart, PageView } from '@tidemark/contracts/http/pages'
import type { OfProject } from '@tidemark/db/of-project'
import { decodeHtml } from '@tidemark/html/decode'
import { isReadable } from '@tidemark/html/media-type'
import { decodeBody } from '@tidemark/http/decode'
import type { Contents } from '../../live-pages/adapters/contents.ts'
import { madeOf, type PageSlice, wantedFor } from '../domain/page-format.ts'
import type { FoundPage } from './page-reads.ts'

/** Returns null if the run kept no body for the parts; metadata of every page is stored. */
export type ReadPageContent = (page: FoundPage, slice: PageSlice) => Promise<Partial<PageView> | null>

/** Limits the size of a damaged body. The extractor has decoded every other stored body before. */
const maxBytes = 256 * 1024 ** 2

/**
 * Throws the extractor's `Refusal` for a page that cannot be read in time, or if it does not answer, and `BodiesAway`.
 * @param objectBodies the object store of bodies, if any
 */
export function pageContent(
  reads: OfProject,
  contents: Pick<Contents, 'read'>,
  objectBodies?: ObjectBodies,
): ReadPageContent {
  return async (page, slice) => {
    const { parts } = slice
    const wanted = wantedFor(slice)
    const isServed = parts.includes('html') || wanted === null
    const [served, made] = await Promise.all([
      isServed ? asServed(page, parts) : {},
      wanted === null ? {} : asMade(page, slice, wanted),
    ])
    return served && made && { ...served, ...made }
  }

  async function asMade(
    { projectId, runId, urlKey, url, status }: FoundPage,
    slice: PageSlice,
    wanted: NonNullable<ReturnType<typeof wantedFor>>,
  ) {
    const content = await contents.read({ projectId, runId, urlKey, url, status, wanted })
    return content && madeOf(slice, content)
  }

  async function asServed({ projectId, runId, urlKey }: FoundPage, parts: readonly PagePart[]) {
    const stored = await openContent(reads(projectId), objectBodies).readPage(runId, urlKey)
    if (stored === null) return null
    const metadata = parts.includes('metadata') && { metadata: metadataOf(stored.metadata) }
    if (!parts.includes('html')) return { ...metadata }
    if (stored.body === null) return null
    const bytes = decodeBody(stored.body, stored.encodings, maxBytes)
    const isText = isReadable(stored.contentType, bytes)
    return { html: isText ? decodeHtml(bytes, stored.contentType).html : '', ...metadata }
  }
}
