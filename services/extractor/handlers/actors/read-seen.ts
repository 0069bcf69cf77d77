/** Reads a page as an actor wants it: what the content thread does for each. */
import type { Reading } from '@tidemark/contracts/ask/actors'
import { type PageToSee, type SeenPage, seePage } from '../../domain/actors/seen-page.ts'
import { structuredOf } from '../../domain/actors/structured.ts'

export type ReadingQuestion = { reading: Reading; page: PageToSee }

/** `data` is that of the actor. */
export type SeenAs = { data: object; challenge: string | null; warnings: string[] }

export async function readSeen({ reading, page }: ReadingQuestion): Promise<SeenAs> {
  const seen = seePage(page)
  const { challenge, warnings } = seen
  return { data: await dataOf(seen, reading), challenge, warnings }
}

async function dataOf(seen: SeenPage, reading: Reading): Promise<object> {
  switch (reading.as) {
    case 'structured':
      return structuredOf(seen)
  }
}
