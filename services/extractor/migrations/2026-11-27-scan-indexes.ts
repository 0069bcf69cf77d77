/**
 * Other indexes for the bodies of scans. Many scans share a value, as all of a site share its facts, and a hash index reads
 * all entries of a value to insert another one.
 */
import { Migration } from '@mikro-orm/migrations'

export class ScanIndexes extends Migration {
  override isTransactional(): boolean {
    return false
  }

  override up(): void {
    for (const [index, column] of [
      ['scan_by_body', 'body_hash'],
      ['scan_by_site', 'site_hash'],
    ]) {
      this.addSql(`drop index concurrently if exists content.${index}`)
      this.addSql(`create index concurrently ${index} on content.scan (${column})`)
      this.addSql(`drop index concurrently if exists content.scan_${column}_idx`)
    }
  }
}
