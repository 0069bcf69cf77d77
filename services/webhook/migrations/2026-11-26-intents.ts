/** Whether a run has an intent, by which its changes are judged, and whether other changes are not sent. */
import { Migration } from '@mikro-orm/migrations'

export class Intents extends Migration {
  override up(): void {
    this.addSql(`
      alter table webhook.run
        add column has_intent boolean not null default false,
        add column only_matching boolean not null default false`)
  }
}
