/** Adds how often a run was reopened, and until when an earlier end does not release the slot of the reopened run. */
import { Migration } from '@mikro-orm/migrations'

export class Reopenings extends Migration {
  override up(): void {
    this.addSql(`
      alter table coordinator.admission
        add column reopenings integer not null default 0,
        add column reserved_until timestamptz`)
  }
}
