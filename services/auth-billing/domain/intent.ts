/** A signup that is to be paid first: what may become of it. */
import type { Tier, Timestamp } from '@tidemark/contracts/primitives'

export type IntentStatus = 'pending' | 'checkout_created' | 'fulfilled' | 'expired' | 'failed'

export type Intent = {
  id: number
  tier: Tier
  projectName: string
  email: string
  status: IntentStatus
  sessionId: string | null
  checkoutUrl: string | null
  mock: boolean
  expiresAt: Timestamp
}

/** Why nothing can be paid any more; null where it can. One whose time is over has ended, whatever its row says yet. */
export function endOf(
  { status, expiresAt }: Pick<Intent, 'status' | 'expiresAt'>,
  at: Timestamp,
): 'fulfilled' | 'expired' | 'failed' | null {
  if (status === 'fulfilled' || status === 'expired' || status === 'failed') return status
  return expiresAt <= at ? 'expired' : null
}

const maxNameLength = 64
const tries = 8

/**
 * Names for the project of who has paid, the best first. A name is held until its intent expires; who paid at the
 * last moment, and is heard of later, gets one like it rather than nothing.
 */
export function namesFor({ id, projectName }: Pick<Intent, 'id' | 'projectName'>): string[] {
  const endings = ['', `-${id}`, ...Array.from({ length: tries }, (_, n) => `-${id}-${n + 2}`)]
  return endings.map(ending => projectName.slice(0, maxNameLength - ending.length) + ending)
}
