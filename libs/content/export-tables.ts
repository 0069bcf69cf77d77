/**
 * Exports of runs, as the statements that create their tables in schema `content`. A part is a range of the file of an
 * export. Its bytes are in `data`, or in the bucket of a customer. Postgres does not compress them, so that a slice costs
 * only its own size.
 */

/** Migrations in order. They never change once they have run anywhere. */
export const exportTables: readonly string[] = [
  `create table content.export (
    id bigint generated always as identity primary key,
    project_id bigint not null,
    run_id bigint not null,
    format text not null,
    selection jsonb not null,
    sink jsonb not null,
    credentials text,
    idempotency_key text,
    fingerprint text not null,
    trace text,
    created_at timestamptz not null default now(),
    state text not null default 'queued',
    lease uuid,
    due_at timestamptz not null default now(),
    attempts integer not null default 0,
    failures integer not null default 0,
    highest_part integer not null default 0,
    upload text,
    aborts integer not null default 0,
    is_forgotten boolean not null default false,
    ended_at timestamptz,
    expires_at timestamptz,
    bytes bigint,
    sha256 text,
    records bigint,
    reason text,
    message text
  )`,
  'create index on content.export (project_id, run_id, id)',
  'create index on content.export (run_id)',
  `create index on content.export (due_at) where state in ('queued', 'running')`,
  'create unique index on content.export (project_id, idempotency_key)',
  `create table content.export_part (
    export_id bigint not null references content.export on delete cascade,
    number integer not null,
    project_id bigint not null,
    size integer not null,
    sha256 text not null,
    tag text,
    data bytea,
    primary key (export_id, number)
  )`,
  'alter table content.export_part alter column data set storage external',
]

/** The caps of the project at the time of the request. Null: only the settings apply. */
export const exportCapColumns: readonly string[] = [
  'alter table content.export add column file_cap bigint, add column kept_cap bigint',
]

/**
 * The vectors of an unfinished export by the SHA-256 of their text, as 32-bit numbers in little-endian order. The column
 * `embeddings` counts the calls, texts and tokens of the model so far, for the bill.
 */
export const embeddingTables: readonly string[] = [
  'alter table content.export add column embeddings jsonb',
  `create table content.export_vector (
    export_id bigint not null references content.export on delete cascade,
    text_hash bytea not null,
    vector bytea not null,
    primary key (export_id, text_hash)
  )`,
  'alter table content.export_vector alter column vector set storage external',
]
