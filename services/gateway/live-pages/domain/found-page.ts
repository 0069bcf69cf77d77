/** Types of a page that was read for a waiting client. */
import type { ScannedPage } from '@tidemark/contracts/rpc/content'

/** The fields of a page that was not fetched by plain HTTP alone. */
export type CloudParts = Pick<ScannedPage, 'backend' | 'tried' | 'pool' | 'moved' | 'picture'>

/** A scanned page, or a page that a crawl had stored. */
export type Found = Omit<ScannedPage, 'costUsd'> & { isStored: boolean }
