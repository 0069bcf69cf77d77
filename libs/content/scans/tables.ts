/**
 * Pages that scans fetched, as the statements that create their tables in schema `content`. A project has one row for
 * an address and the means of its fetch. The body, and the facts about the site (`site_hash`), are bodies by their
 * hash, which live as long as a row has them.
 */

/** Migrations in order. They never change once they have run anywhere. */
export const scanTables: readonly string[] = [
  `create table content.scan (
    project_id bigint not null,
    url_key text collate "C" not null,
    means text collate "C" not null,
    tier text not null,
    url text not null,
    status integer not null,
    fetched_at timestamptz not null,
    content_type text,
    headers text not null,
    body_hash bytea not null,
    site_hash bytea,
    primary key (project_id, url_key, means)
  )`,
  'create index on content.scan (tier, fetched_at)',
  'create index on content.scan using hash (body_hash)',
  'create index on content.scan using hash (site_hash)',
  // A scan that was fetched before its deletion may be written after it. An empty key means all addresses.
  `create table content.scan_deletion (
    project_id bigint not null,
    url_key text collate "C" not null,
    deleted_at timestamptz not null,
    primary key (project_id, url_key)
  )`,
  `create function content.release_scan() returns trigger language plpgsql as $$
    begin
      insert into content.released (hash)
      select distinct hash from unnest(array[old.body_hash, old.site_hash]) as hash
      where hash is not null order by hash
      on conflict do nothing;
      return null;
    end
  $$`,
  `create trigger release_bodies after update on content.scan for each row
    when (old.body_hash is distinct from new.body_hash or old.site_hash is distinct from new.site_hash)
    execute function content.release_scan()`,
  `create trigger release_deleted_bodies after delete on content.scan for each row
    execute function content.release_scan()`,
]
