/**
 * `concurrency`: limits the concurrent requests of one run. External hosts have a lower limit of their own
 * (`HOST_CEILING`).
 */
import type { FieldRule } from './field-rule.ts'

export const maxConcurrency = 64

export const concurrency: FieldRule = (request, _, warn) => {
  const { concurrency: requested } = request
  if (requested === undefined || requested <= maxConcurrency) return request
  warn(`concurrency was capped at ${maxConcurrency}, the maximum of a crawl`)
  return { ...request, concurrency: maxConcurrency }
}
