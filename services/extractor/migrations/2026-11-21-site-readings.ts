/** Runs whose site is still to be read: from their first event until the policy is recorded. */
import { Migration } from '@mikro-orm/migrations'

export class SiteReadings extends Migration {
  override up(): void {
    this.addSql(`
      create table content.site_reading (
        run_id bigint primary key,
        origin text not null,
        trace text,
        delay_ms integer not null,
        respects_robots boolean not null,
        reads_llms boolean not null default true,
        reads_llms_full boolean not null default true,
        attempts integer not null default 0,
        due_at timestamptz,
        finished_at timestamptz
      )`)
    this.addSql('create index on content.site_reading (due_at)')
  }
}
