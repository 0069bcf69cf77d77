/** The consent of a project that pages are sent to a language model: its host, the key that gave it, and the time. */
import { Migration } from '@mikro-orm/migrations'

export class ModelConsent extends Migration {
  override up(): void {
    this.addSql(`alter table account.project add column model_consent jsonb`)
  }
}
