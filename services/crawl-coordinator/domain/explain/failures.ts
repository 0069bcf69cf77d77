/** Collects the failed URLs of a run from its events, because its state does not keep them. */

import type { RunError } from '@tidemark/contracts/http/errors'
import type { FailedPage } from '@tidemark/contracts/work/failed-page'
import type { Stored } from './history.ts'
import { sentenceOf } from './sentences.ts'

export type Failures = {
  /** The failures in the order in which they occurred, without those that a client has retried. */
  found: readonly RunError[]
  /** Adds the events of one commit. Add commits in their order. */
  add(stored: Stored): void
}

export function collectFailures(): Failures {
  const urls = new Map<string, { url: string; from: string | null }>()
  const found: RunError[] = []
  return {
    found,
    add({ commit }) {
      for (const { type, data } of commit.events) {
        if (type === 'PagesAdmitted') for (const page of data.pages) urls.set(page.key, page)
        if (type === 'SitemapOrdered') urls.set(data.key, { url: data.url, from: null })
        if (type === 'RunReopened') found.splice(0, data.retried)
        if (type === 'PagesFailed') for (const page of data.pages) found.push(failure(page, commit.at))
      }
    },
  }

  function failure(page: FailedPage, at: string): RunError {
    const { url = '', from = null } = urls.get(page.key) ?? {}
    return {
      url,
      reason: page.reason,
      sentence: sentenceOf(page.reason, page.because) ?? `The page could not be fetched: ${page.reason}.`,
      attempts: page.attempts,
      at,
      found_from: from === null ? null : (urls.get(from)?.url ?? null),
    }
  }
}
