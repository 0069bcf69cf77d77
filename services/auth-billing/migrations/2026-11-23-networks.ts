/**
 * Adds the IPv6 /48 of an attempt to sign up, as a keyed hash, and its intent: unpaid ones are counted separately from
 * successful signups.
 */
import { Migration } from '@mikro-orm/migrations'

export class Networks extends Migration {
  override isTransactional(): boolean {
    return false
  }

  override up(): void {
    this.addSql(`alter table account.signup_attempt
      add column if not exists network_hash text, add column if not exists intent_id bigint`)
    for (const [index, on] of Object.entries(indexes)) {
      this.addSql(`drop index concurrently if exists account.${index}`)
      this.addSql(`create index concurrently ${index} on account.signup_attempt ${on}`)
    }
  }
}

const indexes = {
  signup_attempt_of_network: '(network_hash, at) where network_hash is not null',
  signup_attempt_of_intent: '(intent_id) where intent_id is not null',
}
