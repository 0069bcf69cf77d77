/**
 * SQL that compares two runs in one statement. Every HTTP response counts. Pages with the same URL key are the same
 * page, and it is unchanged if its hash and status are. Only 404 and 410 mean that a page does not exist, and only a
 * challenge leaves that unknown.
 */

/** The hash by which a page counts as changed. */
export type DiffHash = 'normalised' | 'raw'

const hashColumn: Record<DiffHash, string> = { normalised: 'content_hash', raw: 'raw_hash' }

/** SQL for the hash of a page in a table. With comparison rules, a page without a comparison hash uses its whole hash. */
const hashOf = (table: string, hash: DiffHash, byRules: boolean): string => {
  const column = `${table}.${hashColumn[hash]}`
  return byRules ? `coalesce(${table}.comparison_hash, ${column})` : column
}

/** SQL for the state of a page: it exists, it does not exist, or it is unknown. */
const state = `case when blocked then 'unread' when status in (404, 410) then 'none' else 'page' end`

/** SQL condition for a response that hides the links that the page may have. */
const hidesLinks = '(blocked or bytes = 0 or status >= 400 and status not in (404, 410))'

/** SQL for the `Kind` of a pair; null: it is unchanged. */
const kind = `case
  when before.id is null then case after.state
    when 'unread' then 'not_compared' when 'page' then 'unseen' else 'none_unseen' end
  when before.state = 'unread' then 'not_compared'
  when after.id is null then case before.state when 'page' then 'missing' else 'none_missing' end
  when after.state = 'unread' then 'not_revisited'
  when before.state <> after.state then case after.state when 'page' then 'added' else 'removed' end
  when after.state = 'page' and (before.hash <> after.hash or before.status <> after.status) then 'changed' end`

/**
 * Returns the statement that compares the runs $2 and $3 of project $1. It returns one row, `Pairs`.
 * @param byRules Whether both runs have the same rules of comparison.
 */
export const comparisonBy = (hash: DiffHash, byRules: boolean): string => {
  const side = (run: string) => `
    select id, url_key, url, status, ${hashOf('page', hash, byRules)} as hash, ${state} as state, ${hidesLinks} as hides
    from read.page where project_id = $1 and run_id = ${run}`
  return `
    with pair as (
      select before.id as old_id, after.id as new_id, coalesce(after.url, before.url) collate "C" as url,
        ${kind} as kind,
        after.hides and not before.hides as new_hides, before.hides and not after.hides as old_hides
      from (${side('$2')}) before full join (${side('$3')}) after using (url_key)
    )
    select
      count(*) as pages,
      count(*) filter (where kind is null) as unchanged,
      coalesce(array_agg(old_id order by url) filter (where kind is not null), '{}') as olds,
      coalesce(array_agg(new_id order by url) filter (where kind is not null), '{}') as news,
      coalesce(array_agg(kind order by url) filter (where kind is not null), '{}') as kinds,
      coalesce(array_agg(old_id) filter (where new_hides), '{}') as "hiddenInNew",
      coalesce(array_agg(new_id) filter (where old_hides), '{}') as "hiddenInOld"
    from pair`
}

/** SQL condition for a decision about a page. That a URL is also a sitemap decides nothing about its page. */
const isOfPage = `decision.cause <> all ('{sitemap_read,sitemap_failed,sitemap_unread,sitemap_faulty}')`

/**
 * Selects the decisions of run $3 about the pages $4 of run $2, which run $3 does not have: one row for each page with
 * a decision. The latest decision counts, because a URL that failed may be retried. The causes $5 count only without
 * others.
 */
export const selectLatestCauses = `
  select distinct on (page.id) page.id, decision.cause
  from read.pageless decision
  cross join unnest(decision.keys) as listed (url_key)
  join read.page on page.url_key = listed.url_key and page.run_id = $2 and page.project_id = $1
  join unnest($4::bigint[]) as wanted (id) on wanted.id = page.id
  where decision.project_id = $1 and decision.run_id = $3 and ${isOfPage}
  order by page.id, decision.cause = any($5), decision.sequence desc, decision.cause`

/**
 * Selects the latest decision of run $2 about each of the URLs $3, by the rules of `selectLatestCauses`, and the target
 * of a redirect. The keys are a filter, because a join of two lists of keys, which have no statistics, may compare all
 * pairs.
 */
export const selectCausesOfKeys = `
  select distinct on (listed.url_key) listed.url_key, decision.cause, listed.target
  from read.pageless decision cross join unnest(decision.keys, decision.targets) as listed (url_key, target)
  where decision.project_id = $1 and decision.run_id = $2 and ${isOfPage} and listed.url_key = any($3::text[])
  order by listed.url_key, decision.cause = any($4), decision.sequence desc, decision.cause`

