/**
 * Postgres' knowledge of objects, so that no unknown object ever exists. The row of an external body names its object,
 * and every other issued name is in `content.object`. A name is written there before its object is put, and removed
 * when a body gets it, in one transaction with that body. It returns in the transaction that deletes the body, and is
 * removed for good after its object is deleted.
 */

/** In order; what has run anywhere is never changed. */
export const objectTables: readonly string[] = [
  // If it is set, `data` is empty, and the bytes are in the object of this name.
  'alter table content.body add column object text collate "C"',
  `alter table content.body alter column data set default ''`,
  `create table content.object (
    name text collate "C" primary key,
    sweep_at timestamptz not null,
    doomed boolean not null default false
  )`,
  'create index on content.object (sweep_at)',
  `create function content.release_object() returns trigger language plpgsql as $$
    begin
      insert into content.object (name, sweep_at) values (old.object, now())
      on conflict (name) do update set sweep_at = excluded.sweep_at;
      return null;
    end
  $$`,
  `create trigger release_object after delete on content.body for each row
    when (old.object is not null) execute function content.release_object()`,
]
