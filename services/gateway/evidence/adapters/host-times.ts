/**
 * Reads the times between the fetched pages of each host of a run. The database computes them and returns one row for
 * each host.
 */
import type { HostPages } from '@tidemark/contracts/http/crawl-policy'
import type { OfProject } from '@tidemark/db/of-project'
import type { OfRun } from '../../read-model/adapters/crawled-pages.ts'

export type HostTimes = (
  run: OfRun,
  hosts: readonly { origin: string; delay_ms: number }[],
) => Promise<Map<string, HostPages>>

type Row = {
  origin: string
  count: number
  first_at: Date
  last_at: Date
  smallest_gap_ms: number | null
  average_gap_ms: number | null
  gaps_below_delay: number
  seconds: HostPages['seconds']
}

/** Seconds with more pages count as seconds with this number, which limits the length of the histogram. */
const maxPages = 50

const times = `
  with page as (
    select host.origin, host.delay_ms, fetched_at,
      extract(epoch from fetched_at - lag(fetched_at) over (partition by host.origin order by fetched_at)) * 1000 as gap
    from read.page
    join unnest($3::text[], $4::int[]) as host (origin, delay_ms) on host.origin = substring(url from '^[^/]+//[^/]+')
    where run_id = $1 and project_id = $2 and not carried and exists (select from read.run where run.id = $1)
  ), second as (
    select origin, least(count(*), ${maxPages})::int as pages from page group by origin, date_trunc('second', fetched_at)
  ), histogram as (
    select origin, pages, count(*)::int as seconds from second group by origin, pages
  )
  select origin, count(*)::int as count, min(fetched_at) as first_at, max(fetched_at) as last_at,
    floor(min(gap))::bigint as smallest_gap_ms, floor(avg(gap))::bigint as average_gap_ms,
    (count(*) filter (where gap < delay_ms))::int as gaps_below_delay,
    (select json_agg(json_build_object('pages', pages, 'seconds', seconds) order by pages)
      from histogram where histogram.origin = page.origin) as seconds
  from page group by origin`

/** Hosts without pages are absent from the result. */
export const openHostTimes =
  (reads: OfProject): HostTimes =>
  async ({ projectId, runId }, hosts) => {
    const values = [runId, projectId, hosts.map(({ origin }) => origin), hosts.map(host => host.delay_ms)]
    const { rows } = await reads(projectId).query<Row>(times, values)
    return new Map(rows.map(({ origin, ...row }) => [origin, shown(row)]))
  }

const shown = ({ first_at, last_at, ...rest }: Omit<Row, 'origin'>): HostPages => ({
  ...rest,
  first_at: first_at.toISOString(),
  last_at: last_at.toISOString(),
})
