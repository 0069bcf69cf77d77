/** Pages that stand beside a scraper, written by us in the shape of its site, and what is read in each. */
import type { Entry } from './scraper.ts'

export type SavedPage = {
  path: string | null
  params?: Record<string, unknown>
  /** What is fetched for it. */
  url: string
  page: string
  /** Fields that are left out are null. */
  data: Entry[]
}

export type Saved = {
  /** Has all that the site ever shows. */
  full: SavedPage
  /** Lacks what pages may lack. */
  partial: SavedPage
  more?: SavedPage[]
  /** Another page of the site, or its error. */
  other: string
  /** Paths that no route takes. */
  refused: string[]
}
