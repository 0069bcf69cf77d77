/**
 * The table `content.object`: the names of objects in the object store that no row of `content.body` names. A name is
 * inserted before its object is put. The transaction that stores the body removes the name, and any transaction that
 * deletes the body inserts it again. It is removed for good after its object was removed. Postgres therefore knows
 * every object.
 */

/** Migrations in order. They never change once they have run anywhere. */
export const objectTables: readonly string[] = [
  // If it is set, `data` is empty, and the bytes are in this object.
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
