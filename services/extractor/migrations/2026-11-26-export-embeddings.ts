/** Embeddings of unfinished exports: the vectors of texts, and a summary beside each export. */
import { Migration } from '@mikro-orm/migrations'
import { embeddingTables } from '@tidemark/content/export-tables'

export class ExportEmbeddings extends Migration {
  override up(): void {
    for (const statement of embeddingTables) this.addSql(statement)
  }
}
