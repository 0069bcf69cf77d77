/** Chooses the fields by which changed pages are compared, and reads them from stored metadata. */
import type { DiffField } from '@tidemark/contracts/http/links'
import { metadataOf } from '@tidemark/contracts/http/page-metadata'

export type DiffValue = string | number | string[] | null
export type Described = Partial<Record<DiffField, DiffValue>>

/**
 * Fields that are not stored. They would have to be read from bodies, and a difference of many pages reads no bodies.
 */
const notStored: readonly DiffField[] = ['h1', 'word_count']

/** Fields that only the stored metadata of a page has. */
const inMetadata: readonly DiffField[] = ['description', 'canonical', 'robots']

/** Maximum characters of a text. Longer ones are cut; the page has the whole text. */
const maxCharacters = 1_000
const maxRobots = 20

/** Returns the requested fields that are stored, without duplicates, and a warning for each other one. */
export function fieldsOfDiff(requested = ''): { fields: DiffField[]; warnings: string[] } {
  const named = requested === '' ? [] : ([...new Set(requested.split(','))] as DiffField[])
  return {
    fields: named.filter(field => !notStored.includes(field)),
    warnings: named
      .filter(field => notStored.includes(field))
      .map(field => `${field} is not stored with pages and is left out; GET …/page compares their texts`),
  }
}

/** Returns whether any of the fields needs the stored metadata of the pages. */
export const needMetadata = (fields: readonly DiffField[]): boolean =>
  fields.some(field => inMetadata.includes(field))

/**
 * Returns the values of the fields of a page.
 * @param stored the stored metadata of the page, if any of its fields needs it
 */
export function valuesOf(
  { title, status, depth }: { title: string | null; status: number; depth: number },
  stored: unknown,
  inlinks: number | null,
): Described {
  const { description, canonical, robots } = metadataOf(stored)
  return {
    title: cut(title),
    status,
    depth,
    inlinks,
    description: cut(description),
    canonical: cut(canonical),
    robots: robots.slice(0, maxRobots).map(rule => cut(rule) ?? ''),
  }
}

const cut = (text: string | null): string | null => text?.slice(0, maxCharacters).toWellFormed() ?? null
