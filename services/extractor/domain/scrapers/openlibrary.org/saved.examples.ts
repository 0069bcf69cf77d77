/** Documents in the shape of the Open Library's. */
import type { Saved } from '../saved.examples.ts'

export const saved: Saved = {
  full: {
    path: 'search',
    params: { q: 'tides & moons', page: 2 },
    url: `https://openlibrary.org/search.json?fields=${[
      'key,title,subtitle,author_name,author_key,subject,publisher,first_publish_year',
      'number_of_pages_median,isbn,language',
    ]
      .join(',')
      .replaceAll(',', '%2C')}&q=tides+%26+moons&page=2`,
    page: JSON.stringify({
      numFound: 2,
      docs: [
        {
          key: '/works/OL7W',
          title: 'The Tide Book',
          subtitle: 'and the Moon',
          author_name: ['Ada Keel'],
          author_key: ['OL3A'],
          subject: ['Tides'],
          publisher: ['Harbour Press'],
          first_publish_year: 1901,
          number_of_pages_median: 211,
          isbn: ['9780000000002'],
          language: ['eng'],
        },
        { title: 'No key' },
      ],
    }),
    data: [
      {
        key: '/works/OL7W',
        title: 'The Tide Book',
        subtitle: 'and the Moon',
        description: null,
        authors: ['Ada Keel'],
        author_keys: ['/authors/OL3A'],
        subjects: ['Tides'],
        publishers: ['Harbour Press'],
        published: '1901',
        pages: 211,
        isbn: ['9780000000002'],
        languages: ['eng'],
      },
    ],
  },
  partial: {
    path: 'works/OL7W',
    url: 'https://openlibrary.org/works/OL7W.json',
    page: '{"key":"/works/OL7W","title":"Tides","description":{"value":"Of water."},"authors":[{"author":{"key":"/authors/OL3A"}},7]}',
    data: [{ key: '/works/OL7W', title: 'Tides', description: 'Of water.', author_keys: ['/authors/OL3A'] }],
  },
  more: [
    {
      path: 'isbn/000000000X',
      url: 'https://openlibrary.org/isbn/000000000X.json',
      page: JSON.stringify({
        key: '/books/OL9M',
        title: 'Tides',
        description: 'Of water.',
        authors: [{ key: '/authors/OL3A' }],
        publish_date: 'May 1901',
        number_of_pages: 200,
        isbn_10: ['000000000X'],
        languages: [{ key: '/languages/eng' }],
      }),
      data: [
        {
          key: '/books/OL9M',
          title: 'Tides',
          description: 'Of water.',
          author_keys: ['/authors/OL3A'],
          published: 'May 1901',
          pages: 200,
          isbn: ['000000000X'],
          languages: ['eng'],
        },
      ],
    },
  ],
  other: '{"error":"notfound","key":"/works/OL8W"}',
  refused: ['works', 'works/OL7M', 'works/7', 'isbn/123', 'isbn/９780000000002', 'search/x', 'authors/OL3A'],
}
