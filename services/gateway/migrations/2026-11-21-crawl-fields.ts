/** A run's own proxy as it may be shown and the trace that it began in, and which pages were challenges. */
import { Migration } from '@mikro-orm/migrations'

export class CrawlFields extends Migration {
  override up(): void {
    this.addSql(`alter table read.run add column proxy_url text, add column trace_id text`)
    this.addSql(`alter table read.page add column blocked boolean not null default false`)
  }
}
