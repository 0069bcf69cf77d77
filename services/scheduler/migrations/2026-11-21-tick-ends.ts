/** What became of ticks: why one was skipped, how its run ended, and those that somebody asked for. */
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
    // How the runs of before ended is found out like that of all others.
    this.addSql(`update scheduler.tick set look_at = '-infinity' where run_id is not null`)
    this.addSql(`create index tick_to_look_at on scheduler.tick (look_at) where look_at is not null`)
    this.addSql(`
      create unique index tick_being_asked on scheduler.tick (monitor_id) where asked and outcome is null`)
  }
}
