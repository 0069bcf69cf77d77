/** Schema `content`: bodies, edges and facts of pages. The extractor writes it, and the content store reads it. */
import { defineDatabase } from '@tidemark/db/database'
import { Deletions } from './migrations/2026-11-21-deletions.ts'
import { First } from './migrations/2026-11-21-first.ts'
import { Revisits } from './migrations/2026-11-21-revisits.ts'
import { SiteReadings } from './migrations/2026-11-21-site-readings.ts'
import { CheckpointTimes } from './migrations/2026-11-22-checkpoint-times.ts'
import { ObjectNames } from './migrations/2026-11-22-objects.ts'
import { ExportSweeps } from './migrations/2026-11-25-export-sweeps.ts'
import { Exports } from './migrations/2026-11-25-exports.ts'
import { Pictures } from './migrations/2026-11-25-pictures.ts'
import { Batches } from './migrations/2026-11-26-batches.ts'
import { ExportEmbeddings } from './migrations/2026-11-26-export-embeddings.ts'
import { Scans } from './migrations/2026-11-26-scans.ts'
import { ScanIndexes } from './migrations/2026-11-27-scan-indexes.ts'
import { ExportCaps } from './migrations/2026-11-28-export-caps.ts'
import { OwnSiteReadings } from './migrations/2026-11-28-own-site-readings.ts'
import { TimeStamps } from './migrations/2026-11-28-time-stamps.ts'

export const database = defineDatabase({
  schema: 'content',
  entities: [],
  migrations: {
    ...{
      First,
      Deletions,
      SiteReadings,
      Revisits,
      CheckpointTimes,
      ObjectNames,
      Exports,
      ExportSweeps,
      Pictures,
      Batches,
      Scans,
      ExportEmbeddings,
      ScanIndexes,
      OwnSiteReadings,
      TimeStamps,
      ExportCaps,
    },
  },
})
