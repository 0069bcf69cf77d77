/** Creates the table of deleted runs that are still to be purged, and adds the time of archiving to admissions. */
import { Migration } from '@mikro-orm/migrations'

export class Deletions extends Migration {
  override up(): void {
    this.addSql(`
      create table coordinator.deletion (
        run_id bigint primary key,
        sequence bigint,
        requested_at timestamptz not null default now(),
        purged_at timestamptz,
        due_at timestamptz default now()
      )`)
    this.addSql(`create index on coordinator.deletion (due_at) where due_at is not null`)
    this.addSql(`alter table coordinator.admission add column archived_at timestamptz`)
    this.addSql(`create index on coordinator.admission (released_at) where archived_at is null`)
  }
}
