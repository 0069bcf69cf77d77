/** `/v1/crons`: monitors (specification, Monitors), and the answer of `POST /v1/crawls` with `cron`. */
import { type Static, Type } from 'typebox'
import { Id, orNull, said, Timestamp } from '../primitives.ts'
import { RunStatus } from './crawls.ts'
import { nextOffset, warnings, windowOf } from './lists.ts'

export const MonitorView = Type.Object(
  {
    id: said(Id, 'The monitor.'),
    schedule: Type.String({ description: 'Five fields of crontab(5), in UTC.', examples: ['0 6 * * 1-5'] }),
    url: Type.String({ description: 'Where its crawls begin.' }),
    enabled: Type.Boolean({ description: 'False: it starts nothing until it is enabled again.' }),
    last_fired_at: orNull(said(Timestamp, 'When it last started a crawl; null: never yet.')),
    next_fires_at: orNull(said(Timestamp, 'When it starts the next one; null while it is not enabled.')),
    last_run_id: orNull(said(Id, 'The crawl that it last started; null: none yet.')),
    last_status: orNull(
      Type.String({
        description:
          'How its last crawl that ended did: done, failed or cancelled; null: none has ended yet.',
      }),
    ),
    consecutive_failures: Type.Integer({
      description:
        'So many of its due minutes in a row, up to now, had a crawl that failed or could start none; 0 from the next crawl on that is done. Those that were skipped because a crawl of it went on do not count.',
    }),
    webhook_url: orNull(Type.String({ description: 'Who is told of the ends of its crawls; null: nobody.' })),
  },
  { $id: 'Monitor' },
)
export type MonitorView = Static<typeof MonitorView>

export const ChangedMonitor = Type.Object({ ...MonitorView.properties, warnings }, { $id: 'ChangedMonitor' })

export const MonitorList = Type.Object(
  { items: Type.Array(MonitorView, { description: 'By id.' }) },
  { $id: 'MonitorList' },
)
export type MonitorList = Static<typeof MonitorList>

export const MonitorAccepted = Type.Object(
  {
    monitor_id: said(Id, 'The monitor: it is changed and deleted at /v1/crons/{monitor_id}.'),
    schedule: Type.String({ description: 'Five fields of crontab(5), in UTC.' }),
    next_fires_at: orNull(said(Timestamp, 'When its first crawl starts.')),
    url: Type.String({ description: 'Where its crawls begin.' }),
    info: Type.String({ description: 'What happens now, for a person.' }),
    warnings,
  },
  { $id: 'MonitorAccepted' },
)
export type MonitorAccepted = Static<typeof MonitorAccepted>

/** At least one of these; none is 422. */
export const MonitorChange = Type.Object(
  {
    schedule: Type.Optional(
      Type.String({ maxLength: 255, description: 'Five fields of crontab(5), in UTC.' }),
    ),
    enabled: Type.Optional(
      Type.Boolean({ description: 'False: it starts nothing until it is enabled again.' }),
    ),
    webhook_url: Type.Optional(
      orNull(
        Type.String({
          maxLength: 8192,
          description:
            'Who is told of the ends of its crawls from now on; null: nobody, and webhook_events and return_only_changed are as if they had never been sent.',
        }),
      ),
    ),
  },
  { $id: 'MonitorChange' },
)
export type MonitorChange = Static<typeof MonitorChange>

export const DeletedMonitor = Type.Object(
  {
    deleted: Type.Literal(true, { description: 'Always true.' }),
    id: Type.Integer({ description: 'The monitor that was.' }),
  },
  { $id: 'DeletedMonitor' },
)

export const MonitorParams = Type.Object({
  id: Type.Integer({ description: 'The monitor.', examples: [7] }),
})
export type MonitorParams = Static<typeof MonitorParams>

export const MonitorRun = Type.Object(
  {
    minute: said(Timestamp, 'The due minute; where `asked`, when somebody asked.'),
    asked: Type.Boolean({ description: 'True: it was asked for and is no due minute.' }),
    run_id: orNull(said(Id, 'The crawl that it started; null: none.')),
    status: Type.Union(
      [...RunStatus.anyOf, Type.Literal('starting'), Type.Literal('skipped'), Type.Literal('deleted')],
      {
        description:
          'That of its crawl; deleted where that is gone, starting while it has none yet, skipped where it started none.',
      },
    ),
    reason: orNull(
      Type.String({
        description:
          'Why it was skipped: previous_run_active, or why the crawl was refused, such as concurrent_runs; else null.',
      }),
    ),
    page_count: orNull(Type.Integer({ description: 'Pages of its crawl; null where there is none.' })),
    error_count: orNull(Type.Integer({ description: 'Failures of its crawl; null where there is none.' })),
  },
  { $id: 'MonitorRun' },
)
export type MonitorRun = Static<typeof MonitorRun>

export const MonitorRunList = Type.Object(
  {
    items: Type.Array(MonitorRun, {
      description: 'The latest first; the last thousand of a monitor are kept.',
    }),
    next_offset: nextOffset,
  },
  { $id: 'MonitorRunList' },
)

export const MonitorRunListQuery = Type.Object(windowOf(1000))
