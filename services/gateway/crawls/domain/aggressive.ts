/** `aggressive`: no delays and no robots.txt, for permitted tiers only, and not for monitors. */
import type { Tier } from '@tidemark/contracts/primitives'
import { refusal } from '../../http/domain/refusal.ts'
import type { FieldRule } from './field-rule.ts'

const allowed: Record<Tier, boolean> = { free: false, pro: false, agency: true, studio: true }

const imposed = { delay_ms: 0, concurrency: 32, respect_robots: false } as const

export const aggressive: FieldRule = (request, { sentFields, tier }, warn) => {
  if (!request.aggressive) return request
  if (!allowed[tier]) throw refusal('aggressive', 'tier_required', tooLow(tier))
  if (request.cron !== undefined) throw refusal('aggressive', 'conflicting_fields', notOnSchedule)
  for (const [field, value] of Object.entries(imposed)) {
    if (sentFields.has(field) && request[field as keyof typeof imposed] !== value)
      warn(`${field} was ignored, because aggressive sets it to ${value}`)
  }
  return { ...request, ...imposed }
}

const tooLow = (tier: Tier) =>
  `aggressive needs the agency tier or above; this project has ${tier}. Leave it out, or change the tier.`

const notOnSchedule = 'aggressive cannot be combined with cron. Leave one of them out.'
