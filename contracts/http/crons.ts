/** `/v1/crons`: monitors (specification, Monitors), and the response of `POST /v1/crawls` with `cron`. */
import { type Static, Type } from 'typebox'
import { described, Id, orNull, Timestamp } from '../primitives.ts'
import { SelectableEvent } from '../run-settings.ts'
import { RunStatus } from './crawls.ts'
import { nextOffset, warnings, windowOf } from './lists.ts'

const schedule = 'Five fields of crontab(5), in the local time of timezone.'

export const MonitorView = Type.Object(
  {
    id: described(Id, 'The monitor.'),
    schedule: Type.String({ description: schedule, examples: ['0 6 * * 1-5'] }),
    timezone: Type.String({ description: 'IANA time zone of the schedule.', examples: ['Europe/Berlin'] }),
    url: Type.String({ description: 'The URL where its crawls start.' }),
    enabled: Type.Boolean({ description: 'False: the monitor starts no crawls until it is enabled again.' }),
    last_fired_at: orNull(described(Timestamp, 'Time of its latest crawl; null: none yet.')),
    next_fires_at: orNull(described(Timestamp, 'Time of its next crawl; null: the monitor is not enabled.')),
    last_run_id: orNull(described(Id, 'Its latest crawl; null: none yet.')),
    last_status: orNull(
      Type.String({
        description:
          'Status of its latest crawl that has ended: done, failed or cancelled; null: none has ended yet.',
      }),
    ),
    consecutive_failures: Type.Integer({
      description:
        'Number of consecutive scheduled times, up to the latest, whose crawl failed or could not start. A crawl that is done resets it to 0. Times that were skipped because a crawl of the monitor was still running do not count.',
    }),
    webhook_url: orNull(Type.String({ description: 'Receives the webhooks of its crawls; null: none.' })),
    webhook_events: Type.Optional(
      orNull(Type.Array(SelectableEvent, { description: 'The events that it receives; null: no webhook.' })),
    ),
    return_only_changed: Type.Optional(
      Type.Boolean({ description: 'Whether crawls without changes send no webhook.' }),
    ),
    intent: Type.Optional(
      orNull(Type.String({ description: 'The change that the client waits for; null: none is named.' })),
    ),
    only_matching: Type.Optional(
      Type.Boolean({ description: 'Whether changes that do not match the intent send no webhook.' }),
    ),
    warnings,
  },
  { $id: 'Monitor' },
)
export type MonitorView = Static<typeof MonitorView>

export const MonitorList = Type.Object(
  { items: Type.Array(MonitorView, { description: 'Ordered by id.' }), warnings },
  { $id: 'MonitorList' },
)

export const MonitorAccepted = Type.Object(
  {
    monitor_id: described(Id, 'The id of the monitor: change or delete it at /v1/crons/{monitor_id}.'),
    schedule: Type.String({ description: schedule }),
    timezone: Type.String({ description: 'IANA time zone of the schedule.' }),
    next_fires_at: orNull(described(Timestamp, 'Time of its first crawl.')),
    url: Type.String({ description: 'The URL where its crawls start.' }),
    info: Type.String({ description: 'The next step, for people.' }),
    warnings,
  },
  { $id: 'MonitorAccepted' },
)
export type MonitorAccepted = Static<typeof MonitorAccepted>

/** At least one field is required; an empty body is 422. */
export const MonitorChange = Type.Object(
  {
    schedule: Type.Optional(Type.String({ maxLength: 255, description: schedule })),
    timezone: Type.Optional(
      Type.String({ maxLength: 100, description: 'IANA time zone of the schedule, such as Europe/Berlin.' }),
    ),
    enabled: Type.Optional(
      Type.Boolean({ description: 'False: the monitor starts no crawls until it is enabled again.' }),
    ),
    webhook_url: Type.Optional(
      orNull(
        Type.String({
          maxLength: 8192,
          description:
            'Receives the webhooks of its crawls from now on; null: removes it, and resets webhook_events and return_only_changed to their defaults.',
        }),
      ),
    ),
    webhook_events: Type.Optional(
      Type.Array(SelectableEvent, {
        maxItems: 100,
        description: 'The events to send from the next crawl on; []: only failures. Only with a webhook_url.',
        examples: [['crawl.diff_detected']],
      }),
    ),
    return_only_changed: Type.Optional(
      Type.Boolean({
        description: 'True: no webhook for crawls without changes. Only with a webhook_url.',
      }),
    ),
    intent: Type.Optional(
      orNull(
        Type.String({
          minLength: 1,
          maxLength: 1000,
          pattern: '[^\\t\\n\\r ]',
          description:
            'The change to wait for from the next crawl on, judged by the language model; null: removes it and only_matching.',
          examples: ['The price falls.'],
        }),
      ),
    ),
    only_matching: Type.Optional(
      Type.Boolean({
        description: 'True: no webhook for changes that do not match. Only with an intent.',
      }),
    ),
  },
  { $id: 'MonitorChange' },
)

export const DeletedMonitor = Type.Object(
  {
    deleted: Type.Literal(true, { description: 'Always true.' }),
    id: Type.Integer({ description: 'The deleted monitor.' }),
    warnings,
  },
  { $id: 'DeletedMonitor' },
)

export const MonitorParams = Type.Object({
  id: Type.Integer({ description: 'The monitor.', examples: [7] }),
})

export const MonitorRun = Type.Object(
  {
    minute: described(Timestamp, 'The scheduled time; for a manual run, the time of the request.'),
    asked: Type.Boolean({ description: 'True: a manual run, not a scheduled one.' }),
    run_id: orNull(described(Id, 'The crawl that was started; null: none.')),
    status: Type.Union(
      [...RunStatus.anyOf, Type.Literal('starting'), Type.Literal('skipped'), Type.Literal('deleted')],
      {
        description:
          'Status of the crawl; deleted: the crawl was deleted; starting: it does not exist yet; skipped: none was started.',
      },
    ),
    reason: orNull(
      Type.String({
        description:
          'Reason why it was skipped: previous_run_active; too_late, if the crawl could not be started for 23 hours; or the reason why the crawl was rejected, such as concurrent_runs; null: not skipped.',
      }),
    ),
    page_count: orNull(
      Type.Integer({
        description: 'Pages of the crawl; null: the crawl does not exist, or has just started.',
      }),
    ),
    error_count: orNull(Type.Integer({ description: 'Failed URLs of the crawl; null: as for page_count.' })),
  },
  { $id: 'MonitorRun' },
)
export type MonitorRun = Static<typeof MonitorRun>

export const MonitorRunList = Type.Object(
  {
    items: Type.Array(MonitorRun, {
      description: 'Newest first. The last 1,000 runs of a monitor are kept.',
    }),
    next_offset: nextOffset,
    warnings,
  },
  { $id: 'MonitorRunList' },
)

export const MonitorRunListQuery = Type.Object(windowOf(1000))
