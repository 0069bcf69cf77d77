/**
 * Checks the operator's key (ADMIN_KEY). It is not a project's key and grants access to the operator's routes only. The
 * limit of wrong keys per client address is the same as for API keys.
 */
import { hash, timingSafeEqual } from 'node:crypto'
import { fairLookUps } from './adapters/fair-look-ups.ts'

export type OperatorKey = {
  /** Returns whether this is the key, without a limit: for keys that were accepted before. */
  isKey: (key: string) => boolean
  /**
   * Returns whether this is the key, for a client at this address. Throws `ApiProblem` `too_many_requests` for an
   * address that sent too many wrong keys.
   */
  check: (key: string, clientIp: string) => Promise<boolean>
}

/** Returns the check; null: the installation has no such key. */
export function operatorKey(key: string): OperatorKey | null {
  if (key === '') return null
  const expected = digestOf(key)
  const isKey = (given: string) => timingSafeEqual(digestOf(given), expected)
  const lookUp = fairLookUps(() => performance.now())
  return {
    isKey,
    check: (given, clientIp) =>
      lookUp(
        clientIp,
        async () => isKey(given),
        isRight => isRight,
      ),
  }
}

/** Digests have one length, so the comparison takes the same time for every key. */
const digestOf = (key: string): Buffer => hash('sha256', key, 'buffer')
