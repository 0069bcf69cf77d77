/** Adds the time zone of a monitor's schedule. */
import { Migration } from '@mikro-orm/migrations'

export class TimeZones extends Migration {
  override up(): void {
    this.addSql(`alter table scheduler.monitor add column timezone text not null default 'UTC'`)
  }
}
