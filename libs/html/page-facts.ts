/** The facts of one page: plain data that keeps no page text in memory. */

export type PageLink = {
  /** Normal form of the target, on any site. */
  href: string
  /**
   * Text of the link, with alternative texts of images. White space is collapsed, and the length is at most 200
   * characters.
   */
  anchor: string
  /** The `rel` attribute with collapsed white space, or null. */
  rel: string | null
  /** Whether `rel` has `nofollow`. The page's robots meta tag is not considered. */
  nofollow: boolean
}

export type PageMetadata = {
  title: string | null
  description: string | null
  canonical: string | null
  lang: string | null
  /** Open Graph properties by name without `og:`. The first of each name counts. */
  og: Record<string, string>
  /** Twitter card properties by name without `twitter:`. The first of each name counts. */
  twitter: Record<string, string>
  json_ld: object[]
}

export type PageFacts = {
  title: string | null
  description: string | null
  /** Normal form of the first `<link rel=canonical>`. */
  canonical: string | null
  /** Distinct directives of `<meta name=robots>` in lower case. */
  robotsMeta: string[]
  /** Names in lower case and contents of other `<meta name>`, in the order of the page. */
  metas: [name: string, content: string][]
  lang: string | null
  h1: string[]
  h2: string[]
  h3: string[]
  /** Alternates by language code in lower case. */
  hreflang: Record<string, string>
  /** Target of `<meta http-equiv=refresh>`, or null, also if it only reloads the page. */
  refresh: string | null
  links: PageLink[]
  /** Characters (code points) and words of the visible text with collapsed white space. */
  text: { length: number; words: number }
  metadata: PageMetadata
  /** SHA-256, in hexadecimal, of everything that a reader or a search engine notices. */
  contentHash: string
  /**
   * 16 hexadecimal digits. They are equal for pages that differ only in their links and in the numbers of their
   * address.
   */
  likeness: string
}
