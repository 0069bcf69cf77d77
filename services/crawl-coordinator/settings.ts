/** Declares the settings of crawl-coordinator. */
import { connections, databaseConnection } from '@tidemark/config/connections'
import { TrapRule } from '@tidemark/contracts/run'
import { type Static, Type } from 'typebox'
import { durationPattern } from './domain/duration.ts'
import type { Retention } from './domain/retention.ts'

const retention = (tier: string) =>
  Type.Integer({
    default: 0,
    minimum: 0,
    maximum: 36_500,
    description: `Days after its end at which a crawl of a project of tier ${tier} is deleted, except its bill. 0: it stays until its owner deletes it.`,
  })

export const Settings = Type.Object({
  ...connections,
  ...databaseConnection,
  ROBOTS_TOKEN: Type.String({
    default: 'tidemark',
    description: 'Product token whose group in robots.txt applies.',
  }),
  ORDERS_OUT: Type.Integer({
    default: 512,
    minimum: 64,
    maximum: 65_536,
    description:
      'Fetch orders that all crawls of one process may have out together. Tenants share them; further orders wait.',
  }),
  RUN_TIME_LIMIT: Type.String({
    default: 'P7D',
    pattern: durationPattern,
    description:
      'Maximum duration of a run, which then ends in its current state with stop_reason time_limit. An ISO 8601 duration such as P7D, or seconds.',
  }),
  PATTERN_TIME_LIMIT: Type.String({
    default: 'PT1M',
    pattern: durationPattern,
    description:
      'CPU time that a crawl may spend on its include_paths and exclude_paths. It then ends in its current state with stop_reason pattern_time. An ISO 8601 duration such as PT1M, or seconds.',
  }),
  TRAP_RULES_OFF: Type.Array(TrapRule, {
    default: [],
    description:
      'Trap rules that are turned off: path_depth, path_repetition, session_id, parameters, calendar, equal_content.',
  }),
  ARCHIVE_AFTER: Type.String({
    default: 'P7D',
    pattern: durationPattern,
    description:
      'Time after the end of a run at which its events move from the stream to the archive. An ISO 8601 duration such as P7D, or seconds.',
  }),
  RETENTION_DAYS_FREE: retention('free'),
  RETENTION_DAYS_PRO: retention('pro'),
  RETENTION_DAYS_AGENCY: retention('agency'),
  RETENTION_DAYS_STUDIO: retention('studio'),
})
export type Settings = Static<typeof Settings>

/** Returns the retention of runs by tier, in days; null: forever. */
export const retentionOf = (settings: Settings): Retention => ({
  free: settings.RETENTION_DAYS_FREE || null,
  pro: settings.RETENTION_DAYS_PRO || null,
  agency: settings.RETENTION_DAYS_AGENCY || null,
  studio: settings.RETENTION_DAYS_STUDIO || null,
})
