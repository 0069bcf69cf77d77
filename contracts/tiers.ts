/** What each tier may do. Null means without limit. Every figure can be overridden for a project. */
import type { Tier } from './primitives.ts'

export type TierLimits = {
  pagesPerDay: number | null
  pagesPerMonth: number | null
  cloudPagesPerDay: number | null
  /** Requests of a project: so many a second come back, and so many may be made at once (docs/api.md, Limits). */
  requests: { perSecond: number; burst: number }
  /** Fetch orders that all runs of a project may have out at once. */
  ordersOut: number
}

/** The cap of queued and running runs holds for every tier and is never lifted (specification, Limits). */
export const concurrentRuns = 5

export const tiers: Record<Tier, TierLimits> = {
  free: {
    pagesPerDay: 500,
    pagesPerMonth: 5_000,
    cloudPagesPerDay: 25,
    requests: { perSecond: 2, burst: 20 },
    ordersOut: 512,
  },
  pro: {
    pagesPerDay: 10_000,
    pagesPerMonth: 200_000,
    cloudPagesPerDay: 500,
    requests: { perSecond: 10, burst: 50 },
    ordersOut: 1024,
  },
  agency: {
    pagesPerDay: 50_000,
    pagesPerMonth: 1_000_000,
    cloudPagesPerDay: 2_500,
    requests: { perSecond: 30, burst: 150 },
    ordersOut: 2048,
  },
  studio: {
    pagesPerDay: 200_000,
    pagesPerMonth: 4_000_000,
    cloudPagesPerDay: 10_000,
    requests: { perSecond: 100, burst: 500 },
    ordersOut: 2048,
  },
}

/** A request that only reads costs this part of a turn: watching a crawl is not what limits are for. */
export const turnsOfRead = 0.2

/** Monitors that a project may have, whether enabled or not. */
export const monitorCaps: Record<Tier, number> = { free: 3, pro: 25, agency: 200, studio: 200 }
