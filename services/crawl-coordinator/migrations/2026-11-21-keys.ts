/** Adds indexes to find keys by run and by age, and marks purged runs as archived. */
import { Migration } from '@mikro-orm/migrations'

export class Keys extends Migration {
  override up(): void {
    this.addSql(`create index on coordinator.idempotency_key (run_id)`)
    this.addSql(`create index on coordinator.idempotency_key (created_at)`)
    this.addSql(`
      update coordinator.admission set archived_at = deletion.purged_at
      from coordinator.deletion
      where deletion.run_id = admission.run_id and purged_at is not null and archived_at is null`)
  }
}
