/** Adds columns for the outcome of a tick (reason, status of its run), and for ticks that clients request. */
import { Migration } from '@mikro-orm/migrations'

export class TickEnds extends Migration {
  override up(): void {
    this.addSql(`
      alter table scheduler.monitor
        add column last_status text,
        add column consecutive_failures integer not null default 0`)
    this.addSql(`
      alter table scheduler.tick
        add column asked boolean not null default false,
        add column asked_key text,
        add column reason text,
        add column run_status text,
        add column look_at timestamptz`)
    // The ends of earlier runs are found by the same checks as those of new ones.
    this.addSql(`update scheduler.tick set look_at = '-infinity' where run_id is not null`)
    this.addSql(`create index tick_to_look_at on scheduler.tick (look_at) where look_at is not null`)
    this.addSql(`
      create unique index tick_being_asked on scheduler.tick (monitor_id) where asked and outcome is null`)
  }
}
