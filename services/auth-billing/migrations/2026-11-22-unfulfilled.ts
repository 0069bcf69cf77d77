/**
 * Of an event of a payment also its session, and why nothing came of it where nothing did; such a one need not be of
 * any intent. And mails that have not left are found among all that have.
 */
import { Migration } from '@mikro-orm/migrations'

export class Unfulfilled extends Migration {
  override up(): void {
    this.addSql(`alter table account.payment_event
      alter column intent_id drop not null, add column session_id text, add column reason text`)
    this.addSql(`create index on account.mail (created_at) where sent_at is null`)
  }
}
