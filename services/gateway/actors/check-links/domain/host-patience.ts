/**
 * Learns from checked links how to treat the other links of a host: whether the host requested a pause, or never answers
 * in time. Times are milliseconds of one clock.
 */
import type { LinkChecked } from '@tidemark/contracts/rpc/check-link'

/** Hosts that request a longer pause are not requested again. */
const maxHoldMs = 30_000
/** Number of timeouts after which a host without any response counts as silent. */
const maxTimeouts = 4

type Host = { heldUntil: number; timeouts: number; hasAnswered: boolean }

export class HostPatience {
  readonly #hosts = new Map<string, Host>()

  note(host: string, { leaveAloneMs, statusCode, reason }: LinkChecked, now: number): void {
    const known = this.#hosts.get(host) ?? { heldUntil: 0, timeouts: 0, hasAnswered: false }
    this.#hosts.set(host, known)
    if (leaveAloneMs !== null) known.heldUntil = Math.max(known.heldUntil, now + leaveAloneMs)
    if (reason === 'timeout') known.timeouts += 1
    else if (statusCode !== null) known.hasAnswered = true
  }

  /**
   * Returns the milliseconds until the host may be requested; also 0 if the pause is too long to wait, because the
   * links of the host are then skipped.
   */
  heldMs(host: string, now: number): number {
    const leftMs = this.#leftMs(host, now)
    return leftMs > maxHoldMs ? 0 : Math.max(0, leftMs)
  }

  isThrottled(host: string, now: number): boolean {
    return this.#leftMs(host, now) > maxHoldMs
  }

  isSilent(host: string): boolean {
    const { timeouts = 0, hasAnswered = false } = this.#hosts.get(host) ?? {}
    return timeouts >= maxTimeouts && !hasAnswered
  }

  #leftMs(host: string, now: number): number {
    return (this.#hosts.get(host)?.heldUntil ?? 0) - now
  }
}
