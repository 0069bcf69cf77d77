/**
 * The tables of the content store, as the statements that create them in schema `content`. A body is stored once for
 * all its pages, in its original compression. A page names its body in a run and has its links. Postgres does not
 * compress these columns, because their data is compressed already.
 */

/**
 * Migrations of the first version, in order. They never change once they have run anywhere, and a change is another
 * list.
 */
export const contentTables: readonly string[] = [
  `create table content.body (
    hash bytea primary key,
    encodings text not null,
    size integer not null,
    data bytea not null
  )`,
  'alter table content.body alter column data set storage external',
  `create table content.page (
    run_id bigint not null,
    url_key text collate "C" not null,
    body_hash bytea,
    charset text,
    content_type text,
    metadata text not null,
    edges bytea not null,
    primary key (run_id, url_key)
  )`,
  'alter table content.page alter column edges set storage external',
]

/**
 * Header fields of the response, a line `name: value` each, for web archives. Uncompressed, because compressing them
 * costs a crawl more time than writing them. null: not kept, as for pages of earlier versions.
 */
export const headerTables: readonly string[] = ['alter table content.page add column headers text']

/** Validators of a page for later runs, as JSON (`Revisit`). null: fetch the page again. */
export const revisitTables: readonly string[] = ['alter table content.page add column revisit text']

/** Evidence of runs with its time-stamp, and the number of requests for time-stamps. */
export const timeStampTables: readonly string[] = [
  `create table if not exists content.time_stamp (
    run_id bigint not null,
    facts_hash text collate "C" not null,
    signed_text text not null,
    signature text not null,
    gen_time text not null,
    policy text not null,
    serial_number text not null,
    tsa text not null,
    token bytea not null,
    primary key (run_id, facts_hash)
  )`,
  // Requests of a project to the authority on its last day with one. Its runs do not own it: deleting them frees nothing.
  `create table if not exists content.time_stamp_requests (
    project_id bigint primary key,
    day date not null,
    requests integer not null
  )`,
]
