/** `POST /v1/actors/extract-article`: the article of a page, without menus and other boilerplate. */
import { type Static, Type } from 'typebox'
import { described, oneOf, orNull } from '../../primitives.ts'
import { Url } from '../cloud/page.ts'
import { actorAnswer } from './actor.ts'

export const articleFormats = oneOf(['markdown', 'text'])
export type ArticleFormat = Static<typeof articleFormats>

export const ExtractArticleRequest = Type.Object(
  {
    url: Url,
    format: Type.With(
      described(
        articleFormats,
        'The format of `content`. markdown: with absolute links and images; text: with an empty line between paragraphs.',
      ),
      { default: 'markdown' as const },
    ),
    include_comments: Type.Boolean({
      default: false,
      description: 'Add the comments of readers, separate from the article.',
    }),
    wpm: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 100_000,
        description: 'Reading speed in words per minute. Default: 230.',
        examples: [230],
      }),
    ),
  },
  { $id: 'ExtractArticleRequest' },
)

const text = (description: string) => orNull(Type.String({ description }))

const ArticleMetadata = Type.Object(
  {
    title: text('Title of the article, without the name of its site; null: not stated.'),
    byline: text('Names of its authors, separated by commas; null: not stated.'),
    site_name: text('The name of its site; null: not stated.'),
    published: text('Day (2026-01-02), or RFC 3339 if the page states the time; null: not stated.'),
    modified: text('The same for its last modification, if the page states it.'),
    lang: text('Its language (BCP 47) as stated, otherwise guessed from its words; null: unknown.'),
    description: text('Content of the description meta element; null: absent.'),
    excerpt: text(
      'The description that the page states, otherwise the beginning of the text; null: no text.',
    ),
    image: text('The image for link previews, otherwise the first image of the text; absolute, null: none.'),
    canonical: text('The canonical link, absolute; null: absent.'),
    page_kind: orNull(
      oneOf(['article', 'forum', 'listing'], {
        description:
          'The detected type of the page. All posts of a forum are content, and the texts of all items of a listing; null: not HTML.',
      }),
    ),
    confidence: Type.Number({
      minimum: 0,
      maximum: 1,
      description: 'Confidence from 0, a guess, to 1: the agreement of the signs of an article.',
    }),
  },
  { description: 'Metadata of the article.' },
)

export const ArticleFound = Type.Object({
  format: described(articleFormats, 'The format of `content`.'),
  content: Type.String({
    description:
      'The article alone. Without an article: the visible text of the page, or the text of a text document. Empty: no text.',
  }),
  word_count: Type.Integer({
    minimum: 0,
    description:
      'Number of words of the content. In scripts without spaces, two characters (Chinese, Japanese) or four (Thai and others) count as a word.',
  }),
  reading_time_seconds: Type.Integer({
    minimum: 0,
    description: 'Whole seconds to read the content at `wpm`, rounded up.',
  }),
  wpm: Type.Integer({ description: 'Words per minute used for the reading time.' }),
  metadata: ArticleMetadata,
  comments: text(
    'Comments of readers as text, with an empty line between paragraphs; empty: no comments. Null unless `include_comments` is true.',
  ),
})
export type ArticleFound = Static<typeof ArticleFound>

export const ExtractArticleAnswer = actorAnswer('extract-article', ArticleFound, 'ExtractArticleAnswer')
