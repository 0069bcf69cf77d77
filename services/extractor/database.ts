/** Schema `content`: bodies, edges and facts of pages. The extractor writes it, and the content store reads it. */
import { archiveTables } from '@tidemark/content/archive'
import { batchTables } from '@tidemark/content/batch-tables'
import { embeddingTables, exportCapColumns, exportTables } from '@tidemark/content/export-tables'
import { objectTables } from '@tidemark/content/object-tables'
import { pictureTables } from '@tidemark/content/pictures'
import { scanTables } from '@tidemark/content/scans/tables'
import { sweepingTables } from '@tidemark/content/sweeping'
import { contentTables, headerTables, revisitTables, timeStampTables } from '@tidemark/content/tables'
import { checkpointTable, checkpointTimes } from '@tidemark/db/checkpoint'
import { defineDatabase } from '@tidemark/db/database'
import { outboxTable } from '@tidemark/db/outbox'

const exportIndexes = {
  export_that_expires: `(expires_at) where state = 'done'`,
  export_by_end: '(ended_at)',
  export_of_deleted_run: `(id) where state = 'deleted'`,
  export_with_upload: '(due_at) where upload is not null',
}

export const database = defineDatabase({
  schema: 'content',
  entities: [],
  migrations: {
    /** The content store defines its own tables; this migration belongs to the service that writes them. */
    First: contentTables,
    /** Sweeping of deleted runs, and archiving of old ones: the store's next tables. */
    Deletions: [...sweepingTables, ...archiveTables, checkpointTable('content')],
    /** Runs whose site is still to be read: from their first event until the policy is recorded. */
    SiteReadings: [
      `
      create table content.site_reading (
        run_id bigint primary key,
        origin text not null,
        trace text,
        delay_ms integer not null,
        respects_robots boolean not null,
        reads_llms boolean not null default true,
        reads_llms_full boolean not null default true,
        attempts integer not null default 0,
        due_at timestamptz,
        finished_at timestamptz
      )`,
      'create index on content.site_reading (due_at)',
    ],
    /** Validators of monitored pages: a column of the content store. */
    Revisits: revisitTables,
    /** Time of the last stored position, by which a recreated stream is recognized. */
    CheckpointTimes: [checkpointTimes('content')],
    /** Bodies in an object store: columns for their rows and object names. */
    ObjectNames: objectTables,
    /** Exports of runs, the outbox of their events, and the header fields of pages. */
    Exports: [...headerTables, ...exportTables, outboxTable('content')],
    /** Indexes for the sweep of exports and the abort of their uploads. */
    ExportSweeps: {
      alone: Object.entries(exportIndexes).flatMap(([index, on]) => [
        `drop index concurrently if exists content.${index}`,
        `create index concurrently ${index} on content.export ${on}`,
      ]),
    },
    /** Screenshots of pages. */
    Pictures: pictureTables,
    /** Batches of scans and their results. */
    Batches: batchTables,
    /** Pages that scans fetched, for later scans of their projects. */
    Scans: scanTables,
    /** Embeddings of unfinished exports: the vectors of texts, and a summary beside each export. */
    ExportEmbeddings: embeddingTables,
    /**
     * Replaces the indexes for the bodies of scans. Many scans share a value: all scans of a site share its facts. A
     * hash index reads all entries of a value to insert another entry.
     */
    ScanIndexes: {
      alone: [
        ['scan_by_body', 'body_hash'],
        ['scan_by_site', 'site_hash'],
      ].flatMap(([index, column]) => [
        `drop index concurrently if exists content.${index}`,
        `create index concurrently ${index} on content.scan (${column})`,
        `drop index concurrently if exists content.scan_${column}_idx`,
      ]),
    },
    /** Headers, cookies, proxy and User-Agent that the client of a run has set, for the requests of the reading. */
    OwnSiteReadings: ['alter table content.site_reading add column own jsonb'],
    /** Evidence of runs with its time-stamp. */
    TimeStamps: timeStampTables,
    /** The caps of exports, which depend on the tier of the project. */
    ExportCaps: exportCapColumns,
  },
})
