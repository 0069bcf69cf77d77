/** Facts of one page and its links: plain data that keeps none of the page's text in memory. */

export type PageLink = {
  /** The normal form of the target, of any site. */
  href: string
  /** Text of the link, images by their alternative text; white space collapsed, at most 200 characters. */
  anchor: string
  /** The `rel` attribute as written, with white space collapsed; null without one. */
  rel: string | null
  /** Whether `rel` contains `nofollow`. The page's robots meta is not repeated here. */
  nofollow: boolean
}

export type PageMetadata = {
  title: string | null
  description: string | null
  canonical: string | null
  lang: string | null
  /** By name without `og:`; the first of each name. */
  og: Record<string, string>
  /** By name without `twitter:`; the first of each name. */
  twitter: Record<string, string>
  json_ld: object[]
}

export type PageFacts = {
  title: string | null
  description: string | null
  /** Normal form of the first `<link rel=canonical>`. */
  canonical: string | null
  /** Directives of `<meta name=robots>`, in lower case, without duplicates. */
  robotsMeta: string[]
  /** Names in lower case and contents of other `<meta name>`, in the order of the page. */
  metas: [name: string, content: string][]
  lang: string | null
  h1: string[]
  h2: string[]
  h3: string[]
  /** Alternates by language code in lower case. */
  hreflang: Record<string, string>
  /** Where `<meta http-equiv=refresh>` leads; null also when it only reloads the page. */
  refresh: string | null
  links: PageLink[]
  /** The visible text with its white space collapsed: characters (code points) and words. */
  text: { length: number; words: number }
  metadata: PageMetadata
  /** SHA-256, in hexadecimal, of what a reader or a search engine would notice. */
  contentHash: string
  /**
   * 16 hexadecimal digits. Pages with equal content except their links and the numbers of their URLs have the same
   * digits.
   */
  likeness: string
}
