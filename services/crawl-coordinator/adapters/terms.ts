/**
 * On which terms a project is served now, as auth-billing says it: remembered for a moment, and asked anew when
 * somebody has changed something, so that runs which are under way keep to it too.
 */
import { ask } from '@tidemark/bus/ask'
import type { Bus } from '@tidemark/bus/connection'
import type { ReadTerms, ReadTermsAnswer } from '@tidemark/contracts/ask/accounts'
import { asks, tells } from '@tidemark/contracts/subjects'
import type { FindTerms } from '../handlers/allowance.ts'

type Answer = ReadTermsAnswer['terms']
type Remembered = { terms: Promise<Answer>; until: number }

const timeoutMs = 1_000
const rememberMs = 5_000
const mostRemembered = 10_000

/** `find` never rejects: while auth-billing is away it is what was last heard, and null where nothing was. */
export function termsBy(bus: Bus): Disposable & { find: FindTerms } {
  const known = new Map<number, Remembered>()

  function find(projectId: number): Promise<Answer> {
    const last = known.get(projectId)
    if (last !== undefined && last.until > performance.now()) return last.terms
    const terms = askTerms(bus, projectId).catch(() => last?.terms ?? null)
    known.delete(projectId)
    known.set(projectId, { terms, until: performance.now() + rememberMs })
    const [oldest] = known.keys()
    if (known.size > mostRemembered && oldest !== undefined) known.delete(oldest)
    return terms
  }

  function forget(): void {
    for (const entry of known.values()) entry.until = 0
  }

  const changed = bus.nc.subscribe(tells.keysChanged, { callback: forget })
  return { find, [Symbol.dispose]: () => changed.unsubscribe() }
}

async function askTerms(bus: Bus, projectId: number): Promise<Answer> {
  const question = { projectId }
  const { terms } = await ask<ReadTerms, ReadTermsAnswer>(bus, asks.readTerms, question, { timeoutMs })
  return terms
}
