/** Declares the settings of crawl-coordinator. */
import { connectionSettings, databaseSettings } from '@tidemark/config/connections'
import { retentionSettings } from '@tidemark/config/retention'
import { TrapRule } from '@tidemark/contracts/run'
import { type Static, Type } from 'typebox'
import { durationPattern } from './domain/duration.ts'

export const Settings = Type.Object({
  ...connectionSettings,
  ...databaseSettings,
  ROBOTS_TOKEN: Type.String({
    default: 'tidemark',
    description: 'Product token whose group in robots.txt applies.',
  }),
  ORDERS_OUT: Type.Integer({
    default: 512,
    minimum: 64,
    maximum: 65_536,
    description:
      'Fetch orders that all crawls of one process may have in flight together. Tenants share them; further orders wait.',
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
  ...retentionSettings,
})
export type Settings = Static<typeof Settings>
