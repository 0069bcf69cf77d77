/** A page of the crawl with everything from which its entry is written. */

export type ListedPage = {
  url: string
  title: string | null
  /** The description that the page states. */
  description: string | null
  siteName: string | null
  /** Names on the path from the home page to this page, as far as the page states them. */
  breadcrumbs: readonly string[]
  /** The main content as Markdown; null if it is not stored or could not be read. */
  main: string | null
  /** The whole page as Markdown, with its menus; only of the first pages. */
  whole?: string | undefined
}
