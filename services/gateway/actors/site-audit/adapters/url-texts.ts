/**
 * Finds the texts of URLs that are not pages. The run stores only their keys, so each is looked up where a page names it:
 * among the links of the first page with a link to it, or as the canonical URL of the page of the finding.
 */

import { openLinks } from '@tidemark/content/links'
import { readMetadata } from '@tidemark/content/page-batches'
import { metadataOf } from '@tidemark/contracts/http/page-metadata'
import type { OfProject } from '@tidemark/db/of-project'
import { urlKey } from '@tidemark/url/key'
import type { OfRun } from '../../../read-model/adapters/crawled-pages.ts'

/** A URL by its key, with the keys of pages that may name it. */
export type NamedBy = { key: string; pages: readonly string[] }

export type UrlTexts = (run: OfRun, wanted: readonly NamedBy[]) => Promise<Map<string, string>>

const pagesAtOnce = 50

/** Returns the texts by key; a URL that none of its pages names is left out. */
export function openUrlTexts(reads: OfProject): UrlTexts {
  return async ({ projectId, runId }, wanted) => {
    const missing = new Set(wanted.map(({ key }) => key))
    const pages = [...new Set(wanted.flatMap(({ pages }) => pages))]
    const found = new Map<string, string>()
    const record = (url: string) => {
      const key = urlKey(url)
      if (missing.delete(key)) found.set(key, url)
    }
    for (let at = 0; at < pages.length && missing.size > 0; at += pagesAtOnce) {
      const batch = pages.slice(at, at + pagesAtOnce)
      const names = batch.map(key => ({ urlKey: key, url: '' }))
      for (const edges of await openLinks(reads(projectId)).read(runId, names))
        for (const { href } of edges) record(href)
      for await (const metadata of readMetadata(reads(projectId), runId, batch)) {
        const { canonical } = metadataOf(metadata)
        if (canonical) record(canonical)
      }
    }
    return found
  }
}
