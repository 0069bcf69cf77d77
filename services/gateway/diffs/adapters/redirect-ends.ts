/**
 * Follows the redirects of a run to their ends. A URL that redirected proves nothing about the site if the run could not
 * read the page to which it led. There is one pair of statements for each hop, whatever the number of URLs.
 */
import type { OfProject } from '@tidemark/db/of-project'
import { maxHops } from '../../read-model/adapters/redirect-reads.ts'
import { deferredCauses, marks } from '../../read-model/domain/without-page.ts'
import { selectCausesOfKeys, selectPageStates } from './diff-statement.ts'

type Redirected = {
  projectId: number
  /** The run with the redirects. */
  runId: number
  keys: readonly string[]
  /** The cause if a redirect leads to a URL about which the run decided nothing. */
  otherwise: string
  signal?: AbortSignal | undefined
}

/** The decision about a URL, or the page. A page that could be read has no cause. */
type Step = { url_key: string; cause: string | null; target: string | null }

/**
 * Returns by URL key why the run has no page at the end of the redirects; null: it has one. Loops end at no page. When the
 * signal aborts, the remaining ends are unknown.
 */
export async function redirectEnds(
  reads: OfProject,
  { projectId, runId, keys, otherwise, signal }: Redirected,
): Promise<Map<string, string | null>> {
  const ends = new Map<string, string | null>(keys.map(key => [key, otherwise]))
  /** By first URL: the URL at which its redirects have arrived. */
  let open = new Map(keys.map(key => [key, key]))
  for (let hop = 0; hop <= maxHops && open.size > 0 && !signal?.aborted; hop++) {
    const steps = await stepsOf([...new Set(open.values())])
    const next = new Map<string, string>()
    for (const [first, key] of open) {
      const step = steps.get(key)
      if (step === undefined) continue
      if (step.cause !== marks.redirected) ends.set(first, step.cause)
      else if (step.target !== null) next.set(first, step.target)
    }
    open = next
  }
  return ends

  /** Returns the steps by URL key. A page counts before decisions about its URL. */
  async function stepsOf(urls: readonly string[]): Promise<Map<string, Step>> {
    const client = reads(projectId)
    const [decisions, pages] = await Promise.all([
      client.query<Step>(selectCausesOfKeys, [projectId, runId, urls, deferredCauses]),
      client.query<Step>(selectPageStates, [projectId, runId, urls]),
    ])
    return new Map([...decisions.rows, ...pages.rows].map(step => [step.url_key, step]))
  }
}
