/** `POST /v1/actors/extract-article`: the article of a page, without what stands around it. */
import { type Static, Type } from 'typebox'
import { orNull, said } from '../primitives.ts'
import { actorAnswer } from './actor.ts'
import { Url } from './cloud-page.ts'

export const articleFormats = Type.Union([Type.Literal('markdown'), Type.Literal('text')])
export type ArticleFormat = Static<typeof articleFormats>

export const ExtractArticleRequest = Type.Object(
  {
    url: Url,
    format: Type.With(
      said(
        articleFormats,
        'What `content` is: markdown with absolute links and pictures, or text, paragraphs parted by an empty line.',
      ),
      { default: 'markdown' as const },
    ),
    include_comments: Type.Boolean({
      default: false,
      description: 'Add what readers wrote below the article, apart from it.',
    }),
    wpm: Type.Optional(
      Type.Integer({
        minimum: 50,
        maximum: 1000,
        description: 'How many words a minute the reader reads. Left out: 230.',
        examples: [230],
      }),
    ),
  },
  { $id: 'ExtractArticleRequest' },
)
export type ExtractArticleRequest = Static<typeof ExtractArticleRequest>

const text = (description: string) => orNull(Type.String({ description }))

const ArticleMetadata = Type.Object(
  {
    title: text('Of the article, without the name of its site; null where none is told.'),
    byline: text('Names of its authors, parted by commas; null where nobody is named.'),
    site_name: text('The name of its site; null where it is not told.'),
    published: text('Day (2026-01-02), or RFC 3339 where the page states the time; null where neither is.'),
    modified: text('The same of its last change, where the page states it.'),
    lang: text(
      'Its language (BCP 47) as stated, else as guessed from its words; null where nobody can tell.',
    ),
    description: text('Of the meta element; null without one.'),
    excerpt: text('What the page says of itself, else how the text begins; null where there is no text.'),
    image: text('The picture it is shared with, else the first of the text; absolute, null without one.'),
    canonical: text('The canonical link, absolute; null without one.'),
    page_kind: orNull(
      Type.Union([Type.Literal('article'), Type.Literal('forum'), Type.Literal('listing')], {
        description:
          'What the page was read as. Of a forum all posts are content, of a listing the texts of its items; null of what is no HTML.',
      }),
    ),
    confidence: Type.Number({
      minimum: 0,
      maximum: 1,
      description: 'From 0, a guess, to 1: how far the marks of an article agree.',
    }),
  },
  { description: 'What the page tells of the article.' },
)

export const ArticleFound = Type.Object({
  format: said(articleFormats, 'What `content` is.'),
  content: Type.String({
    description:
      'The article alone; of a page without one its visible text, and of a document that is text the text. Empty where there is none.',
  }),
  word_count: Type.Integer({
    minimum: 0,
    description:
      'Words of the content; of a script without spaces its characters, two (Chinese, Japanese) or four (Thai and others) to a word.',
  }),
  reading_time_seconds: Type.Integer({
    minimum: 0,
    description: 'Whole seconds to read the content at `wpm`, rounded up.',
  }),
  wpm: Type.Integer({ description: 'Words a minute that the time is counted with.' }),
  metadata: ArticleMetadata,
  comments: text(
    'What readers wrote below it, as text, paragraphs parted by an empty line; empty where nobody did. Null unless `include_comments` was asked for.',
  ),
})
export type ArticleFound = Static<typeof ArticleFound>

export const ExtractArticleAnswer = actorAnswer('extract-article', ArticleFound, 'ExtractArticleAnswer')
export type ExtractArticleAnswer = Static<typeof ExtractArticleAnswer>
