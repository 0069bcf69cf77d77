/** The outcome of a statement on one side, and its comparison with the outcome on the other side. */
import { textsOf } from './rows.scene.ts'
import type { Row } from './tables.ts'

export type Result = { rows: Row[]; rowCount: number | null }
export type Outcome = Result | { code: string }
export type Sent = { outcome: Outcome | null; settled: Promise<void> }

export const deadlock = '40P01'

export const deadlocked: Outcome = { code: deadlock }
const isOrdered = /order by [^()]*$/
export const isControl = (text: string) => ['begin', 'commit', 'rollback'].includes(text)
export const plain = (text: string) => text.replace(/\s+/g, ' ').trim().slice(0, 160)

/** Returns the outcomes as texts that are equal if the outcomes are equal. */
export function textsOfBoth(text: string, real: Outcome, simulated: Outcome): string[] {
  if ('code' in real || 'code' in simulated) return [real, simulated].map(outcome => JSON.stringify(outcome))
  const columns = Object.keys(real.rows[0] ?? simulated.rows[0] ?? {})
  const texts = [real, simulated].map(({ rows }) => textsOf(rows, columns))
  return texts.map(rows => (isOrdered.test(text) ? rows : rows.sort()).join('\n'))
}

/** Observes a statement. */
export function sent(result: Promise<{ rows: Row[]; rowCount: number | null }>): Sent {
  const observed: Sent = { outcome: null, settled: Promise.resolve() }
  observed.settled = result.then(
    ({ rows, rowCount }) => {
      observed.outcome = { rows, rowCount }
    },
    error => {
      observed.outcome = { code: String(Reflect.get(error, 'code') ?? error) }
    },
  )
  return observed
}

/** Reports that both sides differ. */
export class Difference extends Error {
  override readonly name = 'Difference'
}
