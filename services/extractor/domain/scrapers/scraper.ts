/**
 * What a ready-made reader of a site is: data that says which of its paths it reads and where the page of each is
 * fetched, and one pure function from the page to entries.
 */

/** A part of an entry: JSON, as deep as the reader writes it. */
export type Value = string | number | boolean | null | Value[] | { [name: string]: Value }
export type Entry = Record<string, Value>

/** What a client may add to a path. */
export type Param = {
  /** The name in the query that is sent; without it only the reader looks at it. */
  as?: string
  isRequired?: true
  says: string
} & (
  | { is: 'integer'; minimum: number; maximum: number }
  | { is: 'text'; maxLength: number }
  | { is: 'choice'; of: readonly string[] }
)

/** A kind of pages. */
export type Route = {
  /**
   * The path that a client names. `{name}` stands for one segment, or for its end, `{name...}` for all segments that
   * are left; everything else stands for itself.
   */
  path: string
  /** The path at `origin`, with the same names; each segment is percent-encoded. */
  fetch: string
  /** Sent with each. */
  query?: Record<string, string>
  params?: Record<string, Param>
}

/** What was asked: the parts of the path by name, and the parameters that were given. */
export type Asked = Record<string, string | number>

export type SitePage = {
  /** Where it was found. */
  url: string
  text: string
  asked: Asked
}

export type Scraper<Field extends string = string> = {
  /** By which clients name it. */
  domain: string
  /** Where all of its pages lie, whatever path and parameters say: scheme and host. */
  origin: string
  routes: readonly Route[]
  /** What each name in a path may be: an expression for the whole of it, linear in time. */
  names: Record<string, RegExp>
  /** Read where a client names no path; must be one that a route takes. */
  first?: string
  /** Field → what it is. Each entry has all of them, null where the page does not say. */
  dataShape: Record<Field, string>
  /** Null for a page of another shape. Must not throw, whatever the page. */
  read: (page: SitePage) => Record<NoInfer<Field>, Value>[] | null
}

/** The same, held to its own fields. */
export const defineScraper = <Field extends string>(scraper: Scraper<Field>): Scraper => scraper
