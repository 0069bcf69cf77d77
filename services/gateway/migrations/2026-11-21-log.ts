/** The calls of each project, kept for the time of the setting. */
import { Migration } from '@mikro-orm/migrations'

export class Log extends Migration {
  override up(): void {
    this.addSql(`
      create table read.log (
        project_id bigint not null,
        ts timestamptz not null,
        request_id text not null,
        method text not null,
        path text not null,
        status integer not null,
        duration_ms real not null,
        client_ip text not null,
        primary key (project_id, ts, request_id)
      )`)
    this.addSql(`create index on read.log (ts)`)
  }
}
