/** Reads the projects of the installation with the numbers of their runs, for the operator. */
import type { ReadActivity, ReadActivityResponse } from '@tidemark/contracts/rpc/operator'
import type { Database } from '@tidemark/db/database'

type Pool = Database['pool']

const selectProjects = `
  with active as (
    select project_id, count(*) filter (where status = 'queued') as queued,
      count(*) filter (where status = 'running') as running
    from read.run where status in ('queued', 'running') group by project_id
  ), today as (
    select project_id, count(*) as started from read.run where enqueued_at >= $1 group by project_id
  )
  select project.id as "projectId", name, tier, coalesce(queued, 0) as queued, coalesce(running, 0) as running,
    coalesce(started, 0) as started
  from read.project
  left join active on active.project_id = project.id
  left join today on today.project_id = project.id
  order by project.id = any($2) desc, coalesce(queued, 0) + coalesce(running, 0) desc, coalesce(started, 0) desc,
    project.id desc
  limit $3`

const countProjects = `select count(*) as total from read.project`
const selectNames = `select id as "projectId", name from read.project where id = any($1)`

/** Returns the handler of `readActivity`. */
export const readActivity =
  (pool: Pool) =>
  async ({ day, projectIds, names, limit }: ReadActivity): Promise<ReadActivityResponse> => {
    const [projects, counted, named] = await Promise.all([
      pool.query<ReadActivityResponse['projects'][number]>(selectProjects, [
        `${day}T00:00:00Z`,
        projectIds,
        limit,
      ]),
      pool.query<{ total: number }>(countProjects),
      names.length === 0 ? null : pool.query<ReadActivityResponse['names'][number]>(selectNames, [names]),
    ])
    return { total: counted.rows[0]?.total ?? 0, projects: projects.rows, names: named?.rows ?? [] }
  }
