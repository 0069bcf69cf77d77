/** The rules of comparison of a run, and the hash of a page by them. */
import { Migration } from '@mikro-orm/migrations'

export class Comparison extends Migration {
  override up(): void {
    this.addSql(`alter table read.run add column comparison jsonb, add column min_changed_words integer`)
    this.addSql(`alter table read.page add column comparison_hash text`)
  }
}
