/** When somebody may try to sign up again. All times are milliseconds since the epoch. */

export const attemptsMs = 86_400_000

/**
 * Seconds until another attempt is allowed, null where it is now.
 * @param recent times of the latest attempts within the last 24 hours, as many as are allowed at most
 */
export function waitForAttempt(recent: readonly number[], allowed: number, now: number): number | null {
  if (recent.length < allowed) return null
  // Another instance's clock may be ahead of ours.
  return secondsUntil(Math.min(...recent, now) + attemptsMs, now)
}

/** The day of the limit of all signups is that of UTC, as for every other daily limit. */
export const dayStart = (now: number): number => now - (now % attemptsMs)

export const secondsToNextDay = (now: number): number => secondsUntil(dayStart(now) + attemptsMs, now)

const secondsUntil = (time: number, now: number): number => Math.max(1, Math.ceil((time - now) / 1000))
