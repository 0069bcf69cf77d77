/** Books of the Open Library, from its JSON API (openlibrary.org/developers/api): works, editions and searches. */
import { listAt, member, numberAt, parseJson, textAt, textsAt } from '../json.ts'
import { defineScraper } from '../scraper.ts'

const fields =
  'key,title,subtitle,author_name,author_key,subject,publisher,first_publish_year,number_of_pages_median,isbn,language'

export const scraper = defineScraper({
  domain: 'openlibrary.org',
  origin: 'https://openlibrary.org',
  routes: [
    // The site appends the title, which its JSON does not need.
    { path: 'works/{work}', fetch: '/works/{work}.json' },
    { path: 'works/{work}/{words}', fetch: '/works/{work}.json' },
    { path: 'books/{edition}', fetch: '/books/{edition}.json' },
    { path: 'books/{edition}/{words}', fetch: '/books/{edition}.json' },
    { path: 'isbn/{isbn}', fetch: '/isbn/{isbn}.json' },
    {
      path: 'search',
      fetch: '/search.json',
      query: { fields },
      params: {
        q: { type: 'text', maxLength: 300, as: 'q', isRequired: true, description: 'search terms' },
        page: {
          type: 'integer',
          minimum: 1,
          maximum: 100,
          as: 'page',
          description: 'page of the results, from 1',
        },
        limit: { type: 'integer', minimum: 1, maximum: 100, as: 'limit', description: 'results per page' },
      },
    },
  ],
  names: {
    work: /^OL\d{1,12}W$/,
    edition: /^OL\d{1,12}M$/,
    words: /^[^?#]{1,255}$/,
    isbn: /^(?:(?:\d-?){9}[\dXx]|(?:\d-?){12}\d)$/,
  },
  dataShape: {
    key: 'path at the site, such as /works/OL1W',
    title: 'its title',
    subtitle: 'subtitle',
    description: 'topics',
    authors: 'list of names; only in searches',
    author_keys: 'list of paths at the site',
    subjects: 'list of texts',
    publishers: 'list of names',
    published: 'date of publication, as the site writes it',
    pages: 'number of pages',
    isbn: 'list of numbers',
    languages: 'list of codes of three letters',
  },
  read({ text }) {
    const found = parseJson(text)
    if (Array.isArray(member(found, 'docs'))) return listAt(found, 'docs').filter(isBook).map(ofSearch)
    return isBook(found) ? [ofDocument(found)] : null
  },
})

const isBook = (found: unknown): boolean => textAt(found, 'key') !== null && textAt(found, 'title') !== null

const ofSearch = (found: unknown) => ({
  ...named(found),
  description: null,
  authors: textsAt(found, 'author_name'),
  author_keys: textsAt(found, 'author_key')?.map(key => `/authors/${key}`) ?? null,
  subjects: textsAt(found, 'subject'),
  publishers: textsAt(found, 'publisher'),
  published: numberAt(found, 'first_publish_year')?.toString() ?? null,
  pages: numberAt(found, 'number_of_pages_median'),
  isbn: textsAt(found, 'isbn'),
  languages: textsAt(found, 'language'),
})

const ofDocument = (found: unknown) => ({
  ...named(found),
  description: textAt(found, 'description') ?? textAt(found, 'description', 'value'),
  authors: null,
  author_keys: keysAt(found, 'authors'),
  subjects: textsAt(found, 'subjects'),
  publishers: textsAt(found, 'publishers'),
  published: textAt(found, 'publish_date') ?? textAt(found, 'first_publish_date'),
  pages: numberAt(found, 'number_of_pages'),
  isbn: isbnOf(found),
  languages: keysAt(found, 'languages')?.map(key => key.replace('/languages/', '')) ?? null,
})

const named = (found: unknown) => ({
  key: textAt(found, 'key'),
  title: textAt(found, 'title'),
  subtitle: textAt(found, 'subtitle'),
})

/** A work nests the author beside a role, an edition does not. */
function keysAt(found: unknown, name: string): string[] | null {
  if (!Array.isArray(member(found, name))) return null
  return listAt(found, name).flatMap(one => textAt(one, 'author', 'key') ?? textAt(one, 'key') ?? [])
}

function isbnOf(found: unknown): string[] | null {
  const lists = [textsAt(found, 'isbn_13'), textsAt(found, 'isbn_10')]
  return lists.some(list => list !== null) ? lists.flatMap(list => list ?? []) : null
}
