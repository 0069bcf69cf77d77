/**
 * `concurrency` of scans of many pages. A value outside the bounds is replaced by the nearest bound, with a warning.
 */
export function boundedConcurrency(sent: number, max: number, warn: (warning: string) => void): number {
  if (sent > max) warn(`concurrency was capped at ${max}, the maximum of these scans`)
  if (sent < 1) warn('concurrency was raised to 1, the minimum of these scans')
  return Math.max(1, Math.min(sent, max))
}
