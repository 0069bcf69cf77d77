/**
 * Statements for jobs that any number of processes share: exports and batches of scans. Their tables have the columns `id`,
 * `project_id`, `state`, `lease`, `attempts` and `due_at`, which is the end of the lease while a process holds the job.
 */

type Jobs = {
  /** Name of the table without its schema. */
  table: 'batch' | 'export'
  /** SQL condition. */
  isUnfinished: string
}

/** Several times the pause in which free processes look for due jobs. */
const freeSeconds = 2

/** A number: jobs of the project that processes work on. */
const busyOf = (table: string, projectId: string) => `
  select count(*) from content.${table} as busy
  where busy.project_id = ${projectId} and busy.state = 'running' and busy.due_at > now()`

/**
 * Returns the statement that takes the job that has been due longest, of the project with the fewest in progress.
 * Parameters: the lease, and its seconds.
 * @param columns returned columns
 * @param set assignments beside those of every job
 */
export const takeDue = ({ table, isUnfinished }: Jobs, columns: string, set = ''): string => `
  update content.${table} set state = 'running', lease = $1, attempts = attempts + 1, ${set}
    due_at = now() + make_interval(secs => $2)
  where id = (
    select id from content.${table} where ${isUnfinished} and due_at <= now()
    order by (${busyOf(table, `${table}.project_id`)}), due_at, id limit 1 for update skip locked)
  returning ${columns}`

/**
 * Returns the statement that has a row if `takeDue` would choose another job than the held one, and no free process took
 * it. Parameter: the id of the held job.
 */
export const otherDue = ({ table, isUnfinished }: Jobs): string => `
  select from content.${table},
    (select id as held, project_id as held_project from content.${table} where id = $1) as own
  where ${isUnfinished} and due_at <= now() - interval '${freeSeconds} seconds' and id <> held
    and (${busyOf(table, `${table}.project_id`)} and busy.id <> held)
      <= (${busyOf(table, 'held_project')} and busy.id <> held)
  limit 1`
