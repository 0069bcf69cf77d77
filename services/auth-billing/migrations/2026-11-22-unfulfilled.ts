/**
 * Adds the session of a payment event, and the reason when it created no project. Such an event may have no intent. An
 * index finds unsent mails among the sent ones.
 */
import { Migration } from '@mikro-orm/migrations'

export class Unfulfilled extends Migration {
  override up(): void {
    this.addSql(`alter table account.payment_event
      alter column intent_id drop not null, add column session_id text, add column reason text`)
    this.addSql(`create index on account.mail (created_at) where sent_at is null`)
  }
}
