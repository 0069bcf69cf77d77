/**
 * `concurrency`: limits the concurrent requests of one run. External hosts have a lower limit of their own
 * (`HOST_CEILING`).
 */
import type { FieldRule } from './field-rule.ts'

export const maxConcurrency = 64

export const concurrency: FieldRule = (request, _, warn) => {
  const { concurrency: asked } = request
  if (asked === undefined || asked <= maxConcurrency) return request
  warn(`concurrency was capped at ${maxConcurrency}, the maximum of a crawl`)
  return { ...request, concurrency: maxConcurrency }
}
