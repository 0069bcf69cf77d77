/**
 * What Postgres knows of objects, so that none is ever there of which it knows nothing: a body that lies elsewhere names its
 * object in its row, and every other name that was given stands in `content.object`. A name is written there before its object is put, and
 * goes from there when a body has it, in one transaction with that body; it comes back in the transaction that deletes
 * the body, whoever deletes it; and it goes for good after the object has gone.
 */

/** In order; what has run anywhere is never changed. */
export const objectTables: readonly string[] = [
  // Where it is set, the bytes of `data` are none, and lie there.
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
