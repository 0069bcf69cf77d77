/**
 * The crawls of a monitor have the caps of the key that created it, so a key with lower caps may not cause any: it may not
 * run or enable the monitor, or change its schedule or time zone, which decide when it runs.
 */
import { refuse } from '@tidemark/bus/refusal'
import { type Caps, mayContinue, narrowedKey } from '@tidemark/contracts/limits'
import type { Monitor } from '../domain/monitor.ts'

/**
 * @param keyCaps caps of the calling key
 * @throws Refusal 409 `narrowed_key`
 */
export function assertMayContinue({ settings }: Monitor, keyCaps: Caps | undefined): void {
  if (!mayContinue(keyCaps, settings.keyCaps))
    throw refuse('conflict', { reason: 'narrowed_key', message: narrowedKey('monitor') })
}
