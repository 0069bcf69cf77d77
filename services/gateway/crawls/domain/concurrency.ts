/**
 * `concurrency`: what one run may have in flight, whatever is asked for: as many as a fetcher has at most. Hosts of
 * strangers have a ceiling of their own beneath it (`HOST_CEILING`).
 */
import type { FieldRule } from './field-rule.ts'

export const maxConcurrency = 64

export const concurrency: FieldRule = (request, _, warn) => {
  const { concurrency: asked } = request
  if (asked === undefined || asked <= maxConcurrency) return request
  warn(`concurrency was lowered to ${maxConcurrency}, the most that a crawl may have`)
  return { ...request, concurrency: maxConcurrency }
}
