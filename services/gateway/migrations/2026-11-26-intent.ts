/** The intent of a monitor's run that has a webhook, and whether its changes match. */
import { Migration } from '@mikro-orm/migrations'

export class Intent extends Migration {
  override up(): void {
    this.addSql('alter table read.run add column intent text, add column judgement jsonb')
  }
}
