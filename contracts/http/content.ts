/** The content of a page: the same parts in stored pages, scans and bulk scans. */
import { type Static, Type } from 'typebox'
import { count, described, oneOf, orNull } from '../primitives.ts'
import { Chunk } from './chunks.ts'
import { Extraction } from './extraction.ts'

const Text = Type.String()
const Texts = Type.Array(Text)
const TextsByName = Type.Record(Text, Texts)
const TextByName = Type.Record(Text, Text)

export const Signals = Type.Object(
  {
    title: orNull(described(Text, 'Content of the title element; null: absent.')),
    description: orNull(described(Text, 'Content of the description meta element; null: absent.')),
    canonical: orNull(described(Text, 'The canonical link, absolute; null: absent.')),
    lang: orNull(
      described(
        Text,
        'The lang attribute of the html element. If it is absent, the language of the text where the answer has text or signals and the language is clear; else null.',
      ),
    ),
    h1: described(Texts, 'Headings of the first level, in document order.'),
    h2: described(Texts, 'Headings of the second level.'),
    h3: described(Texts, 'Headings of the third level.'),
    robots_meta: described(Texts, 'Directives of the robots meta elements.'),
    jsonld_types: described(Texts, 'Every @type of its JSON-LD.'),
    hreflang: described(TextByName, 'URLs of other languages, by language.'),
    ai_directives: Type.Object(
      {
        noai: Type.Boolean({ description: 'Whether it states noai.' }),
        noimageai: Type.Boolean({ description: 'Whether it states noimageai.' }),
        meta: described(TextsByName, 'Directives of robots meta elements, by bot.'),
        x_robots_tag: described(TextsByName, 'Directives of X-Robots-Tag, by bot.'),
        content_signals: described(TextByName, 'Content-Signal of the response: yes or no, by use.'),
        content_usage: described(TextByName, 'Content-Usage of the response: y or n, by use.'),
        tdm_reservation: orNull(
          Type.Boolean({ description: 'Whether text and data mining is reserved; null: not stated.' }),
        ),
        tdm_policy: orNull(described(Text, 'URL of the policy for text and data mining; null: not stated.')),
      },
      { description: 'Directives of the page for AI bots.' },
    ),
    word_count: count(
      'Number of words of its text. Elements that are hidden by an attribute or by styles count.',
    ),
    char_count: count('Number of characters of the same text.'),
    links: Type.Object(
      {
        internal: count('Links to its own site.'),
        external: count('Links to other sites.'),
        nofollow: count('Internal and external links with rel nofollow.'),
        total: count('Internal and external links.'),
      },
      { description: 'Number of links.' },
    ),
  },
  { $id: 'Signals', description: 'Signals of the page for search engines and AI bots.' },
)

export const Anchor = Type.Object({
  to: Type.String({ description: 'Absolute, in normal form.' }),
  anchor: described(Text, 'Text of the link; empty: it has none.'),
  rel: orNull(described(Text, 'The rel attribute; null: absent.')),
  nofollow: Type.Boolean({ description: 'Whether rel says nofollow.' }),
})
export type Anchor = Static<typeof Anchor>

/** Every selectable part. Parts that were not requested are absent. */
export const contentParts = {
  html: Type.String({ description: 'As it was served, decoded.' }),
  markdown: Type.String({ description: 'CommonMark with tables; links are kept and absolute.' }),
  chunks: Type.Array(Chunk, {
    description:
      'The Markdown in chunks, in order. Without an overlap, their texts together are the Markdown.',
  }),
  article_text: Type.String({ description: 'The main text, with an empty line between paragraphs.' }),
  article_html: Type.String({ description: 'The article as clean HTML.' }),
  article_markdown: Type.String({ description: 'The article as Markdown, without its headline.' }),
  signals: Signals,
  anchors: Type.Array(Anchor, { description: 'The links of the page, in document order.' }),
  extraction: Extraction,
  extracted: Type.Record(Text, Type.Union([orNull(Text), Texts]), {
    description: 'Extracted values, by the names in `extract`; null or an empty list: no match.',
  }),
}

/** Keyed by the product token of the bot. */
export const AiBotPolicies = Type.Record(Text, oneOf(['allowed', 'disallowed', 'partial', 'unspecified']), {
  description: 'Rules of robots.txt by bot. unspecified: no rule names the bot, so everything is allowed.',
})
