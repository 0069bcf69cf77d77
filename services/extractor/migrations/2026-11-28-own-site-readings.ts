/** Headers, cookies, proxy and User-Agent that the client of a run has set, for the requests of the reading. */
import { Migration } from '@mikro-orm/migrations'

export class OwnSiteReadings extends Migration {
  override up(): void {
    this.addSql('alter table content.site_reading add column own jsonb')
  }
}
