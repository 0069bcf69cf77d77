/** What crawl-coordinator can be told from outside. */
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
    description: `Days after its end until a crawl of a project of tier ${tier} is deleted, its bill excepted. 0 keeps it until its owner deletes it.`,
  })

export const Settings = Type.Object({
  ...connections,
  ...databaseConnection,
  ROBOTS_TOKEN: Type.String({
    default: 'tidemark',
    description: 'Product token whose group of a robots.txt is obeyed.',
  }),
  ORDERS_OUT: Type.Integer({
    default: 512,
    minimum: 64,
    maximum: 65_536,
    description:
      'Fetch orders that all crawls one process looks after may have out together. Tenants share them; what is more only waits longer.',
  }),
  RUN_TIME_LIMIT: Type.String({
    default: 'P7D',
    pattern: durationPattern,
    description:
      'How long a run may take; it then ends as it stands, with stop_reason time_limit. An ISO 8601 duration such as P7D, or seconds.',
  }),
  TRAP_RULES_OFF: Type.Array(TrapRule, {
    default: [],
    description:
      'Rules by which no URL is taken for a trap, of path_depth, path_repetition, session_id, parameters, calendar and equal_content.',
  }),
  ARCHIVE_AFTER: Type.String({
    default: 'P7D',
    pattern: durationPattern,
    description:
      'How long ago a run must have ended for its events to leave the stream for the archive: an ISO 8601 duration such as P7D, or seconds.',
  }),
  RETENTION_DAYS_FREE: retention('free'),
  RETENTION_DAYS_PRO: retention('pro'),
  RETENTION_DAYS_AGENCY: retention('agency'),
  RETENTION_DAYS_STUDIO: retention('studio'),
})
export type Settings = Static<typeof Settings>

/** For how long runs are kept, by tier. */
export const retentionOf = (settings: Settings): Retention => ({
  free: settings.RETENTION_DAYS_FREE || null,
  pro: settings.RETENTION_DAYS_PRO || null,
  agency: settings.RETENTION_DAYS_AGENCY || null,
  studio: settings.RETENTION_DAYS_STUDIO || null,
})
