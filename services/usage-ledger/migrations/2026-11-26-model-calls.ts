/** The language model and its tokens, for rows of calls of a model. */
import { Migration } from '@mikro-orm/migrations'

export class ModelCalls extends Migration {
  override up(): void {
    this.addSql(`
      alter table ledger.unit
        add column model text,
        add column input_tokens bigint,
        add column output_tokens bigint`)
  }
}
