/** Checks that every page of a run that stores bodies has one, and that every body has a row and its object in S3. */
import { hasTable } from '../../postgres/has-table.ts'
import type { Client } from '../open-instance.ts'
import type { RunHistory } from '../rebuild/run-histories.ts'
import { count, type Findings } from './check.ts'
import type { ObjectFindings } from './objects.ts'

const most = 100

const lost = `
  select run_id, url_key from content.page
  where body_hash is not null and not exists (select from content.body where hash = page.body_hash)
  order by 1, 2 limit ${most}`

const bare = `
  select page.run_id, page.url_key from read.page left join content.page stored using (run_id, url_key)
  where stored.run_id is null or (stored.body_hash is null and page.run_id = any($1))
  order by 1, 2 limit ${most}`

/** Bodies without a page, screenshot or scan, except released ones, which the sweeper deletes. */
const orphans = (more: string) => `
  select encode(hash, 'hex') as hash from content.body
  where not exists (select from content.page where body_hash = body.hash)
    and not exists (select from content.released where hash = body.hash)
    ${more}
  order by 1 limit ${most}`

const ofPicture = 'and not exists (select from content.picture where body_hash = body.hash)'
const ofScan = `and not exists (select from content.scan where body_hash = body.hash)
    and not exists (select from content.scan where site_hash = body.hash)`
const lostScans = `
  select project_id, url_key from content.scan
  where not exists (select from content.body where hash = scan.body_hash)
    or (site_hash is not null and not exists (select from content.body where hash = scan.site_hash))
  order by 1, 2 limit ${most}`
const lostPictures = `
  select run_id, url_key from content.picture
  where not exists (select from content.body where hash = picture.body_hash)
  order by 1, 2 limit ${most}`

export async function checkBodies(
  client: Client,
  histories: ReadonlyMap<number, RunHistory>,
  elsewhere: ObjectFindings,
): Promise<Findings> {
  const { rows: sums } = await client.query<{ bodies: number }>(
    'select count(*)::int as bodies from content.body',
  )
  const hasPictures = await hasTable(client, 'content.picture')
  const hasScans = await hasTable(client, 'content.scan')
  const rowsOf = async (text: string, values: unknown[] = []) => (await client.query(text, values)).rows
  const place = ({ run_id, url_key }: { run_id: number; url_key: string }) => `run ${run_id}, URL ${url_key}`
  return {
    looked: count(sums[0]?.bodies ?? 0, 'body').replace('bodys', 'bodies') + elsewhere.looked,
    wrong: [
      ...(await rowsOf(lost)).map(row => `${place(row)}: its body is missing`),
      ...(hasPictures ? await rowsOf(lostPictures) : []).map(
        row => `${place(row)}: its screenshot is missing`,
      ),
      ...(hasScans ? await rowsOf(lostScans) : []).map(
        ({ project_id, url_key }) =>
          `scan of URL ${url_key} of project ${project_id}: a body of it is missing`,
      ),
      ...(await rowsOf(bare, [keepingBodies(histories)])).map(
        row => `${place(row)}: nothing of it is stored`,
      ),
      ...(await rowsOf(orphans((hasPictures ? ofPicture : '') + (hasScans ? ofScan : '')))).map(
        ({ hash }) => `body ${hash} belongs to no page`,
      ),
      ...elsewhere.wrong,
    ],
  }
}

const keepingBodies = (histories: ReadonlyMap<number, RunHistory>): number[] =>
  [...histories.values()].flatMap(({ runId, run }) =>
    'settings' in run && run.settings.storeHtml ? [runId] : [],
  )
