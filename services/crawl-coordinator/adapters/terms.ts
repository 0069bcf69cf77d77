/**
 * Reads the current terms of a project from auth-billing. They are cached briefly and requested again after a change,
 * so that they apply to runs in progress too.
 */
import type { Bus } from '@tidemark/bus/connection'
import { call } from '@tidemark/bus/rpc'
import type { ReadTermsAnswer } from '@tidemark/contracts/rpc/accounts'
import * as accountsRpc from '@tidemark/contracts/rpc/accounts'
import { notifications } from '@tidemark/contracts/subjects'
import type { FindTerms } from '../handlers/allowance.ts'

type Answer = ReadTermsAnswer['terms']
type Remembered = { terms: Promise<Answer>; until: number }

const timeoutMs = 1_000
const rememberMs = 5_000
const maxRemembered = 10_000

/** Returns the reader. `find` never rejects: while auth-billing is away it returns the last known terms, else null. */
export function termsBy(bus: Bus): Disposable & { find: FindTerms } {
  const known = new Map<number, Remembered>()

  function find(projectId: number): Promise<Answer> {
    const last = known.get(projectId)
    if (last !== undefined && last.until > performance.now()) return last.terms
    const terms = askTerms(bus, projectId).catch(() => last?.terms ?? null)
    known.delete(projectId)
    known.set(projectId, { terms, until: performance.now() + rememberMs })
    const [oldest] = known.keys()
    if (known.size > maxRemembered && oldest !== undefined) known.delete(oldest)
    return terms
  }

  function forget(): void {
    for (const entry of known.values()) entry.until = 0
  }

  const changed = bus.nc.subscribe(notifications.keysChanged, { callback: forget })
  return { find, [Symbol.dispose]: () => changed.unsubscribe() }
}

async function askTerms(bus: Bus, projectId: number): Promise<Answer> {
  const question = { projectId }
  const { terms } = await call(bus, accountsRpc.readTerms, question, { timeoutMs })
  return terms
}
