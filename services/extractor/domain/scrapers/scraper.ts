/** A scraper of a site: data about its paths and their URLs, and one pure function from the page to entries. */

/** A value of an entry: JSON of any depth. */
export type Value = string | number | boolean | null | Value[] | { [name: string]: Value }
export type Entry = Record<string, Value>

/** A parameter that a client may add to a path. */
export type Param = {
  /** Name of the query parameter that is sent to the site. Absent: it is not sent, and only `read` uses the value. */
  as?: string
  isRequired?: true
  description: string
} & (
  | { type: 'integer'; minimum: number; maximum: number }
  | { type: 'text'; maxLength: number }
  | { type: 'choice'; of: readonly string[] }
)

/** A kind of page: the path that a client requests, and the URL that is fetched for it. */
export type Route = {
  /**
   * The path that a client names. `{name}` stands for a segment or its end, `{name...}` for all remaining segments; all
   * other characters are literal.
   */
  path: string
  /** The path that is fetched from `origin`, with the same names; each segment is percent-encoded. */
  fetch: string
  /** Query parameters of every request. */
  query?: Record<string, string>
  params?: Record<string, Param>
}

/** The request: the parts of the path by name, and the given parameters. */
export type Inputs = Record<string, string | number>

export type SitePage = {
  /** The final URL. */
  url: string
  text: string
  inputs: Inputs
}

export type Scraper<Field extends string = string> = {
  /** The name of the scraper for clients. */
  domain: string
  /** Scheme and host of all its pages, whatever the path and parameters. */
  origin: string
  routes: readonly Route[]
  /** A regular expression for each name in a path, which matches the whole value in linear time. */
  names: Record<string, RegExp>
  /** Default path; a route must accept it. */
  first?: string
  /** Field → description. Each entry has all fields, null if the page lacks the value. */
  dataShape: Record<Field, string>
  /** Returns null for a page with another structure. Must not throw for any page. */
  read: (page: SitePage) => Record<NoInfer<Field>, Value>[] | null
}

/** Returns the scraper, typed by its own fields. */
export const defineScraper = <Field extends string>(scraper: Scraper<Field>): Scraper => scraper
