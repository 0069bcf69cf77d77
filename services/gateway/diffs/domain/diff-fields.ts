/** The fields by which changed pages can be compared, and their stored forms. */
import type { DiffField } from '@tidemark/contracts/http/links'
import { metadataOf } from '../../reading/domain/metadata.ts'

export type DiffValue = string | number | string[] | null
export type Described = Partial<Record<DiffField, DiffValue>>

/** They are read from bodies on request, and not stored: a difference of many pages reads no bodies. */
const notStored: readonly DiffField[] = ['h1', 'word_count']

/** Maximum characters of a text; a longer one is cut, and is complete in the page. */
const maxCharacters = 1_000
const maxRobots = 20

/** Without duplicates, as far as they are stored. */
export function fieldsOfDiff(asked = ''): { fields: DiffField[]; warnings: string[] } {
  const named = asked === '' ? [] : ([...new Set(asked.split(','))] as DiffField[])
  return {
    fields: named.filter(field => !notStored.includes(field)),
    warnings: named
      .filter(field => notStored.includes(field))
      .map(field => `${field} is not stored with pages and is left out; GET …/page compares their texts`),
  }
}

/** @param stored the stored metadata of the page */
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
