/**
 * The extractor of a simulated process: it consumes, reads and batches pages and publishes their outcomes with its own
 * wiring. The content store is in memory, and no page needs a thread.
 */
import type { Bus } from '@tidemark/bus/connection'
import type { Content } from '@tidemark/content/store'
import type { Database } from '@tidemark/db/database'
import type { StoredPages } from '../../../services/extractor/adapters/stored-pages.ts'
import type { Settings } from '../../../services/extractor/settings.ts'
import { consumePages } from '../../../services/extractor/wiring/consume-pages.ts'
import { Violation } from '../world.ts'

type Ports = {
  bus: Bus
  db: Pick<Database, 'pool' | 'transaction'>
  store: Pick<Content, 'storePages'>
  storedPages: StoredPages
  signal: AbortSignal
  report: (error: unknown) => void
}

const settings = {
  EXTRACT_MESSAGES: 16,
  MAX_DECODED_BYTES: 1024 ** 2,
  ROBOTS_TOKEN: 'tidemark',
} as unknown as Settings

const largePages = {
  read: () => Promise.reject(new Violation('A simulated page is so large that it needs a thread')),
  [Symbol.asyncDispose]: async () => {},
}

/** Extracts until its process ends. */
export function extractor({ store, ...around }: Ports): Promise<void> {
  return consumePages({ ...around, settings, store: store as Content, largePages, pdfs: null })
}
