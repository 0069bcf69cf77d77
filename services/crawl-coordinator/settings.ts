/** What crawl-coordinator can be told from outside. */
import { connections, databaseConnection } from '@tidemark/config/connections'
import { TrapRule } from '@tidemark/contracts/run'
import { type Static, Type } from 'typebox'
import { durationPattern } from './domain/duration.ts'

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
})
export type Settings = Static<typeof Settings>
