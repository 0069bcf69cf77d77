/** The result of a run's webhook. */
import { Migration } from '@mikro-orm/migrations'

export class RunWebhook extends Migration {
  override up(): void {
    this.addSql(`
      alter table read.run
        add column webhook_status text,
        add column webhook_attempts integer not null default 0,
        add column webhook_last_error text`)
  }
}
