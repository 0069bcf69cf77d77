/**
 * The comparison of two runs as one set operation: pages are the same when their keys are, and unchanged when their
 * hashes are too. What answered with an error, with nothing or with a challenge is nothing to be compared with.
 */

/** Which hash of a page tells whether it has changed. */
export type DiffHash = 'normalised' | 'raw'

const hashColumn: Record<DiffHash, string> = { normalised: 'content_hash', raw: 'raw_hash' }

/** Why a page is none: null for one that can be compared, `gone` for one that the site says is not there. */
const fault = `case when blocked then 'blocked' when status in (404, 410) then 'gone'
  when status >= 400 then 'http_' || status when bytes = 0 then 'empty' end`

/** The `Kind` of a pair, or null for one that says nothing: there is no page on either side. */
const kind = `case
  when before.id is null then case
    when after.fault is null then 'unseen' when after.fault <> 'gone' then 'faulty' end
  when after.id is null then case when before.fault is null then 'missing' end
  when before.fault is null and after.fault is null then case when before.hash <> after.hash then 'changed' end
  when before.fault is null then case when after.fault = 'gone' then 'removed' else 'not_revisited' end
  when after.fault is null then case when before.fault = 'gone' then 'added' else 'not_compared' end
  when before.fault <> after.fault or before.hash <> after.hash and after.fault <> 'gone' then 'faulty' end`

/** Of project $1 the runs $2 and $3: one row, `Pairs`. */
export const comparisonBy = (hash: DiffHash): string => {
  const side = (run: string) => `
    select id, url_key, url, ${hashColumn[hash]} as hash, ${fault} as fault
    from read.page where project_id = $1 and run_id = ${run}`
  return `
    with pair as (
      select before.id as old_id, after.id as new_id, coalesce(after.url, before.url) collate "C" as url,
        ${kind} as kind,
        before.fault as old_fault, after.fault as new_fault
      from (${side('$2')}) before full join (${side('$3')}) after using (url_key)
    )
    select
      count(*) filter (where kind is null and old_id is not null and new_id is not null) as unchanged,
      coalesce(array_agg(old_id order by url) filter (where kind is not null), '{}') as olds,
      coalesce(array_agg(new_id order by url) filter (where kind is not null), '{}') as news,
      coalesce(array_agg(kind order by url) filter (where kind is not null), '{}') as kinds,
      coalesce(array_agg(case when kind = 'not_compared' then old_fault else coalesce(new_fault, old_fault) end
        order by url) filter (where kind is not null), '{}') as causes
    from pair`
}

/** What run $3 said of pages of run $2 that it has not: a row for each of the pages $4 that it said anything of. */
export const saidOfThem = `
  select page.id, coalesce(min(said.cause) filter (where said.cause <> all($5)), min(said.cause)) as cause
  from read.pageless said
  cross join unnest(said.keys) as noted (url_key)
  join read.page on page.url_key = noted.url_key and page.run_id = $2 and page.project_id = $1
  join unnest($4::bigint[]) as wanted (id) on wanted.id = page.id
  where said.project_id = $1 and said.run_id = $3
  group by page.id`

/** How run $2 went, which is asked for pages of run $3. */
export const howItWent = `
  select status, stop_reason as "stopReason",
    exists (
      select from read.pageless where project_id = $1 and run_id = $2 and cause = 'frontier_full'
    ) as "isFrontierFull",
    exists (
      select from read.pageless lost join read.pageless had on lost.keys && had.keys
      where lost.project_id = $1 and lost.run_id = $2 and lost.cause = 'sitemap_failed'
        and had.project_id = $1 and had.run_id = $3 and had.cause = 'sitemap_read'
    ) as "lacksSitemap"
  from read.run where project_id = $1 and id = $2`

/** How pages are named by links. */
export const namesOfThem = `select id, url_key, requested_url from read.page
  where project_id = $1 and id = any($2::bigint[])`

export const shownPages = (hash: DiffHash): string => `
  select page.url, page.${hashColumn[hash]} as hash
  from unnest($2::bigint[]) with ordinality as shown (id, place) join read.page using (id)
  where page.project_id = $1 order by place`

export const shownLeft = `
  select page.url, shown.cause
  from unnest($2::bigint[], $3::text[]) with ordinality as shown (id, cause, place) join read.page using (id)
  where page.project_id = $1 order by place`

export const shownChanges = (hash: DiffHash): string => `
  select after.url, before.${hashColumn[hash]} as old_hash, after.${hashColumn[hash]} as new_hash
  from unnest($2::bigint[], $3::bigint[]) with ordinality as shown (old_id, new_id, place)
  join read.page before on before.id = old_id join read.page after on after.id = new_id
  where before.project_id = $1 and after.project_id = $1 order by place`

/** A page of a run, by who its URL is. */
export const pageNamed = `select id, url, url_key, status from read.page
  where project_id = $1 and run_id = $2 and url_key = $3
    and exists (select from read.run where run.id = $2 and run.project_id = $1)`
