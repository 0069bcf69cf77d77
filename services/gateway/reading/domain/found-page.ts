/** Types of a page that was read for a waiting client. */

import type { AiBotPolicies } from '@tidemark/contracts/http/content'
import type { Content, ScannedPage } from '@tidemark/contracts/rpc/content'

/** The fields of a page that was not fetched by plain HTTP alone. */
export type CloudParts = Pick<ScannedPage, 'backend' | 'tried' | 'pool' | 'moved' | 'picture'>

/** A scanned page, or a page that a crawl had stored. */
export type Found = {
  url: string
  status: number
  fetchedAt: string
  content: Content
  aiBotPolicy: AiBotPolicies | null
  llmsTxt: string | null
  llmsFullTxt: string | null
  isStored: boolean
} & CloudParts
