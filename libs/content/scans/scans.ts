/**
 * Stores and reads pages that scans of a project fetched, for later scans of the same project. The newest one of an
 * address and its means is kept. Bodies are stored as those of crawled pages: once by their hash, in rows or objects.
 */
import type { Pool } from 'pg'
import { bytesArray, textArray } from '../binary-array.ts'
import type { Body } from '../body.ts'
import { storeInObjects } from '../in-objects.ts'
import {
  bodiesStored,
  distinctBodies,
  type NamedBody,
  namedBodies,
  type Statement,
  storedBodies,
} from '../statements.ts'
import { type Encoded, type ObjectBodies, readEncoded } from '../store.ts'

export type StoredScan = {
  projectId: number
  urlKey: string
  /** Hash or name of the other request parameters that influence the response. */
  means: string
  tier: string
  /** URL of the page, after all redirects. */
  url: string
  status: number
  fetchedAt: Date
  contentType: string | null
  /** JSON text. */
  headers: string
  body: Body
  /** Facts about the site as a body of JSON; null: unknown. */
  site: Body | null
}

export type ScanContent = Pick<StoredScan, 'url' | 'status' | 'fetchedAt' | 'contentType' | 'headers'> & {
  body: Encoded
  site: Encoded | null
}

type OfAddress = Pick<StoredScan, 'projectId' | 'urlKey'>

export type Scans = {
  /** Stores scans that are newer than the stored ones. Rejects like `Content.storePages`. */
  store(scans: readonly StoredScan[]): Promise<void>
  /** Returns the scan if it is newer than this time, else null. Also rejects with `BodiesAway`. */
  read(wanted: OfAddress & Pick<StoredScan, 'means'>, newerThan: Date): Promise<ScanContent | null>
  /** Deletes the scans of an address until now, also those that are not written yet. Returns their number. */
  remove(address: OfAddress, now: Date): Promise<number>
  /** Deletes some scans of a project. Returns their number; 0: none is left. */
  removeSome(projectId: number, now: Date): Promise<number>
}

type Client = Pick<Pool, 'query'>

export function openScans(pool: Client, objectBodies?: ObjectBodies): Scans {
  const storeExternally =
    objectBodies?.transaction &&
    storeInObjects({ pool, transaction: objectBodies.transaction, objects: objectBodies.objects }, kind)
  return {
    async store(scans) {
      if (storeExternally) await storeExternally(scans)
      else if (scans.length > 0) await pool.query(storeScans(newestOfEach(scans)))
    },

    async read({ projectId, urlKey, means }, newerThan) {
      const { rows } = await pool.query<Row>({
        name: 'read-scan',
        text: reading,
        values: [projectId, urlKey, means, newerThan],
      })
      const [row] = rows
      if (row === undefined) return null
      const [body, site] = await Promise.all([
        readEncoded(pool, row.body_hash, objectBodies),
        row.site_hash && readEncoded(pool, row.site_hash, objectBodies),
      ])
      // The row was replaced or deleted meanwhile.
      if (body === null) return null
      const { url, status, fetched_at: fetchedAt, content_type: contentType, headers } = row
      return { url, status, fetchedAt, contentType, headers, body, site }
    },

    async remove({ projectId, urlKey }, now) {
      await pool.query(recordDeletion, [projectId, urlKey, now])
      const { rowCount } = await pool.query(
        'delete from content.scan where project_id = $1 and url_key = $2',
        [projectId, urlKey],
      )
      return rowCount ?? 0
    },

    async removeSome(projectId, now) {
      await pool.query(recordDeletion, [projectId, everyKey, new Date(now.getTime() + underWayMs)])
      const { rowCount } = await pool.query(
        `delete from content.scan where (project_id, url_key, means) in (
           select project_id, url_key, means from content.scan where project_id = $1
           limit ${scansAtOnce} for update)`,
        [projectId],
      )
      return rowCount ?? 0
    },
  }
}

/** Key of a deletion of all addresses. */
const everyKey = ''
/** Milliseconds by which a deletion of all scans also covers later ones: scans in progress end within this time. */
const underWayMs = 10 * 60_000
const scansAtOnce = 500

type Row = {
  url: string
  status: number
  fetched_at: Date
  content_type: string | null
  headers: string
  body_hash: Buffer
  site_hash: Buffer | null
}

const reading = `
  select url, status, fetched_at, content_type, headers, body_hash, site_hash from content.scan
  where project_id = $1 and url_key = $2 and means = $3 and fetched_at > $4
    and not exists (select from content.scan_deletion as deletion
      where deletion.project_id = $1 and deletion.url_key in ($2, '${everyKey}')
        and deletion.deleted_at >= scan.fetched_at)`

const recordDeletion = `
  insert into content.scan_deletion (project_id, url_key, deleted_at) values ($1, $2, $3)
  on conflict (project_id, url_key) do update
    set deleted_at = greatest(scan_deletion.deleted_at, excluded.deleted_at)`

