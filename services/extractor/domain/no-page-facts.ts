/** Facts of a body that is not a page. */
import { metadataOf } from '@tidemark/contracts/http/page-metadata'
import type { PageMetadata } from '@tidemark/html/page-facts'

export const noPageFacts: PageMetadata & { robots: string[] } = {
  ...metadataOf(null),
  json_ld: [],
}
