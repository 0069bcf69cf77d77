/** A page as it was read for a waiting client. */

import type { AiBotPolicies } from '@tidemark/contracts/http/content'
import type { Content, ScannedPage } from '@tidemark/contracts/rpc/content'

/** How a page was read beyond plain HTTP. */
export type CloudParts = Pick<ScannedPage, 'backend' | 'tried' | 'pool' | 'moved' | 'picture'>

/** A page that was scanned, or one that a crawl had stored. */
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
