/** The limits of each tier. Null means unlimited. A project can override every number. */
import type { Tier } from './primitives.ts'

export type TierLimits = {
  pagesPerDay: number | null
  pagesPerMonth: number | null
  cloudPagesPerDay: number | null
  /** Request rate of a project and its burst (docs/api/account.md, Limits). */
  requests: { perSecond: number; burst: number }
  /** Maximum of outstanding fetch orders of all runs of a project. */
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

/** Cost of a read in requests. It is low, so that clients can poll a crawl. */
export const tokensPerRead = 0.2

/**
 * Maximum bytes of the requests with which a project starts runs per UTC day. RUNS, of 8 GB, stores them for seven
 * days: 112 MB of a free project, and 7 GB of one of the highest tier.
 */
export const requestBytesPerDay: Record<Tier, number> = {
  free: 16_000_000,
  pro: 128_000_000,
  agency: 256_000_000,
  studio: 1_000_000_000,
}

const gibibyte = 1024 ** 3

/**
 * Maximum bytes of one export, and of all files of exports that are kept for a project. They take space in Postgres, and a
 * few kilobytes of a site can become gigabytes of a file. Null: only the settings of the installation limit them.
 */
export const exportCaps: Record<Tier, { fileBytes: number | null; keptBytes: number | null }> = {
  free: { fileBytes: gibibyte, keptBytes: 2 * gibibyte },
  pro: { fileBytes: 5 * gibibyte, keptBytes: 10 * gibibyte },
  agency: { fileBytes: 10 * gibibyte, keptBytes: 20 * gibibyte },
  studio: { fileBytes: null, keptBytes: null },
}

/** Maximum number of monitors of a project, enabled or not. */
export const monitorCaps: Record<Tier, number> = { free: 3, pro: 25, agency: 200, studio: 200 }
