/**
 * Reads the current terms of a project from auth-billing, for work that continues after its request. They are cached for
 * some seconds, so that the pages of a batch need few requests.
 */
import type { Bus } from '@tidemark/bus/connection'
import { call } from '@tidemark/bus/rpc'
import type { ReadTermsResponse } from '@tidemark/contracts/rpc/accounts'
import * as accountsRpc from '@tidemark/contracts/rpc/accounts'

type ProjectTerms = ReadTermsResponse['terms']

/**
 * Returns the terms, or those of the last response if auth-billing does not respond; null: no terms are known. Never
 * rejects.
 */
export type CurrentTerms = (projectId: number) => Promise<ProjectTerms>

type Cached = { terms: Promise<ProjectTerms>; until: number }

const timeoutMs = 1_000
const cachedMs = 5_000
const maxCached = 1_000

export function currentTermsBy(bus: Bus): CurrentTerms {
  const cached = new Map<number, Cached>()
  return projectId => {
    const last = cached.get(projectId)
    if (last !== undefined && last.until > performance.now()) return last.terms
    const terms = call(bus, accountsRpc.readTerms, { projectId }, { timeoutMs }).then(
      answer => answer.terms,
      () => last?.terms ?? null,
    )
    cached.delete(projectId)
    cached.set(projectId, { terms, until: performance.now() + cachedMs })
    const [oldest] = cached.keys()
    if (cached.size > maxCached && oldest !== undefined) cached.delete(oldest)
    return terms
  }
}
