/** Rules for an intent: a signup that must be paid first. */
import type { Tier, Timestamp } from '@tidemark/contracts/primitives'

export type Intent = {
  id: number
  tier: Tier
  projectName: string
  email: string
  status: 'pending' | 'checkout_created' | 'fulfilled' | 'expired' | 'failed'
  sessionId: string | null
  checkoutUrl: string | null
  mock: boolean
  expiresAt: Timestamp
}

/** Returns how the intent ended; null: it can still be paid. It expires at its time, even before its row changes. */
export function endOf(
  { status, expiresAt }: Pick<Intent, 'status' | 'expiresAt'>,
  at: Timestamp,
): 'fulfilled' | 'expired' | 'failed' | null {
  if (status === 'fulfilled' || status === 'expired' || status === 'failed') return status
  return expiresAt <= at ? 'expired' : null
}

const maxNameLength = 64
const maxNumbered = 8

/**
 * Returns names for the project of a paid intent, the best first. The name is reserved until the intent expires. If the
 * event of a payment arrives later and the name is taken, the project gets a similar one.
 */
export function namesFor({ id, projectName }: Pick<Intent, 'id' | 'projectName'>): string[] {
  const endings = ['', `-${id}`, ...Array.from({ length: maxNumbered }, (_, n) => `-${id}-${n + 2}`)]
  return endings.map(ending => projectName.slice(0, maxNameLength - ending.length) + ending)
}
