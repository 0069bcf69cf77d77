/**
 * Batches of scans, as the statements that create their tables in schema `content`. `url` is a JSON string, because a
 * client may send characters that Postgres does not store. `item` is the result as compressed JSON.
 */

/** Migrations in order. They never change once they have run anywhere. */
export const batchTables: readonly string[] = [
  `create table content.batch (
    id bigint generated always as identity primary key,
    project_id bigint not null,
    terms jsonb not null,
    options jsonb not null,
    webhook_url text,
    idempotency_key text,
    fingerprint text not null,
    trace text,
    created_at timestamptz not null default now(),
    state text not null default 'queued',
    lease uuid,
    due_at timestamptz not null default now(),
    attempts integer not null default 0,
    total integer not null,
    ok integer not null default 0,
    failed integer not null default 0,
    refused integer not null default 0,
    cancelled integer not null default 0,
    bytes bigint not null default 0,
    is_forgotten boolean not null default false,
    started_at timestamptz,
    ended_at timestamptz,
    expires_at timestamptz,
    check (ok + failed + refused + cancelled <= total)
  )`,
  'create index on content.batch (project_id, id)',
  `create index on content.batch (due_at) where state in ('queued', 'running')`,
  `create index on content.batch (expires_at) where state in ('done', 'cancelled')`,
  `create index on content.batch (id) where state = 'deleted'`,
  'create unique index on content.batch (project_id, idempotency_key)',
  `create table content.batch_item (
    batch_id bigint not null references content.batch on delete cascade,
    number integer not null,
    project_id bigint not null,
    url text not null,
    state text not null default 'pending',
    item bytea,
    primary key (batch_id, number)
  )`,
  'alter table content.batch_item alter column item set storage external',
  `create index on content.batch_item (batch_id, number) where state = 'pending'`,
]