/** Returns the newest scan of each row in the order of their keys, as `latestOfEach` for pages. */
function newestOfEach(scans: readonly StoredScan[]): StoredScan[] {
  const newest = new Map<string, StoredScan>()
  for (const scan of scans) {
    const key = `${scan.projectId}:${scan.urlKey}:${scan.means}`
    const other = newest.get(key)
    if (other === undefined || other.fetchedAt <= scan.fetchedAt) newest.set(key, scan)
  }
  return [...newest.values()].sort(
    (a, b) =>
      a.projectId - b.projectId ||
      Buffer.compare(Buffer.from(a.urlKey), Buffer.from(b.urlKey)) ||
      Buffer.compare(Buffer.from(a.means), Buffer.from(b.means)),
  )
}

const bodiesOf = (scans: readonly StoredScan[]): Body[] =>
  distinctBodies(scans.flatMap(({ body, site }) => [{ body }, { body: site }]))

function storeScans(scans: readonly StoredScan[], inObjects?: readonly NamedBody[]): Statement {
  const { last, values } = inObjects ? namedBodies(inObjects) : storedBodies(bodiesOf(scans))
  return {
    name: `store scans with bodies as ${last}`,
    text: texts[last],
    values: [
      ...values,
      scans.map(({ projectId }) => projectId),
      textArray(scans.map(({ urlKey }) => urlKey)),
      textArray(scans.map(({ means }) => means)),
      textArray(scans.map(({ tier }) => tier)),
      textArray(scans.map(({ url }) => url)),
      scans.map(({ status }) => status),
      textArray(scans.map(({ fetchedAt }) => fetchedAt.toISOString())),
      textArray(scans.map(({ contentType }) => contentType)),
      textArray(scans.map(({ headers }) => headers)),
      bytesArray(scans.map(({ body }) => body.hash)),
      bytesArray(scans.map(({ site }) => site?.hash ?? null)),
    ],
  }
}

/** Bodies of scans that are not stored, because a newer one is, are released. */
const storing = (last: 'data' | 'object') => `${bodiesStored(last)},
  sent as (
    select project_id, url_key, means, tier, url, status, fetched_at::timestamptz, content_type, headers, body_hash, site_hash
    from unnest($5::bigint[], $6::text[], $7::text[], $8::text[], $9::text[], $10::int[], $11::text[], $12::text[],
      $13::text[], $14::bytea[], $15::bytea[])
      as sent (project_id, url_key, means, tier, url, status, fetched_at, content_type, headers, body_hash, site_hash)
  ),
  stored as (
    insert into content.scan
      (project_id, url_key, means, tier, url, status, fetched_at, content_type, headers, body_hash, site_hash)
    select * from sent
    on conflict (project_id, url_key, means) do update set
      tier = excluded.tier, url = excluded.url, status = excluded.status, fetched_at = excluded.fetched_at,
      content_type = excluded.content_type, headers = excluded.headers, body_hash = excluded.body_hash,
      site_hash = excluded.site_hash
    where excluded.fetched_at >= scan.fetched_at
    returning project_id, url_key, means
  )
  insert into content.released (hash)
  select distinct hash from sent cross join unnest(array[body_hash, site_hash]) as hash
  where hash is not null and (project_id, url_key, means) not in (select project_id, url_key, means from stored)
  order by hash
  on conflict do nothing`

const texts = { data: storing('data'), object: storing('object') }

const kind = { latestOfEach: newestOfEach, bodiesOf, statement: storeScans }

/** Days that a tier keeps scans; null: forever. */
export type ScanRetention = { [tier: string]: number | null }

/** Days after which no request can use a scan: the maximum of `max_age_seconds`. */
const maxDays = 365
/** Exceeds the time from the fetch of a scan to its row. */
const deletionLifetime = '1 hour'

/** Deletes scans at the end of their retention, and those that were written after their deletion. */
export async function sweepScans(pool: Client, retention: ScanRetention, signal: AbortSignal): Promise<void> {
  for (const [tier, days] of Object.entries(retention)) {
    const values = [tier, Math.min(days ?? maxDays, maxDays)]
    while (!signal.aborted && (await pool.query(expire, values)).rowCount === scansAtOnce);
  }
  for (const text of [removeDeleted, removeOfProjects, removeDeletions])
    if (!signal.aborted) await pool.query(text)
}

const expire = `
  delete from content.scan where (project_id, url_key, means) in (
    select project_id, url_key, means from content.scan
    where tier = $1 and fetched_at <= now() - make_interval(days => $2)
    limit ${scansAtOnce} for update skip locked)`

const removeDeleted = `
  delete from content.scan using content.scan_deletion as deletion
  where deletion.project_id = scan.project_id and deletion.url_key = scan.url_key
    and scan.fetched_at <= deletion.deleted_at`

const removeOfProjects = `
  delete from content.scan using content.scan_deletion as deletion
  where deletion.project_id = scan.project_id and deletion.url_key = '${everyKey}'
    and scan.fetched_at <= deletion.deleted_at`

const removeDeletions = `
  delete from content.scan_deletion where deleted_at < now() - interval '${deletionLifetime}'`
