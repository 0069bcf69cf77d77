/** Counts the results of a project that cost nothing, by day, for their limit. The ledger lists only some of them. */
import { Migration } from '@mikro-orm/migrations'

export class FreeResults extends Migration {
  override up(): void {
    this.addSql(`
      create table ledger.free_result (
        project_id bigint not null,
        day date not null,
        pages bigint not null default 0,
        cloud_pages bigint not null default 0,
        primary key (project_id, day)
      ) with (fillfactor = 50)`)
  }
}
