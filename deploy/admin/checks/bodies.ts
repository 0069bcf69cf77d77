/**
 * Checks that every page of a run that stores bodies has one, that every body has a row and its object in S3, and that
 * every stored page belongs to a run.
 */
import { hasTable } from '../../postgres/has-table.ts'
import type { Client } from '../open-instance.ts'
import type { RunHistory } from '../rebuild/run-histories.ts'
import { count, type Findings } from './check.ts'
import type { ObjectFindings } from './objects.ts'

const maxListed = 100

const lost = `
  select run_id, url_key from content.page
  where body_hash is not null and not exists (select from content.body where hash = page.body_hash)
  order by 1, 2 limit ${maxListed}`

const bare = `
  select page.run_id, page.url_key from read.page left join content.page stored using (run_id, url_key)
  where stored.run_id is null or (stored.body_hash is null and page.run_id = any($1))
  order by 1, 2 limit ${maxListed}`

/** Bodies without a page, screenshot or scan, except released ones, which the sweeper deletes. */
const orphans = (more: string) => `
  select encode(hash, 'hex') as hash from content.body
  where not exists (select from content.page where body_hash = body.hash)
    and not exists (select from content.released where hash = body.hash)
    ${more}
  order by 1 limit ${maxListed}`

const ofPicture = 'and not exists (select from content.picture where body_hash = body.hash)'
const ofScan = `and not exists (select from content.scan where body_hash = body.hash)
    and not exists (select from content.scan where site_hash = body.hash)`
const lostScans = `
  select project_id, url_key from content.scan
  where not exists (select from content.body where hash = scan.body_hash)
    or (site_hash is not null and not exists (select from content.body where hash = scan.site_hash))
  order by 1, 2 limit ${maxListed}`
const lostPictures = `
  select run_id, url_key from content.picture
  where not exists (select from content.body where hash = picture.body_hash)
  order by 1, 2 limit ${maxListed}`

export async function checkBodies(
  client: Client,
  histories: ReadonlyMap<number, RunHistory>,
  objects: ObjectFindings,
): Promise<Findings> {
  const { rows: sums } = await client.query<{ bodies: number }>(
    'select count(*)::int as bodies from content.body',
  )
  const hasPictures = await hasTable(client, 'content.picture')
  const hasScans = await hasTable(client, 'content.scan')
  const rowsOf = async (text: string, values: unknown[] = []) => (await client.query(text, values)).rows
  const pageName = ({ run_id, url_key }: { run_id: number; url_key: string }) =>
    `run ${run_id}, URL ${url_key}`
  return {
    looked: count(sums[0]?.bodies ?? 0, 'body').replace('bodys', 'bodies') + objects.looked,
    wrong: [
      ...(await rowsOf(lost)).map(row => `${pageName(row)}: its body is missing`),
      ...(hasPictures ? await rowsOf(lostPictures) : []).map(
        row => `${pageName(row)}: its screenshot is missing`,
      ),
      ...(hasScans ? await rowsOf(lostScans) : []).map(
        ({ project_id, url_key }) =>
          `scan of URL ${url_key} of project ${project_id}: one of its bodies is missing`,
      ),
      ...(await rowsOf(bare, [keepingBodies(histories)])).map(
        row => `${pageName(row)}: its content is not stored`,
      ),
      ...(await rowsOf(orphans((hasPictures ? ofPicture : '') + (hasScans ? ofScan : '')))).map(
        ({ hash }) => `body ${hash} belongs to no page`,
      ),
      ...objects.wrong,
    ],
  }
}

/** Stored pages by run, without those of deleted runs, which the sweeper removes. */
const storedPages = `
  select run_id, count(*)::int as pages from content.page
  where not exists (select from content.deletion where deletion.run_id = page.run_id)
  group by run_id order by run_id`

/**
 * Returns the runs that have stored pages and no event.
 * @param histories to the end of the stream, because pages may be newer than the rows
 */
export async function checkOwners(
  client: Client,
  histories: ReadonlyMap<number, RunHistory>,
): Promise<string[]> {
  const { rows } = await client.query<{ run_id: number; pages: number }>(storedPages)
  return rows
    .filter(({ run_id }) => !histories.has(Number(run_id)))
    .map(({ run_id, pages }) => `run ${run_id}: ${count(pages, 'stored page')}, but it has no event`)
}

const keepingBodies = (histories: ReadonlyMap<number, RunHistory>): number[] =>
  [...histories.values()].flatMap(({ runId, run }) =>
    'settings' in run && run.settings.storeHtml ? [runId] : [],
  )
