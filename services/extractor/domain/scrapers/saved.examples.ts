/** Pages for the tests of a scraper, written by us in the shape of its site, with their expected entries. */
import type { Entry } from './scraper.ts'

export type SavedPage = {
  path: string | null
  params?: Record<string, unknown>
  /** The fetched URL. */
  url: string
  page: string
  /** Absent fields are null. */
  data: Entry[]
}

export type Saved = {
  /** Contains all that the site ever shows. */
  full: SavedPage
  /** Lacks the optional parts. */
  partial: SavedPage
  more?: SavedPage[]
  /** Another page of the site, or its error. */
  other: string
  /** Paths that no route matches. */
  refused: string[]
}
