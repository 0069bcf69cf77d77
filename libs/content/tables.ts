/**
 * The content store's tables, as statements that create them in schema `content`. A body is stored once for all of its
 * pages, in its original compression. A page names its body in its run and has its links. Postgres is configured not to
 * compress compressed data again.
 */

/** The store's first version, in order. Released statements never change; a change is another list. */
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

/** How a page is known again by a later run, as JSON (`Revisit`); null where it is to be fetched again. */
export const revisitTables: readonly string[] = ['alter table content.page add column revisit text']
