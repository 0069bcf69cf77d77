/** Spending limits: those of the tier, overridden for a project and restricted for a key. */
import { type Static, Type } from 'typebox'
import { orNull, type Tier } from './primitives.ts'
import { exportCaps, tiers } from './tiers.ts'

const cap = orNull(Type.Integer({ minimum: 0 }))

/** Null means unlimited. */
export const PageLimits = Type.Object({ pagesPerDay: cap, pagesPerMonth: cap, cloudPagesPerDay: cap })
export type PageLimits = Static<typeof PageLimits>

/** The caps that are set. Missing caps change nothing. */
export const Caps = Type.Partial(PageLimits)
export type Caps = Static<typeof Caps>

/** The caps of the exports of a project, in bytes. Null means unlimited. */
export const ExportCaps = Type.Object({ fileBytes: cap, keptBytes: cap })
export type ExportCaps = Static<typeof ExportCaps>

/** Returns the caps that apply to exports which are requested now. */
export const exportCapsOf = ({ tier, unlimited = false }: Pick<Terms, 'tier' | 'unlimited'>): ExportCaps =>
  unlimited ? { fileBytes: null, keptBytes: null } : exportCaps[tier]

export type CapName = keyof PageLimits
export const capNames: readonly CapName[] = ['pagesPerDay', 'pagesPerMonth', 'cloudPagesPerDay']

/**
 * Maximum number of free results (failures and challenges) of a project per UTC day, as a multiple of its daily cap for
 * the same kind of unit. The operator pays for each fetch, so the number is bounded. Lists with many dead URLs need less.
 */
export const freeResultsPerCap = 10

/** Returns the maximum number of free results per UTC day by the daily cap. Null means unlimited. */
export const maxFreeResults = (perDay: number | null): number | null =>
  perDay === null ? null : perDay * freeResultsPerCap

/** The terms that determine limits. */
export type Terms = {
  tier: Tier
  /** Lifts the caps of the tier. */
  unlimited?: boolean
  /** Caps of the project. They replace the caps of the tier, even lifted ones. */
  caps?: Caps
  /** Caps of the calling key. They restrict the limits of the project and never raise them. */
  keyCaps?: Caps
}

/** Returns the limits that apply. No other code computes them. */
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

/** Returns whether caps of a key restrict it. Null and missing caps leave the limits of the project unchanged. */
export const isNarrowed = (keyCaps: Caps): boolean => capNames.some(name => typeof keyCaps[name] === 'number')

/**
 * Returns whether a key with these caps may continue work that a key with the caps `theirs` has started: none of its own caps
 * is below theirs, because the work continues with theirs.
 */
export const mayContinue = (keyCaps: Caps = {}, theirs: Caps = {}): boolean =>
  capNames.every(name => {
    const [own = null, their = null] = [keyCaps[name], theirs[name]]
    return own === null || (their !== null && their <= own)
  })

/** The message for a key that may not continue the work. */
export const narrowedKey = (work: string): string =>
  `This key has caps of its own that are below those of the key that started the ${work}. Use a key without caps, or start a new one.`

/** Returns whether the number of pages is unlimited. */
export const hasNoPageLimit = ({ pagesPerDay, pagesPerMonth }: PageLimits): boolean =>
  hasNoLimit({ perDay: pagesPerDay, perMonth: pagesPerMonth })

/** Returns whether the number of units of one kind is unlimited. Null means unlimited. */
export const hasNoLimit = ({ perDay, perMonth }: Record<'perDay' | 'perMonth', number | null>): boolean =>
  perDay === null && perMonth === null

const narrower = (one: number | null, other: number | null): number | null =>
  one === null || other === null ? (one ?? other) : Math.min(one, other)
