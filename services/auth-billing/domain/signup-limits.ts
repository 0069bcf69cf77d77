/** Computes when the next attempt to sign up is allowed. All times are in ms since 1970. */

export const attemptsMs = 86_400_000

/**
 * Returns the seconds until another attempt is allowed; null when it is allowed now.
 * @param recent times of the latest attempts within the last 24 hours, at most `allowed` of them
 */
export function waitForAttempt(recent: readonly number[], allowed: number, now: number): number | null {
  if (recent.length < allowed) return null
  // The clock of another instance may be ahead, so a recorded attempt may lie in the future. It then counts as made
  // now.
  return secondsUntil(Math.min(...recent, now) + attemptsMs, now)
}

/** Returns the start of the UTC day. All daily limits use UTC days. */
export const dayStart = (now: number): number => now - (now % attemptsMs)

const secondsUntil = (time: number, now: number): number => Math.max(1, Math.ceil((time - now) / 1000))
