/** The read model's tables: runs, their pages, projects and keys. */
import { Migration } from '@mikro-orm/migrations'
import { checkpointTable } from '@tidemark/db/checkpoint'

export class First extends Migration {
  override up(): void {
    this.addSql(`
      create table read.run (
        id bigint primary key,
        project_id bigint not null,
        url text not null,
        status text not null,
        page_count integer not null default 0,
        error_count integer not null default 0,
        enqueued_at timestamptz not null,
        started_at timestamptz,
        finished_at timestamptz,
        error_message text,
        stop_reason text,
        discovered integer,
        skipped integer,
        duplicate integer,
        not_reached integer,
        pending integer
      )`)
    this.addSql(`create index run_of_project on read.run (project_id, id)`)
    this.addSql(`
      create table read.page (
        id bigint primary key,
        run_id bigint not null,
        project_id bigint not null,
        url_key text collate "C" not null,
        url text not null,
        requested_url text,
        status integer not null,
        bytes bigint not null,
        depth integer not null,
        fetched_at timestamptz not null,
        content_type text,
        title text,
        content_hash text collate "C" not null,
        raw_hash text collate "C" not null,
        unique (run_id, url_key)
      )`)
    this.addSql(`create index page_of_run on read.page (run_id, id)`)
    this.addSql(`
      create table read.project (
        id bigint primary key,
        name text not null,
        tier text not null,
        unlimited boolean not null
      )`)
    this.addSql(`
      create table read.key (
        prefix text collate "C" primary key,
        hash text not null,
        project_id bigint not null,
        label text not null,
        created_at timestamptz not null,
        expires_at timestamptz,
        revoked_at timestamptz
      )`)
    this.addSql(checkpointTable('read'))
  }
}
