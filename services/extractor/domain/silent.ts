/** Facts of a body that is not a page. */
import type { PageMetadata } from '@tidemark/html/page-facts'

export const silent: PageMetadata & { robots: string[] } = {
  title: null,
  description: null,
  canonical: null,
  lang: null,
  robots: [],
  og: {},
  twitter: {},
  json_ld: [],
}
