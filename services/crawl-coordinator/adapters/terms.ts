/**
 * Reads the current terms of a project from auth-billing. They are cached briefly and requested again after a change,
 * so that they apply to runs in progress too.
 */
import type { Bus } from '@tidemark/bus/connection'
import { call } from '@tidemark/bus/rpc'
import type { ReadTermsResponse } from '@tidemark/contracts/rpc/accounts'
import * as accountsRpc from '@tidemark/contracts/rpc/accounts'
import { notifications } from '@tidemark/contracts/subjects'
import type { FindTerms } from '../handlers/allowance.ts'

type ReadTerms = ReadTermsResponse['terms']
type CachedTerms = { terms: Promise<ReadTerms>; until: number }

const timeoutMs = 1_000
const cacheMs = 5_000
const maxCached = 10_000

/** Returns the reader. `find` never rejects: while auth-billing is away it returns the last known terms, else null. */
export function termsBy(bus: Bus): Disposable & { find: FindTerms } {
  const cached = new Map<number, CachedTerms>()

  function find(projectId: number): Promise<ReadTerms> {
    const last = cached.get(projectId)
    if (last !== undefined && last.until > performance.now()) return last.terms
    const terms = requestTerms(bus, projectId).catch(() => last?.terms ?? null)
    cached.delete(projectId)
    cached.set(projectId, { terms, until: performance.now() + cacheMs })
    const [oldest] = cached.keys()
    if (cached.size > maxCached && oldest !== undefined) cached.delete(oldest)
    return terms
  }

  function expireAll(): void {
    for (const entry of cached.values()) entry.until = 0
  }

  const changed = bus.nc.subscribe(notifications.keysChanged, { callback: expireAll })
  return { find, [Symbol.dispose]: () => changed.unsubscribe() }
}

async function requestTerms(bus: Bus, projectId: number): Promise<ReadTerms> {
  const { terms } = await call(bus, accountsRpc.readTerms, { projectId }, { timeoutMs })
  return terms
}
