/** Formats the usage of a project and its limits for `/v1/usage`. Days are UTC days. */

import { dayOf, secondsToMidnight } from '@tidemark/contracts/calendar'
import type { UsageView } from '@tidemark/contracts/http/usage'
import { limitsOf, type Terms } from '@tidemark/contracts/limits'
import type { ReadUsageResponse } from '@tidemark/contracts/rpc/usage'

export function usageView(project: Terms, { today, month }: ReadUsageResponse, now: number): UsageView {
  const { pagesPerDay, pagesPerMonth, cloudPagesPerDay } = limitsOf(project)
  return {
    tier: project.tier,
    caps: {
      pages_per_day: pagesPerDay,
      pages_per_month: pagesPerMonth,
      cloud_pages_per_day: cloudPagesPerDay,
    },
    today: {
      date: dayOf(now),
      pages: today.pages,
      cloud_pages: today.cloudPages,
      cloud_cost_usd: today.cloudCostUsd,
      pages_pct: percent(today.pages, pagesPerDay),
      cloud_pages_pct: percent(today.cloudPages, cloudPagesPerDay),
    },
    month: {
      pages: month.pages,
      cloud_pages: month.cloudPages,
      cloud_cost_usd: month.cloudCostUsd,
      pages_pct: percent(month.pages, pagesPerMonth),
    },
    retry_after_seconds: secondsToMidnight(now),
  }
}

/** Returns the percentage of a cap to two decimals; 100 for a cap of 0; 0 without a cap, which is never used up. */
const percent = (used: number, cap: number | null): number =>
  cap === null ? 0 : cap === 0 ? 100 : Math.round((used / cap) * 10_000) / 100
