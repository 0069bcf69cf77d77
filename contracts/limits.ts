/** What somebody may spend: the tier's limits, as they are changed for a project, as they are narrowed for a key. */
import { type Static, Type } from 'typebox'
import { orNull, type Tier } from './primitives.ts'
import { tiers } from './tiers.ts'

const cap = orNull(Type.Integer({ minimum: 0 }))

/** Null is without limit. */
export const PageLimits = Type.Object({ pagesPerDay: cap, pagesPerMonth: cap, cloudPagesPerDay: cap })
export type PageLimits = Static<typeof PageLimits>

/** Those that are set; what is not named is as it is without them. */
export const Caps = Type.Partial(PageLimits)
export type Caps = Static<typeof Caps>

export type CapName = keyof PageLimits
export const capNames: readonly CapName[] = ['pagesPerDay', 'pagesPerMonth', 'cloudPagesPerDay']

/** What limits depend on. */
export type Terms = {
  tier: Tier
  /** Lifts the tier's caps. */
  unlimited?: boolean
  /** In place of the tier's, also where those are lifted. */
  caps?: Caps
  /** Of the key that asks: they narrow what the project may spend, and never widen it. */
  keyCaps?: Caps
}

/** The one place where it is decided. */
export function limitsOf({ tier, unlimited = false, caps = {}, keyCaps = {} }: Terms): PageLimits {
  const limitOf = (name: CapName): number | null => {
    const ofTier = unlimited ? null : tiers[tier][name]
    const { [name]: ofProject = ofTier } = caps
    return narrower(ofProject, keyCaps[name] ?? null)
  }
  return {
    pagesPerDay: limitOf('pagesPerDay'),
    pagesPerMonth: limitOf('pagesPerMonth'),
    cloudPagesPerDay: limitOf('cloudPagesPerDay'),
  }
}

/** Whether no number of pages is too much. */
export const hasNoPageLimit = ({ pagesPerDay, pagesPerMonth }: PageLimits): boolean =>
  hasNoLimit({ perDay: pagesPerDay, perMonth: pagesPerMonth })

/** The same of units of one kind; null is without limit. */
export const hasNoLimit = ({ perDay, perMonth }: Record<'perDay' | 'perMonth', number | null>): boolean =>
  perDay === null && perMonth === null

const narrower = (one: number | null, other: number | null): number | null =>
  one === null || other === null ? (one ?? other) : Math.min(one, other)
