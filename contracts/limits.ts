/** Limits of spending: those of the tier, changed for a project and restricted for a key. */
import { type Static, Type } from 'typebox'
import { orNull, type Tier } from './primitives.ts'
import { tiers } from './tiers.ts'

const cap = orNull(Type.Integer({ minimum: 0 }))

/** Null is without limit. */
export const PageLimits = Type.Object({ pagesPerDay: cap, pagesPerMonth: cap, cloudPagesPerDay: cap })
export type PageLimits = Static<typeof PageLimits>

/** The caps that are set. Missing caps change nothing. */
export const Caps = Type.Partial(PageLimits)
export type Caps = Static<typeof Caps>

export type CapName = keyof PageLimits
export const capNames: readonly CapName[] = ['pagesPerDay', 'pagesPerMonth', 'cloudPagesPerDay']

/** The terms that determine limits. */
export type Terms = {
  tier: Tier
  /** Lifts the tier's caps. */
  unlimited?: boolean
  /** In place of the tier's, also where those are lifted. */
  caps?: Caps
  /** Caps of the calling key. They restrict the limits of the project and never raise them. */
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

/** Whether caps of a key narrow it: null and missing caps leave what the project may spend as it is. */
export const isNarrowed = (keyCaps: Caps): boolean => capNames.some(name => typeof keyCaps[name] === 'number')

/** Whether no number of pages is too much. */
export const hasNoPageLimit = ({ pagesPerDay, pagesPerMonth }: PageLimits): boolean =>
  hasNoLimit({ perDay: pagesPerDay, perMonth: pagesPerMonth })

/** The same of units of one kind; null is without limit. */
export const hasNoLimit = ({ perDay, perMonth }: Record<'perDay' | 'perMonth', number | null>): boolean =>
  perDay === null && perMonth === null

const narrower = (one: number | null, other: number | null): number | null =>
  one === null || other === null ? (one ?? other) : Math.min(one, other)