/** Selects the pages of run $2 among the URLs $3. Only a challenge leaves a page unknown. */
export const selectPageStates = `
  select url_key, case when blocked then 'blocked' end as cause, null as target from read.page
  where project_id = $1 and run_id = $2 and url_key = any($3::text[])`

/**
 * Selects the result of run $2, whose pages are compared with the pages of run $3. `lacksSitemap`: run $3 read a
 * sitemap that failed in run $2 and was not read later, or that only run $2 read in part because of a fault. A part
 * that exceeds a limit is missing in both runs. Most runs lack no sitemap, so only the first `exists` is evaluated. For
 * other runs, the sitemaps of both runs are read once, because a join of two lists of keys, which have no statistics,
 * may compare all pairs. `leavesSitemap`: `max_pages` ended run $2 before it read all sitemaps. The last end of a run
 * names these unread sitemaps. They may list the pages of any sitemap that only run $3 knows, because names of sitemaps
 * change. Ends of earlier versions do not name them: then each sitemap that only run $3 knows counts.
 */
export const selectRunResult = `
  select status, stop_reason as "stopReason",
    exists (
      select from read.pageless where project_id = $1 and run_id = $2 and cause = 'frontier_full'
    ) as "isFrontierFull",
    exists (
      select from read.pageless
      where project_id = $1 and run_id = $2 and cause in ('sitemap_failed', 'sitemap_faulty')
    ) and exists (
      select from read.pageless cross join unnest(keys) as sitemap (url_key)
      where project_id = $1 and run_id in ($2, $3) and cause in ('sitemap_read', 'sitemap_failed', 'sitemap_faulty')
      group by sitemap.url_key
      having bool_or(run_id = $3 and cause = 'sitemap_read') and (
        max(sequence) filter (where run_id = $2 and cause = 'sitemap_failed')
          > coalesce(max(sequence) filter (where run_id = $2 and cause = 'sitemap_read'), -1)
        or bool_or(run_id = $2 and cause = 'sitemap_faulty') and not bool_or(run_id = $3 and cause = 'sitemap_faulty'))
    ) as "lacksSitemap",
    stop_reason = 'max_pages' and has_sitemaps and exists (
      select from read.pageless cross join unnest(keys) as sitemap (url_key)
      where project_id = $1 and run_id in ($2, $3) and cause in ('sitemap_read', 'sitemap_failed', 'sitemap_unread')
      group by sitemap.url_key
      having bool_or(run_id = $3 and cause = 'sitemap_read') and case
        when leaves_named is false then false
        else bool_and(run_id = $3)
          or bool_or(run_id = $2 and cause = 'sitemap_unread' and sequence = left_at) end
    ) as "leavesSitemap"
  from read.run cross join lateral (
    select count(*) > 0 as has_sitemaps, max(sequence) filter (where cause = 'sitemap_unread') as left_at,
      max(sequence) filter (where cause = 'sitemap_unread' and cardinality(keys) > 0)
        is not distinct from max(sequence) filter (where cause = 'sitemap_unread') as leaves_named
    from read.pageless
    where project_id = $1 and run_id = $2 and run.stop_reason = 'max_pages'
      and cause in ('sitemap_read', 'sitemap_failed', 'sitemap_unread')
  ) as known
  where project_id = $1 and id = $2`

/** Selects the names by which links refer to pages. */
export const pageNames = `select id, url_key, requested_url from read.page
  where project_id = $1 and id = any($2::bigint[])`

export const shownPages = (hash: DiffHash): string => `
  select page.url, page.${hashColumn[hash]} as hash, page.status
  from unnest($2::bigint[]) with ordinality as shown (id, position) join read.page using (id)
  where page.project_id = $1 order by position`

export const shownLeft = `
  select page.url, shown.cause
  from unnest($2::bigint[], $3::text[]) with ordinality as shown (id, cause, position) join read.page using (id)
  where page.project_id = $1 order by position`

export const shownChanges = (hash: DiffHash, byRules: boolean): string => `
  select before.id as "oldId", after.id as "newId", after.url, ${hashOf('before', hash, byRules)} as old_hash, ${hashOf('after', hash, byRules)} as new_hash,
    before.status as old_status, after.status as new_status
  from unnest($2::bigint[], $3::bigint[]) with ordinality as shown (old_id, new_id, position)
  join read.page before on before.id = old_id join read.page after on after.id = new_id
  where before.project_id = $1 and after.project_id = $1 order by position`

/** Selects a page of a run by the key of its URL. */
export const pageNamed = `select id, url, status from read.page
  where project_id = $1 and run_id = $2 and url_key = $3
    and exists (select from read.run where run.id = $2 and run.project_id = $1)`
