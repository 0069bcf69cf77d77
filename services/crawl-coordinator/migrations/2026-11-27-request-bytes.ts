/** Adds how many bytes of requests each project has started runs with on its latest day. */
import { Migration } from '@mikro-orm/migrations'

export class RequestBytes extends Migration {
  override up(): void {
    this.addSql(`
      create table coordinator.request_bytes (
        project_id bigint primary key,
        day date not null,
        bytes bigint not null
      )`)
  }
}
