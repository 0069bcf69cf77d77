/** The connections, settings and threads that the parts of the extractor share. Each part picks those that it uses. */
import type { Bulky } from '@tidemark/bus/bulky'
import type { Bus } from '@tidemark/bus/connection'
import type { Scans } from '@tidemark/content/scans/scans'
import type { Content, ObjectBodies } from '@tidemark/content/store'
import type { Database } from '@tidemark/db/database'
import type { ContentThread } from '../adapters/content-thread.ts'
import type { FetchPage } from '../adapters/fetch-now.ts'
import type { LargePages } from '../adapters/large-pages.ts'
import type { Model } from '../adapters/model.ts'
import type { PdfThread } from '../adapters/pdf-thread.ts'
import type { ScanRecorder } from '../adapters/scan-recorder.ts'
import type { StoredPages } from '../adapters/stored-pages.ts'
import type { Scrapers } from '../domain/scrapers/order.ts'
import type { ReadSiteFile } from '../handlers/site-files.ts'
import type { ReadSitePolicy } from '../handlers/site-policy.ts'
import type { Settings } from '../settings.ts'

export type ExtractorParts = {
  settings: Settings
  bus: Bus
  bulky: Bulky
  db: Pick<Database, 'pool' | 'transaction'>
  store: Content
  /** The pages of earlier runs, for forks. */
  storedPages: StoredPages
  largePages: LargePages
  /** Undefined: all bodies are in Postgres. */
  objectBodies: ObjectBodies | undefined
  scans: Scans
  /** Null: scans are neither stored nor reused. */
  recorder: ScanRecorder | null
  fetchPage: FetchPage
  readSiteFile: ReadSiteFile
  sitePolicy: ReadSitePolicy
  thread: ContentThread
  model: Model | null
  pdfs: PdfThread
  scrapers: Scrapers
  signal: AbortSignal
  report: (error: unknown) => void
}
