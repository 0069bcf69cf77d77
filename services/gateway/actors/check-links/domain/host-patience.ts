/**
 * What links of a host that were checked tell of those that are not yet: that it wants to be left alone, or lets everybody
 * wait in vain. Times are milliseconds of one clock.
 */
import type { LinkChecked } from '@tidemark/contracts/rpc/check-link'

/** Who wants to be left alone for longer is not asked again. */
const maxHoldMs = 30_000
/** So many links in a row without an answer in time, and none with one, are enough. */
const maxInVain = 4

type Host = { heldUntil: number; inVain: number; hasAnswered: boolean }

export class HostPatience {
  readonly #hosts = new Map<string, Host>()

  note(host: string, { leaveAloneMs, statusCode, reason }: LinkChecked, now: number): void {
    const known = this.#hosts.get(host) ?? { heldUntil: 0, inVain: 0, hasAnswered: false }
    this.#hosts.set(host, known)
    if (leaveAloneMs !== null) known.heldUntil = Math.max(known.heldUntil, now + leaveAloneMs)
    if (reason === 'timeout') known.inVain += 1
    else if (statusCode !== null) known.hasAnswered = true
  }

  /** Milliseconds until it may be asked; 0 too where nobody waits for that. */
  heldMs(host: string, now: number): number {
    const leftMs = this.#leftMs(host, now)
    return leftMs > maxHoldMs ? 0 : Math.max(0, leftMs)
  }

  isThrottled(host: string, now: number): boolean {
    return this.#leftMs(host, now) > maxHoldMs
  }

  isSilent(host: string): boolean {
    const { inVain = 0, hasAnswered = false } = this.#hosts.get(host) ?? {}
    return inVain >= maxInVain && !hasAnswered
  }

  #leftMs(host: string, now: number): number {
    return (this.#hosts.get(host)?.heldUntil ?? 0) - now
  }
}
