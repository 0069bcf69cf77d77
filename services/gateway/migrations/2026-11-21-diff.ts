/**
 * URLs without a page that a run has judged, by reason, and the difference of a monitor's run from the previous one.
 */
import { Migration } from '@mikro-orm/migrations'

export class Diff extends Migration {
  override up(): void {
    this.addSql(`
      create table read.pageless (
        run_id bigint not null,
        project_id bigint not null,
        sequence bigint not null,
        cause text collate "C" not null,
        keys text[] not null,
        primary key (run_id, sequence, cause)
      )`)
    this.addSql(`alter table read.run add column diff jsonb`)
    this.addSql(`
      create index on read.run (id)
      where previous_run_id is not null and diff is null and status = 'done'`)
  }
}
