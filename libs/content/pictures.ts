/**
 * Screenshots of pages. Their bytes are bodies, stored once by their hash, and always in their rows. A picture is
 * deleted with its run, and its bytes with the last page or picture that has them.
 */
import type { Pool } from 'pg'

/** Migrations in order. They never change once they have run anywhere. */
export const pictureTables: readonly string[] = [
  `create table content.picture (
    run_id bigint not null,
    url_key text collate "C" not null,
    body_hash bytea not null,
    primary key (run_id, url_key)
  )`,
  'create index on content.picture using hash (body_hash)',
  `create trigger release_body after update on content.picture for each row
    when (old.body_hash is distinct from new.body_hash) execute function content.release_body()`,
  `create trigger release_deleted_body after delete on content.picture for each row
    execute function content.release_body()`,
]

export type StoredPicture = {
  runId: number
  urlKey: string
  /** SHA-256 of the PNG. */
  hash: Buffer
  data: Buffer
}

/** Stores each picture, or replaces it. Repeating the call changes nothing. Rejects with the errors of `pg`. */
export async function storePictures(
  client: Pick<Pool, 'query'>,
  pictures: readonly StoredPicture[],
): Promise<void> {
  for (const { runId, urlKey, hash, data } of pictures)
    await client.query(storePicture, [hash, data.byteLength, data, runId, urlKey])
}

const storePicture = `
  with kept as (
    insert into content.body (hash, encodings, size, data) values ($1, '', $2, $3)
    on conflict (hash) do nothing
  )
  insert into content.picture (run_id, url_key, body_hash) values ($4, $5, $1)
  on conflict (run_id, url_key) do update set body_hash = excluded.body_hash`
